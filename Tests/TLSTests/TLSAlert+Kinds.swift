import LibCrypto

/// Alerts that only tests speak of by name (RFC 8446, section 6.2).
extension TLSAlert {
    static let unknownCA = TLSAlert(code: 48)
    static let noApplicationProtocol = TLSAlert(code: 120)
}
