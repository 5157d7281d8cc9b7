package import Captures
package import LibCrypto
package import Wire

/// Takes what could be read of one TLS connection.
package protocol TLSStreamSink {
    /// When the bytes at hand came; while what was held back for keys is read, when those did.
    var time: Timestamp { get set }
    /// Application data in clear; there during the call only.
    ///
    /// May come before ``handshakeEnded(_:)``: early data, and what a server sends before the client's Finished.
    mutating func receivedPlaintext(_ bytes: UnsafeRawBufferPointer, from side: Side)
    /// Application data is missing in front of what comes next from this side: records that are not in the capture, or not
    /// whole. There were at most so many bytes of it; where that is exact, as many, unless the sender pads its records.
    mutating func lostPlaintext(atMost count: Int, isExact: Bool, from side: Side)
    /// From here on it is not known where this side's next record begins, nor whether application data is missing: that is told
    /// once the next record that authenticates is found. Again for each time that more is missing until then.
    mutating func lostPlace(of side: Side)
    /// The next record is found: what it says comes now, and what is missing in front of it has been told.
    mutating func foundPlace(of side: Side)
    /// Once: both Finished were seen, or the connection turns out to be unreadable after its ServerHello and these are the
    /// facts that are visible.
    mutating func handshakeEnded(_ facts: TLSStreamFacts)
    /// An alert, encrypted or not, and what is known of the connection by then; `close_notify` too.
    mutating func alert(_ alert: TLSStreamAlert, from side: Side, _ facts: TLSStreamFacts)
    /// Each side is the other one: what is told behind this, and taken, goes by that.
    mutating func turned()
    /// Why nothing more of this direction (nil: of both) can be read; at most once each.
    mutating func unreadable(_ reason: String, from side: Side?)
}

extension TLSStreamSink {
    package mutating func lostPlaintext(atMost count: Int, isExact: Bool, from side: Side) {}

    package mutating func lostPlace(of side: Side) {}

    package mutating func foundPlace(of side: Side) {}

    package mutating func turned() {}
}

/// An alert as it stands in its record (RFC 8446, section 6).
package struct TLSStreamAlert: Sendable, Hashable {
    /// What it says.
    package var alert: TLSAlert
    /// Whether the connection is over with it; with TLS 1.2, warnings are not (RFC 5246, section 7.2).
    package var isFatal: Bool

    /// `level`: 1 is a warning, 2 is fatal.
    init(level: UInt8, code: UInt8) {
        alert = TLSAlert(code: code)
        isFatal = level != 1
    }
}
