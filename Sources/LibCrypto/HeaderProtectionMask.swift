internal import COpenSSL

/// What QUIC hides the numbers of its packets with (RFC 9001, section 5.4).
///
/// Belongs to one thread at a time.
package final class HeaderProtectionMask {
    /// The cipher that goes with that of the packets.
    package enum Algorithm: Sendable, Hashable {
        /// With a key of 16 or 32 bytes.
        case aes
        case chaCha20
    }

    /// Bytes of a packet that its mask is made of.
    package static let sampleSize = 16
    /// Bytes of a mask: for the first one of a packet, and for up to four of its number.
    private static let size = 5

    private let context: OpaquePointer
    private let isChaCha20: Bool

    /// Nil where the key has another length than the algorithm's.
    package init?(_ algorithm: Algorithm, key: [UInt8]) {
        let cipher: OpaquePointer?
        switch (algorithm, key.count) {
        case (.aes, 16): cipher = EVP_aes_128_ecb()
        case (.aes, 32): cipher = EVP_aes_256_ecb()
        case (.chaCha20, 32): cipher = EVP_chacha20()
        default: return nil
        }
        defer { ERR_clear_error() }
        guard let cipher, let made = EVP_CIPHER_CTX_new() else { return nil }
        guard EVP_EncryptInit_ex(made, cipher, nil, key, nil) == 1 else {
            EVP_CIPHER_CTX_free(made)
            return nil
        }
        EVP_CIPHER_CTX_set_padding(made, 0)
        context = made
        isChaCha20 = algorithm == .chaCha20
    }

    deinit { EVP_CIPHER_CTX_free(context) }

    /// Five bytes; nil where the sample has another length than ``sampleSize``.
    package func mask(of sample: ArraySlice<UInt8>) -> [UInt8]? {
        guard sample.count == Self.sampleSize else { return nil }
        var written: Int32 = 0
        let isDone = sample.withUnsafeBufferPointer { sample in
            [UInt8](unsafeUninitializedCapacity: 32) { output, count in
                guard let start = sample.baseAddress else { return }
                if isChaCha20 {
                    // The sample is the block's number and the nonce; what is hidden are zeros.
                    let zeros = [UInt8](repeating: 0, count: Self.size)
                    guard EVP_EncryptInit_ex(context, nil, nil, nil, start) == 1,
                        EVP_EncryptUpdate(context, output.baseAddress, &written, zeros, Int32(Self.size)) == 1
                    else { return }
                } else {
                    guard
                        EVP_EncryptUpdate(
                            context,
                            output.baseAddress,
                            &written,
                            start,
                            Int32(Self.sampleSize)
                        ) == 1
                    else { return }
                }
                count = Int(written)
            }
        }
        guard isDone.count >= Self.size else {
            ERR_clear_error()
            return nil
        }
        return Array(isDone.prefix(Self.size))
    }
}
