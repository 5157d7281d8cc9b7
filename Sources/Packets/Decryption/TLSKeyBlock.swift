internal import LibCrypto
internal import Wire

/// What one side's records are protected with in TLS 1.2 and before: its parts of the key block (RFC 5246, section 6.3).
struct TLSKeyBlock {
    /// Of the authentication code; empty where the cipher authenticates.
    let code: [UInt8]
    let key: [UInt8]
    /// What is the same of each record's nonce, or the first initialisation vector of TLS 1.0.
    let vector: [UInt8]

    /// Nil where the key block cannot be made.
    ///
    /// - Parameters:
    ///   - protection: of the cipher suite, whose sizes count.
    ///   - handshake: what both said.
    ///   - master: the master secret.
    ///   - side: who is to send the records.
    init?(
        _ protection: TLSCipherSuite.Protection,
        _ handshake: TLSLegacyHandshake,
        master: [UInt8],
        for side: Side
    ) {
        let sizes = Self.sizes(protection, hasRecordVectors: handshake.hasRecordVectors)
        let size = 2 * (sizes.code + sizes.key + sizes.vector)
        let block = KeyDerivation.tlsPRF(
            master,
            "key expansion",
            seed: handshake.serverRandom.bytes + handshake.clientRandom.bytes,
            length: size,
            handshake.digest
        )
        guard block.count == size else { return nil }
        // Of each kind first the client's, then the server's.
        func part(_ start: Int, _ size: Int) -> [UInt8] {
            let start = start + (side == .client ? 0 : size)
            return Array(block[start..<(start + size)])
        }
        code = part(0, sizes.code)
        key = part(2 * sizes.code, sizes.key)
        vector = part(2 * (sizes.code + sizes.key), sizes.vector)
    }

    private static func sizes(_ protection: TLSCipherSuite.Protection, hasRecordVectors: Bool) -> (
        code: Int, key: Int, vector: Int
    ) {
        switch protection {
        case .aead(let algorithm, let size):
            (0, size, algorithm == .chaCha20Poly1305 ? MessageDecryptor.nonceSize : 4)
        case .blocks(let algorithm, let size, let authenticator):
            (authenticator.size, size, hasRecordVectors ? 0 : algorithm == .tripleDES ? 8 : 16)
        case .clear(let authenticator): (authenticator.size, 0, 0)
        }
    }
}
