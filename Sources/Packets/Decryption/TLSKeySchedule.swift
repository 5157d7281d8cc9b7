internal import LibCrypto
internal import Wire

/// What the keys of TLS 1.2 and before are made of, besides the master secret.
struct TLSLegacyHandshake {
    var clientRandom: TLSRandom
    var serverRandom: TLSRandom
    /// 0x0301 to 0x0303.
    var version: UInt16
    var suite: TLSCipherSuite
    /// RFC 7366.
    var encryptsThenAuthenticates: Bool
    /// RFC 7627.
    var extendsMasterSecret: Bool

    /// Whether each record has its own initialisation vector in front (TLS 1.1 and 1.2).
    var hasRecordVectors: Bool { version > 0x0301 }

    /// Of the pseudorandom function; nil for the one before TLS 1.2.
    var digest: DigestAlgorithm? { version == 0x0303 ? suite.digest : nil }
}

/// Makes the keys of records out of the secrets that key logs hold.
enum TLSKeySchedule {
    /// Of TLS 1.3 (RFC 8446, section 7.3).
    ///
    /// Nil where the secret is not one of this suite's, or its cipher is not supported.
    static func protection(of suite: TLSCipherSuite, secret: [UInt8]) -> TLSRecordProtection? {
        guard case .aead(let algorithm, let size) = suite.protection, secret.count == length(of: suite.digest)
        else {
            return nil
        }
        let key = KeyDerivation.expandLabel(secret, "key", length: size, suite.digest)
        let vector = KeyDerivation.expandLabel(
            secret,
            "iv",
            length: MessageDecryptor.nonceSize,
            suite.digest
        )
        guard vector.count == MessageDecryptor.nonceSize, let cipher = MessageDecryptor(algorithm, key: key)
        else {
            return nil
        }
        return TLSRecordProtection(.hidden(cipher), vector: vector)
    }

    /// The secret that follows a KeyUpdate (RFC 8446, section 7.2).
    static func next(_ secret: [UInt8], of suite: TLSCipherSuite) -> [UInt8] {
        KeyDerivation.expandLabel(secret, "traffic upd", length: secret.count, suite.digest)
    }

    /// The master secret that is made of a premaster secret (RFC 5246, section 8.1).
    ///
    /// Nil for an extended one, which takes all of the handshake's bytes; who logs premaster secrets alone is older than that.
    static func masterSecret(of premaster: [UInt8], _ handshake: TLSLegacyHandshake) -> [UInt8]? {
        guard !handshake.extendsMasterSecret else { return nil }
        let secret = KeyDerivation.tlsPRF(
            premaster,
            "master secret",
            seed: handshake.clientRandom.bytes + handshake.serverRandom.bytes,
            length: 48,
            handshake.digest
        )
        return secret.count == 48 ? secret : nil
    }

    /// Of TLS 1.2 and before.
    ///
    /// Nil where the cipher is not supported.
    static func protection(
        of handshake: TLSLegacyHandshake,
        master: [UInt8],
        for side: Side
    ) -> TLSRecordProtection? {
        guard let protection = handshake.suite.protection,
            let keys = TLSKeyBlock(protection, handshake, master: master, for: side)
        else { return nil }
        switch protection {
        case .aead(let algorithm, _):
            guard let cipher = MessageDecryptor(algorithm, key: keys.key) else { return nil }
            let isImplicit = algorithm == .chaCha20Poly1305
            return TLSRecordProtection(
                isImplicit ? .implicitNonce(cipher) : .explicitNonce(cipher),
                vector: keys.vector
            )
        case .blocks(let algorithm, _, let digest):
            guard let cipher = BlockDecryptor(algorithm, key: keys.key),
                let authenticator = MessageAuthenticator(digest, key: keys.code)
            else { return nil }
            let blocks = TLSRecordProtection.Blocks(
                cipher: cipher,
                authenticator: authenticator,
                codeSize: keys.code.count,
                encryptsFirst: handshake.encryptsThenAuthenticates,
                hasVector: handshake.hasRecordVectors
            )
            return TLSRecordProtection(.blocks(blocks), vector: keys.vector)
        case .clear(let digest):
            guard let authenticator = MessageAuthenticator(digest, key: keys.code) else { return nil }
            return TLSRecordProtection(.clear(authenticator, codeSize: keys.code.count), vector: [])
        }
    }

    private static func length(of digest: DigestAlgorithm) -> Int { digest == .sha384 ? 48 : 32 }
}
