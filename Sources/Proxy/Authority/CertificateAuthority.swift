package import Captures
package import LibCrypto

/// The authority that signs the certificates which the proxy shows to clients.
package struct CertificateAuthority: Sendable {
    /// What clients have to trust.
    package let certificate: Certificate
    /// What a server sends behind its own certificate: the authorities between it and ``certificate``.
    let chain: [Certificate]
    /// The servers that it may sign for; nil for all.
    package let scope: CertificateScope?
    private let issuer: CertificateIssuer

    /// What the names of our authorities begin with.
    private static let maker = "authreel"
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

    /// Whether it was made here, and is not one of somebody's own.
    package var isOurs: Bool { Self.isOurs(certificate) }

    static func isOurs(_ certificate: Certificate) -> Bool { certificate.subject.hasPrefix("CN=\(maker) ") }

    package init(certificate: Certificate, key: PrivateKey) throws(OpenSSLError) {
        issuer = try CertificateIssuer(certificate: certificate, key: key)
        self.certificate = certificate
        chain = []
        scope = nil
    }

    /// Makes an authority for some servers only, whose keys are kept in memory and nowhere else.
    ///
    /// It is two. Some clients (Java) do not apply the constraints of the very certificate that they were told to
    /// trust, but all apply those of one below it. So the trusted one signs a second with the same constraints, which
    /// signs the leaves, and the key of the first is forgotten before anybody can use it again.
    ///
    /// - Parameters:
    ///   - scope: the servers.
    ///   - now: the beginning of its validity, less a day.
    /// - Throws: `OpenSSLError` with libcrypto's words.
    package init(scope: CertificateScope, now: Timestamp) throws(OpenSSLError) {
        let validity = CertificateIssuer.Validity(
            notBefore: (now - Self.backdating).seconds,
            notAfter: (now + Self.leafLifetime).seconds
        )
        let rootKey = try PrivateKey.generate(.elliptic(.p256))
        let name = "\(Self.maker) \(now.rfc3339.prefix(19))"
        let root = try CertificateIssuer.authority(
            commonName: "\(name) (one recording)",
            key: rootKey,
            validity: validity,
            constraints: scope.constraints
        )
        let key = try PrivateKey.generate(.elliptic(.p256))
        let below = try CertificateIssuer(certificate: root, key: rootKey).subordinate(
            commonName: "\(name) (one recording, signing)",
            key: key,
            validity: validity,
            constraints: scope.constraints
        )
        issuer = try CertificateIssuer(certificate: below, key: key)
        certificate = root
        chain = [below]
        self.scope = scope
    }

    /// Whether clients that trust it accept its certificates for this host: a name, or an address without brackets.
    func signs(for host: String) -> Bool { scope?.contains(host) ?? true }

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
            commonName: "\(maker) \(now.rfc3339.prefix(10))",
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
            substituteName: OwnAddress.name,
            key: key,
            validity: .init(notBefore: (now - Self.backdating).seconds, notAfter: end)
        )
    }

    /// How long the authority is still valid; negative when it is not.
    package func remaining(at now: Timestamp) -> Duration { Timestamp(seconds: certificate.notAfter) - now }

    /// Whether its last month has begun.
    package func isInItsLastMonth(at now: Timestamp) -> Bool { remaining(at: now) < Self.warningTime }
}
