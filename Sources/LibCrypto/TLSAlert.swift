/// An alert of TLS (RFC 8446, section 6): what one end says when it gives up.
package struct TLSAlert: Sendable, Hashable, CustomStringConvertible {
    /// The number of its description; numbers without a name are kept as they came.
    package let code: UInt8

    package init(code: UInt8) { self.code = code }

    /// The end of a connection, and no error.
    package static let closeNotify = TLSAlert(code: 0)
    /// Sent by servers of TLS 1.3 that were shown no certificate.
    package static let certificateRequired = TLSAlert(code: 116)

    /// The name in the registry, like `unknown_ca`; `alert 99` for a number that has none.
    package var name: String { Self.names[code] ?? "alert \(code)" }

    package var description: String { name }

    /// Whether a client that sends it says: I do not accept this certificate.
    ///
    /// `bad_certificate`, `unsupported_certificate`, `certificate_expired`, `certificate_unknown`,
    /// `unknown_ca`.
    package var rejectsCertificate: Bool { [42, 43, 45, 46, 48].contains(code) }

    /// Whether a server that asked for a certificate of ours may mean that one: besides those, `handshake_failure`,
    /// `certificate_revoked`, `access_denied` and `certificate_required`.
    package var refusesClientCertificate: Bool { rejectsCertificate || [40, 44, 49, 116].contains(code) }

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
