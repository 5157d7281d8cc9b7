package import Captures
internal import LibCrypto
package import TLS

extension CertificateAuthority {
    /// What a server of this machine shows to clients that trust the authority.
    ///
    /// - Parameters:
    ///   - host: a name, or an address without brackets.
    ///   - now: the beginning of the certificate's validity, less a day.
    /// - Returns: a context with a certificate of its own, and a new key.
    /// - Throws: when none can be made, with libcrypto's or OpenSSL's words.
    package func serverContext(for host: String, now: Timestamp) throws -> TLSContext {
        let key = try PrivateKey.generate(.elliptic(.p256))
        let leaf = try leaf(for: LeafCertificates.name(of: host.lowercased()), key: key, now: now)
        // Without the root: who trusts it has it (RFC 8446, section 4.4.2).
        return try TLSContext.server(chain: [leaf] + chain, key: key)
    }
}
