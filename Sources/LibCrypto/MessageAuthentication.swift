internal import COpenSSL

/// HMAC (RFC 2104).
package enum MessageAuthentication {
    /// The code of a message under a key of any length.
    package static func hmac(_ bytes: [UInt8], key: [UInt8], _ algorithm: DigestAlgorithm) -> [UInt8] {
        [UInt8](unsafeUninitializedCapacity: Int(EVP_MAX_MD_SIZE)) { buffer, count in
            var length: UInt32 = 0
            if HMAC(
                algorithm.pointer,
                key,
                Int32(clamping: key.count),
                bytes,
                bytes.count,
                buffer.baseAddress,
                &length
            ) != nil {
                count = Int(length)
            }
        }
    }

    /// Whether two codes are equal, in time that depends on their length alone.
    package static func areEqual(_ left: [UInt8], _ right: [UInt8]) -> Bool {
        left.count == right.count && CRYPTO_memcmp(left, right, left.count) == 0
    }
}
