internal import Captures
internal import LibCrypto
internal import NIOConcurrencyHelpers
internal import TLS

#if canImport(Glibc)
internal import Glibc
#elseif canImport(Musl)
internal import Musl
#else
internal import Darwin
#endif

/// The TLS contexts of the hosts that the proxy plays, made when they are first asked for.
///
/// All share one key, made anew for each run (clients that take RSA only have one of their own), and what OpenSSL keeps for a server. Used from every event loop: the
/// lock is held while one is made, so that a page's twenty connections make one certificate.
final class LeafCertificates: Sendable {
    /// A hostile client may name any number of hosts.
    static let maximumCount = 2048

    private let authority: CertificateAuthority
    private let key: PrivateKey
    private let keyLog: KeyLog?
    private struct Made {
        var contexts: [String: (context: TLSContext, madeAt: Timestamp)] = [:]
        /// The first, which the others share what they can with.
        var first: TLSContext?
        /// Made when the first client asks for it, which takes a tenth of a second.
        var rsaKey: PrivateKey?
    }

    private let made = NIOLockedValueBox(Made())

    init(authority: CertificateAuthority, keyLog: KeyLog?) throws(OpenSSLError) {
        self.authority = authority
        self.keyLog = keyLog
        key = try PrivateKey.generate(.elliptic(.p256))
    }

    /// The SHA-256 of the key that all leaves share, as browsers pin it.
    var keyDigest: [UInt8] { Digest.of(key.publicKey.subjectPublicKeyInfo) }

    /// The context for a host.
    ///
    /// - Parameters:
    ///   - host: a name, or an address without brackets.
    ///   - wantsRSA: whether the client takes no other key.
    ///   - now: the beginning of the validity of a new certificate, less a day.
    /// - Returns: the context, with a certificate of the authority's.
    /// - Throws: when none can be made, with libcrypto's or OpenSSL's words.
    func context(for host: String, wantsRSA: Bool = false, now: Timestamp) throws -> TLSContext {
        let host = host.lowercased()
        let name = wantsRSA ? host + " RSA" : host
        return try made.withLockedValue { made in
            // A recorder may run for longer than a leaf is valid.
            if let known = made.contexts[name], now - known.madeAt < CertificateAuthority.leafLifetime / 2 {
                return known.context
            }
            if made.contexts.count >= Self.maximumCount { made.contexts.removeAll(keepingCapacity: true) }
            var key = key
            if wantsRSA {
                key = try made.rsaKey ?? PrivateKey.generate(.rsa(bits: 2048))
                made.rsaKey = key
            }
            let leaf = try authority.leaf(for: Self.name(of: host), key: key, now: now)
            // Without the root: who trusts it has it (RFC 8446, section 4.4.2).
            let chain = [leaf] + authority.chain
            let first = try made.first ?? TLSContext.server(chain: chain, key: key, keyLog: keyLog)
            made.first = first
            let context = first.showing(try CertifiedKey(key: key, certificates: chain))
            made.contexts[name] = (context, now)
            return context
        }
    }

    static func name(of host: String) -> CertificateIssuer.Name {
        var bytes = [UInt8](repeating: 0, count: 16)
        if inet_pton(AF_INET, host, &bytes) == 1 { return .address(Array(bytes.prefix(4))) }
        if inet_pton(AF_INET6, host, &bytes) == 1 { return .address(bytes) }
        return .host(host)
    }
}
