internal import COpenSSL

/// Decrypts many messages in CBC under one key; padding is left as it is.
///
/// Belongs to one thread at a time.
package final class BlockDecryptor {
    /// The cipher; how long its key is says the key itself.
    package enum Algorithm: Sendable, Hashable {
        case aes, camellia, aria, tripleDES
    }

    /// In bytes; the initialisation vector is as long.
    package let blockSize: Int
    private let context: OpaquePointer

    /// Nil where the key has another length than the algorithm's, or libcrypto has no such cipher.
    package init?(_ algorithm: Algorithm, key: [UInt8]) {
        let name =
            switch algorithm {
            case .aes: "AES-\(key.count * 8)-CBC"
            case .camellia: "CAMELLIA-\(key.count * 8)-CBC"
            case .aria: "ARIA-\(key.count * 8)-CBC"
            case .tripleDES: "DES-EDE3-CBC"
            }
        defer { ERR_clear_error() }
        guard let made = ar_decryptor(name, key, Int32(clamping: key.count), 0, 0, 0) else { return nil }
        context = made
        blockSize = algorithm == .tripleDES ? 8 : 16
    }

    deinit { EVP_CIPHER_CTX_free(context) }

    /// Decrypts whole blocks to `output`, which has room for as many bytes.
    ///
    /// - Parameters:
    ///   - blocks: at most 64 MiB, not empty.
    ///   - vector: as long as a block.
    ///   - output: where the text goes.
    /// - Returns: false where these are no whole blocks.
    package func decrypt(
        _ blocks: UnsafeRawBufferPointer,
        vector: UnsafeRawPointer,
        into output: UnsafeMutableRawPointer
    ) -> Bool {
        guard blocks.count % blockSize == 0, blocks.count <= 64 << 20, let start = blocks.baseAddress else {
            return false
        }
        let isDone =
            ar_decryptor_blocks(
                context,
                vector.assumingMemoryBound(to: UInt8.self),
                start.assumingMemoryBound(to: UInt8.self),
                Int32(blocks.count),
                output.assumingMemoryBound(to: UInt8.self)
            ) == 1
        if !isDone { ERR_clear_error() }
        return isDone
    }
}
