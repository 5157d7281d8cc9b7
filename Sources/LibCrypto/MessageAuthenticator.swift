internal import COpenSSL

/// HMAC of many messages under one key.
///
/// Belongs to one thread at a time.
package final class MessageAuthenticator {
    /// The hash function.
    package enum Algorithm: Sendable, Hashable {
        case md5, sha1, sha256, sha384

        /// Of a code, in bytes; keys of TLS are as long.
        package var size: Int {
            switch self {
            case .md5: 16
            case .sha1: 20
            case .sha256: 32
            case .sha384: 48
            }
        }
    }

    private let context: OpaquePointer

    /// Nil where libcrypto does not have the digest.
    package init?(_ algorithm: Algorithm, key: [UInt8]) {
        let digest =
            switch algorithm {
            case .md5: EVP_md5()
            case .sha1: EVP_sha1()
            case .sha256: EVP_sha256()
            case .sha384: EVP_sha384()
            }
        defer { ERR_clear_error() }
        guard let made = ar_hmac_context(digest, key, key.count) else { return nil }
        context = made
    }

    deinit { EVP_MAC_CTX_free(context) }

    /// Whether this is the code of `head` and `body`, one behind the other; in time that depends on lengths alone.
    package func verifies(
        _ code: UnsafeRawBufferPointer,
        head: UnsafeBufferPointer<UInt8>,
        body: UnsafeRawBufferPointer
    ) -> Bool {
        withUnsafeTemporaryAllocation(of: UInt8.self, capacity: Int(EVP_MAX_MD_SIZE)) { own in
            let length = ar_hmac_of(
                context,
                head.baseAddress,
                head.count,
                body.baseAddress?.assumingMemoryBound(to: UInt8.self),
                body.count,
                own.baseAddress
            )
            guard length > 0, length == code.count else { return false }
            return CRYPTO_memcmp(own.baseAddress, code.baseAddress, length) == 0
        }
    }
}
