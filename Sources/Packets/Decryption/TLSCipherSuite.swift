internal import LibCrypto

/// A cipher suite, and what its name says of its records.
struct TLSCipherSuite: Hashable {
    /// How records are protected.
    enum Protection: Hashable {
        case aead(MessageDecryptor.Algorithm, keySize: Int)
        case blocks(BlockDecryptor.Algorithm, keySize: Int, MessageAuthenticator.Algorithm)
        /// Only authenticated.
        case clear(MessageAuthenticator.Algorithm)
    }

    /// IANA's name; `0x1A2B` where it has none.
    let name: String
    /// Whether it is one of TLS 1.3, whose names say nothing of the key exchange.
    let isOfTLS13: Bool
    /// Nil for ciphers that are not supported.
    let protection: Protection?
    /// Of HKDF, or of the PRF of TLS 1.2.
    let digest: DigestAlgorithm

    init(_ code: UInt16) {
        let digits = String(code, radix: 16, uppercase: true)
        guard let name = Self.name(of: code) else {
            self.name = "0x" + String(repeating: "0", count: 4 - digits.count) + digits
            isOfTLS13 = false
            protection = nil
            digest = .sha256
            return
        }
        self.name = name
        let words = name.split(separator: "_").map(String.init)
        let with = words.firstIndex(of: "WITH")
        isOfTLS13 = with == nil
        digest = words.last == "SHA384" ? .sha384 : .sha256
        protection = Self.protection(Array(words[((with ?? 0) + 1)...]))
    }

    /// Of the words behind `WITH`, the digest last where there is one.
    private static func protection(_ words: [String]) -> Protection? {
        let keySize = words.dropFirst().first.flatMap { Int($0) }.map { $0 / 8 }
        switch (words.first, words.dropFirst(2).first, keySize) {
        case ("AES", "GCM", let size?): return .aead(.aesGCM, keySize: size)
        case ("ARIA", "GCM", let size?): return .aead(.ariaGCM, keySize: size)
        case ("AES", "CCM", let size?):
            return .aead(.aesCCM(tagSize: words.dropFirst(3).first == "8" ? 8 : 16), keySize: size)
        case ("CHACHA20", _, _): return .aead(.chaCha20Poly1305, keySize: 32)
        case ("AES", "CBC", let size?): return authenticator(words).map { .blocks(.aes, keySize: size, $0) }
        case ("CAMELLIA", "CBC", let size?):
            return authenticator(words).map { .blocks(.camellia, keySize: size, $0) }
        case ("ARIA", "CBC", let size?): return authenticator(words).map { .blocks(.aria, keySize: size, $0) }
        case ("3DES", "CBC", _): return authenticator(words).map { .blocks(.tripleDES, keySize: 24, $0) }
        case ("NULL", _, _): return authenticator(words).map { .clear($0) }
        default: return nil
        }
    }

    private static func authenticator(_ words: [String]) -> MessageAuthenticator.Algorithm? {
        switch words.last {
        case "MD5": .md5
        case "SHA": .sha1
        case "SHA256": .sha256
        case "SHA384": .sha384
        default: nil
        }
    }
}
