internal import COpenSSL

extension KeyDerivation {
    /// HKDF-Expand-Label of TLS 1.3 (RFC 8446, section 7.1), the label without `tls13 `, and without a context: keys and the next secret
    /// have none.
    ///
    /// - Parameters:
    ///   - secret: as long as the digest.
    ///   - label: at most 249 bytes.
    ///   - length: of the key, at most 255 times that of the digest.
    ///   - algorithm: the cipher suite's digest.
    /// - Returns: the key; empty where a length is not allowed.
    package static func expandLabel(
        _ secret: [UInt8],
        _ label: String,
        length: Int,
        _ algorithm: DigestAlgorithm
    ) -> [UInt8] {
        let label = Array("tls13 ".utf8) + Array(label.utf8)
        guard label.count <= 255, (0...16_320).contains(length) else { return [] }
        let info =
            [UInt8(length >> 8), UInt8(length & 255), UInt8(label.count)] + label + [0]
        // HKDF-Expand (RFC 5869, section 2.3).
        var key: [UInt8] = []
        var block: [UInt8] = []
        var number: UInt8 = 1
        while key.count < length {
            block = MessageAuthentication.hmac(block + info + [number], key: secret, algorithm)
            guard !block.isEmpty, number < 255 else { return [] }
            key += block
            number += 1
        }
        return Array(key.prefix(length))
    }

    /// The pseudorandom function of TLS 1.2 (RFC 5246, section 5), or of TLS 1.0 and 1.1 (RFC 2246, section 5).
    ///
    /// - Parameters:
    ///   - secret: the master secret, for the keys of records.
    ///   - label: for example `key expansion`.
    ///   - seed: for the keys the server's random and the client's.
    ///   - length: of the result in bytes.
    ///   - algorithm: the digest of the cipher suite's PRF; nil for TLS 1.0 and 1.1 (MD5 and SHA-1).
    /// - Returns: the bytes; empty where libcrypto refuses.
    package static func tlsPRF(
        _ secret: [UInt8],
        _ label: String,
        seed: [UInt8],
        length: Int,
        _ algorithm: DigestAlgorithm?
    ) -> [UInt8] {
        guard length > 0 else { return [] }
        defer { ERR_clear_error() }
        let seed = Array(label.utf8) + seed
        return [UInt8](unsafeUninitializedCapacity: length) { buffer, count in
            let isDone = ar_tls_prf(
                algorithm?.pointer,
                secret,
                secret.count,
                seed,
                seed.count,
                buffer.baseAddress,
                length
            )
            count = isDone == 1 ? length : 0
        }
    }
}
