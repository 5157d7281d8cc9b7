package import Wire

/// Takes what could be read of one TLS connection.
package protocol TLSStreamSink {
    /// Application data in clear; there during the call only.
    ///
    /// May come before ``handshakeEnded(_:)``: early data, and what a server sends before the client's Finished.
    mutating func receivedPlaintext(_ bytes: UnsafeRawBufferPointer, from side: Side)
    /// Application data is missing in front of what comes next from this side: records that are not in the capture, or not
    /// whole. There were at most so many bytes of it.
    mutating func lostPlaintext(atMost count: Int, from side: Side)
    /// Once: both Finished were seen, or the connection turns out to be unreadable after its ServerHello and these are the
    /// facts that are visible.
    mutating func handshakeEnded(_ facts: TLSStreamFacts)
    /// An alert, encrypted or not; `close_notify` too.
    mutating func alert(_ alert: TLSStreamAlert, from side: Side)
    /// Why nothing more of this direction (nil: of both) can be read; at most once each.
    mutating func unreadable(_ reason: String, from side: Side?)
}

extension TLSStreamSink {
    package mutating func lostPlaintext(atMost count: Int, from side: Side) {}
}

/// An alert as it stands in its record (RFC 8446, section 6).
package struct TLSStreamAlert: Sendable, Hashable, CustomStringConvertible {
    /// 1 is a warning, 2 is fatal; without meaning in TLS 1.3.
    package var level: UInt8
    /// The number of its description.
    package var code: UInt8

    package init(level: UInt8, code: UInt8) {
        self.level = level
        self.code = code
    }

    /// The name in the registry, like `unknown_ca`; `alert 99` for a number that has none.
    package var name: String { Self.names[code] ?? "alert \(code)" }
    package var isFatal: Bool { level != 1 }
    package var description: String { name }

    private static let names: [UInt8: String] = [
        0: "close_notify", 10: "unexpected_message", 20: "bad_record_mac", 21: "decryption_failed",
        22: "record_overflow", 30: "decompression_failure", 40: "handshake_failure", 41: "no_certificate",
        42: "bad_certificate", 43: "unsupported_certificate", 44: "certificate_revoked",
        45: "certificate_expired",
        46: "certificate_unknown", 47: "illegal_parameter", 48: "unknown_ca", 49: "access_denied",
        50: "decode_error", 51: "decrypt_error", 60: "export_restriction", 70: "protocol_version",
        71: "insufficient_security", 80: "internal_error", 86: "inappropriate_fallback", 90: "user_canceled",
        100: "no_renegotiation", 109: "missing_extension", 110: "unsupported_extension",
        111: "certificate_unobtainable", 112: "unrecognized_name", 113: "bad_certificate_status_response",
        114: "bad_certificate_hash_value", 115: "unknown_psk_identity", 116: "certificate_required",
        120: "no_application_protocol", 121: "ech_required",
    ]
}
