package import Captures
package import LibCrypto

/// The authority that signs the certificates which the proxy shows to clients.
package struct CertificateAuthority: Sendable {
    /// What clients have to trust.
    package let certificate: Certificate
    private let issuer: CertificateIssuer

    /// How long the authority is valid.
    package static let lifetime = Duration.seconds(365 * 86_400)
    /// How long a leaf is valid.
    ///
    /// Short of what any client refuses (Apple: 825 days for private authorities).
    package static let leafLifetime = Duration.seconds(89 * 86_400)
    /// By how much validity begins before now, for clients whose clock is late.
    package static let backdating = Duration.seconds(86_400)
    /// From when on users are warned of the end.
    package static let warningTime = Duration.seconds(30 * 86_400)

    package init(certificate: Certificate, key: PrivateKey) throws(OpenSSLError) {
        issuer = try CertificateIssuer(certificate: certificate, key: key)
        self.certificate = certificate
    }

    /// Makes a new authority.
    ///
    /// - Parameter now: the beginning of its validity, less a day.
    /// - Returns: the authority, and its key for whoever keeps it.
    /// - Throws: `OpenSSLError` with libcrypto's words.
    package static func make(now: Timestamp) throws(OpenSSLError) -> (
        CertificateAuthority, PrivateKey
    ) {
        let key = try PrivateKey.generate(.elliptic(.p256))
        let begin = now - backdating
        let certificate = try CertificateIssuer.authority(
            // The day tells apart the authorities that pile up in a trust store.
            commonName: "authreel \(now.rfc3339.prefix(10))",
            key: key,
            validity: .init(notBefore: begin.seconds, notAfter: (now + lifetime).seconds)
        )
        return (try CertificateAuthority(certificate: certificate, key: key), key)
    }

    /// Makes a certificate for a server.
    ///
    /// Valid from a day ago, for at most 90 days, and not longer than the authority itself.
    func leaf(for name: CertificateIssuer.Name, key: PrivateKey, now: Timestamp) throws(OpenSSLError)
        -> Certificate
    {
        let end = min((now + Self.leafLifetime).seconds, certificate.notAfter)
        return try issuer.leaf(
            for: name,
            key: key,
            validity: .init(notBefore: (now - Self.backdating).seconds, notAfter: end)
        )
    }

    /// How long the authority is still valid; negative when it is not.
    package func remaining(at now: Timestamp) -> Duration { Timestamp(seconds: certificate.notAfter) - now }

    /// Whether its last month has begun.
    package func isInItsLastMonth(at now: Timestamp) -> Bool { remaining(at: now) < Self.warningTime }
}
