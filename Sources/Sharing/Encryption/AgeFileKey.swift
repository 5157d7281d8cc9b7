import LibCrypto

/// The key of one file, 16 random bytes; header and payload have keys of their own, made of it.
package struct AgeFileKey: Sendable, Equatable {
    static let size = 16

    let bytes: [UInt8]

    /// Nil where it is not of 16 bytes.
    init?(_ bytes: [UInt8]) {
        guard bytes.count == Self.size else { return nil }
        self.bytes = bytes
    }

    /// A new one.
    init(random: (Int) -> [UInt8]) {
        bytes = random(Self.size)
        precondition(
            bytes.count == Self.size,
            "the source of randomness gives as many bytes as it is asked for"
        )
    }

    /// The code of a header: HMAC-SHA256 over all of it up to and including `---`.
    func code(ofHeader text: [UInt8]) throws(AgeError) -> [UInt8] {
        let key = try Self.derive(bytes, salt: [], info: "header")
        return MessageAuthentication.hmac(text, key: key, .sha256)
    }

    /// The key of the payload that has this nonce.
    func payloadKey(nonce: [UInt8]) throws(AgeError) -> [UInt8] {
        try Self.derive(bytes, salt: nonce, info: "payload")
    }

    // MARK: - How stanzas wrap it

    /// Every wrapping key is used once, so the nonce is always the same.
    private static let wrappingNonce = [UInt8](repeating: 0, count: AuthenticatedCipher.nonceSize)

    /// Bytes of a wrapped file key.
    static let wrappedSize = size + AuthenticatedCipher.tagSize

    func wrapped(by key: [UInt8]) throws(AgeError) -> [UInt8] {
        guard let body = AuthenticatedCipher.seal(bytes[...], key: key, nonce: Self.wrappingNonce) else {
            throw .cryptography("the file's key could not be wrapped")
        }
        return body
    }

    /// The key in a stanza's body; nil where another key wrapped it.
    init?(unwrapping body: [UInt8], by key: [UInt8]) {
        guard let bytes = AuthenticatedCipher.open(body[...], key: key, nonce: Self.wrappingNonce) else {
            return nil
        }
        self.init(bytes)
    }

    /// HKDF-SHA256 as age uses it everywhere: keys of 32 bytes.
    static func derive(_ secret: [UInt8], salt: [UInt8], info: String) throws(AgeError) -> [UInt8] {
        do {
            return try KeyDerivation.hkdf(secret, salt: salt, info: Array(info.utf8), length: 32)
        } catch {
            throw .cryptography("\(error)")
        }
    }
}
