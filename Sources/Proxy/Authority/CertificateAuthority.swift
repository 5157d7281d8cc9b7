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
            commonName: "authreel \(day(of: now))",
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

    /// `2026-11-21`, in UTC; by the algorithm for the proleptic Gregorian calendar that counts from 1 March.
    private static func day(of time: Timestamp) -> String {
        let days = (time.seconds >= 0 ? time.seconds : time.seconds - 86_399) / 86_400 + 719_468
        let era = (days >= 0 ? days : days - 146_096) / 146_097
        let dayOfEra = days - era * 146_097
        let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let shiftedMonth = (5 * dayOfYear + 2) / 153
        let day = dayOfYear - (153 * shiftedMonth + 2) / 5 + 1
        let month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9
        let year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
        return "\(year)-\(month < 10 ? "0" : "")\(month)-\(day < 10 ? "0" : "")\(day)"
    }
}

private func - (left: Timestamp, right: Duration) -> Timestamp { left + (.zero - right) }
