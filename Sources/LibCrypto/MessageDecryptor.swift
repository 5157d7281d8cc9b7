internal import COpenSSL

/// Opens many messages under one key: the key schedule is made once, a message sets its nonce only.
///
/// Belongs to one thread at a time.
package final class MessageDecryptor {
    /// The authenticated cipher; how long its key is says the key itself.
    package enum Algorithm: Sendable, Hashable {
        case aesGCM, ariaGCM, chaCha20Poly1305
        /// With a tag of 16 bytes, or of 8 (RFC 6655).
        case aesCCM(tagSize: Int)
    }

    /// Of every algorithm's nonce.
    package static let nonceSize = 12
    /// How much longer a sealed text is than what is in it.
    package let tagSize: Int
    private let isCCM: Bool
    private let context: OpaquePointer

    /// Nil where the key has another length than the algorithm's, or libcrypto has no such cipher.
    package init?(_ algorithm: Algorithm, key: [UInt8]) {
        let name: String
        var tagSize = 16
        var isCCM = false
        switch algorithm {
        case .aesGCM: name = "AES-\(key.count * 8)-GCM"
        case .ariaGCM: name = "ARIA-\(key.count * 8)-GCM"
        case .chaCha20Poly1305: name = "ChaCha20-Poly1305"
        case .aesCCM(let size):
            guard size == 8 || size == 16 else { return nil }
            name = "AES-\(key.count * 8)-CCM"
            tagSize = size
            isCCM = true
        }
        defer { ERR_clear_error() }
        let made = ar_decryptor(
            name,
            key,
            Int32(clamping: key.count),
            Int32(Self.nonceSize),
            Int32(tagSize),
            isCCM ? 1 : 0
        )
        guard let made else { return nil }
        context = made
        self.tagSize = tagSize
        self.isCCM = isCCM
    }

    deinit { EVP_CIPHER_CTX_free(context) }

    /// Writes what is in a sealed text (ciphertext, tag) to `output`.
    ///
    /// - Parameters:
    ///   - sealed: at most 64 MiB.
    ///   - nonce: 12 bytes.
    ///   - data: what is authenticated besides.
    ///   - output: with room for as many bytes as `sealed` has. What is there after a failure is not to be used.
    /// - Returns: whether the tag fits.
    package func open(
        _ sealed: UnsafeRawBufferPointer,
        nonce: UnsafePointer<UInt8>,
        authenticating data: UnsafeBufferPointer<UInt8>,
        into output: UnsafeMutableRawPointer
    ) -> Bool {
        let length = sealed.count - tagSize
        guard (0...(64 << 20)).contains(length), let start = sealed.baseAddress else { return false }
        let isWhole =
            ar_decryptor_open(
                context,
                isCCM ? 1 : 0,
                nonce,
                data.baseAddress,
                Int32(data.count),
                start.assumingMemoryBound(to: UInt8.self),
                Int32(length),
                (start + length).assumingMemoryBound(to: UInt8.self),
                Int32(tagSize),
                output.assumingMemoryBound(to: UInt8.self)
            ) == 1
        if !isWhole { ERR_clear_error() }
        return isWhole
    }
}
