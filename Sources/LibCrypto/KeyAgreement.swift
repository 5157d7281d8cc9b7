internal import COpenSSL

/// X25519 (RFC 7748, section 5): secrets, shares and what two of them make, each 32 bytes, little endian.
package enum KeyAgreement {
    package static let size = 32

    /// The share that belongs to a secret; nil where the secret is not of 32 bytes.
    package static func share(of secret: [UInt8]) -> [UInt8]? {
        guard let key = key(secret) else { return nil }
        defer {
            EVP_PKEY_free(key)
            ERR_clear_error()
        }
        var length = size
        let share = [UInt8](unsafeUninitializedCapacity: size) { buffer, count in
            if EVP_PKEY_get_raw_public_key(key, buffer.baseAddress, &length) == 1 { count = length }
        }
        return share.count == size ? share : nil
    }

    /// What a secret and another's share make.
    ///
    /// Nil where one of them is not of 32 bytes, and where the result is all zero: the share is a point of small order
    /// then, and whoever made it knows the result without any secret (RFC 7748, section 6.1).
    package static func sharedSecret(of secret: [UInt8], with share: [UInt8]) -> [UInt8]? {
        guard share.count == size, let own = key(secret) else { return nil }
        let peer = EVP_PKEY_new_raw_public_key(EVP_PKEY_X25519, nil, share, share.count)
        defer {
            EVP_PKEY_free(own)
            EVP_PKEY_free(peer)
            ERR_clear_error()
        }
        guard let peer else { return nil }
        let shared = [UInt8](unsafeUninitializedCapacity: size) { buffer, count in
            count = ar_ecdh(own, peer, buffer.baseAddress, size)
        }
        // libcrypto refuses such a point, too; that it goes on doing so is not in its manual.
        return shared.count == size && shared.contains { $0 != 0 } ? shared : nil
    }

    private static func key(_ secret: [UInt8]) -> OpaquePointer? {
        guard secret.count == size else { return nil }
        return EVP_PKEY_new_raw_private_key(EVP_PKEY_X25519, nil, secret, secret.count)
    }
}
