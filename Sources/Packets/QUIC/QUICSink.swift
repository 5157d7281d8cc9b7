internal import Captures
internal import Wire

/// Takes what could be read of one QUIC connection.
protocol QUICSink {
    /// Of the packet that is read.
    var time: Timestamp { get set }

    /// Once: both Finished were seen.
    mutating func handshakeEnded(_ facts: TLSStreamFacts)
    /// The next bytes of one direction of a stream, by its number; the last of them may be none.
    mutating func received(_ bytes: ArraySlice<UInt8>, of stream: Int, from side: Side, isLast: Bool)
    /// A side broke its direction off.
    mutating func reset(_ stream: Int, by side: Side, code: Int)
    /// A side wants no more of what the other sends.
    mutating func stopped(_ stream: Int, by side: Side, code: Int)
    /// A part of a direction is missing that is not waited for any longer.
    mutating func lost(_ stream: Int, from side: Side)
    /// Packets of a side did not open with the keys that there are; none at all where `isAll`. Before the end.
    mutating func undecrypted(_ packets: Int, from side: Side, isAll: Bool)
    /// Once: the connection is over.
    mutating func closed(by side: Side, _ close: QUICClose, _ facts: TLSStreamFacts)
    /// Why nothing more can be read; once.
    mutating func unreadable(_ reason: String)
}
