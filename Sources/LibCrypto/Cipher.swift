internal import COpenSSL

/// AES in the ways that JWE names (RFC 7518, sections 4.4, 5.2 and 5.3).
///
/// Keys are of 16, 24 or 32 bytes.
package enum Cipher {
    /// AES-GCM.
    ///
    /// Nil where key, tag or anything else was changed.
    package static func openGCM(
        _ ciphertext: [UInt8],
        tag: [UInt8],
        key: [UInt8],
        nonce: [UInt8],
        authenticating data: [UInt8]
    ) -> [UInt8]? {
        guard tag.count == 16, let cipher = gcm(key) else { return nil }
        var tag = tag
        return gcm(seals: false, ciphertext, &tag, cipher, key, nonce, data)
    }

    /// AES-GCM.
    ///
    /// Nil where the key has no length of AES.
    package static func sealGCM(
        _ plaintext: [UInt8],
        key: [UInt8],
        nonce: [UInt8],
        authenticating data: [UInt8]
    ) -> (ciphertext: [UInt8], tag: [UInt8])? {
        guard let cipher = gcm(key) else { return nil }
        var tag = [UInt8](repeating: 0, count: 16)
        return gcm(seals: true, plaintext, &tag, cipher, key, nonce, data).map { ($0, tag) }
    }

    /// AES-CBC with PKCS #7 padding.
    ///
    /// Nil where the padding is wrong.
    package static func openCBC(_ ciphertext: [UInt8], key: [UInt8], vector: [UInt8]) -> [UInt8]? {
        cbc(seals: false, ciphertext, key, vector)
    }

    /// AES-CBC with PKCS #7 padding.
    ///
    /// Nil where key or vector have no length of AES.
    package static func sealCBC(_ plaintext: [UInt8], key: [UInt8], vector: [UInt8]) -> [UInt8]? {
        cbc(seals: true, plaintext, key, vector)
    }

    /// AES key wrap (RFC 3394).
    ///
    /// Nil where it was wrapped with another key.
    package static func unwrap(_ wrapped: [UInt8], key: [UInt8]) -> [UInt8]? {
        guard let cipher = wrapping(key), wrapped.count >= 24, wrapped.count % 8 == 0,
            wrapped.count <= maximum
        else {
            return nil
        }
        defer { ERR_clear_error() }
        let plain = [UInt8](unsafeUninitializedCapacity: wrapped.count + 16) { buffer, count in
            count = Int(ar_key_unwrap(cipher, key, wrapped, Int32(wrapped.count), buffer.baseAddress))
        }
        return plain.isEmpty ? nil : plain
    }

    /// AES key wrap (RFC 3394) of whole blocks of eight bytes, two at least.
    ///
    /// Nil for keys of another length.
    package static func wrap(_ plain: [UInt8], key: [UInt8]) -> [UInt8]? {
        guard let cipher = wrapping(key), plain.count >= 16, plain.count % 8 == 0, plain.count <= maximum
        else {
            return nil
        }
        defer { ERR_clear_error() }
        let wrapped = [UInt8](unsafeUninitializedCapacity: plain.count + 24) { buffer, count in
            count = Int(ar_key_wrap(cipher, key, plain, Int32(plain.count), buffer.baseAddress))
        }
        return wrapped.isEmpty ? nil : wrapped
    }

    private static func wrapping(_ key: [UInt8]) -> OpaquePointer? {
        switch key.count {
        case 16: EVP_aes_128_wrap()
        case 24: EVP_aes_192_wrap()
        case 32: EVP_aes_256_wrap()
        default: nil
        }
    }

    private static let maximum = 64 << 20

    private static func gcm(_ key: [UInt8]) -> OpaquePointer? {
        switch key.count {
        case 16: EVP_aes_128_gcm()
        case 24: EVP_aes_192_gcm()
        case 32: EVP_aes_256_gcm()
        default: nil
        }
    }

    private static func gcm(
        seals: Bool,
        _ input: [UInt8],
        _ tag: inout [UInt8],
        _ cipher: OpaquePointer,
        _ key: [UInt8],
        _ nonce: [UInt8],
        _ data: [UInt8]
    ) -> [UInt8]? {
        guard (1...64).contains(nonce.count), input.count <= maximum, data.count <= maximum else {
            return nil
        }
        defer { ERR_clear_error() }
        var isWhole = false
        let output = [UInt8](unsafeUninitializedCapacity: max(16, input.count)) { buffer, count in
            isWhole =
                ar_aead(
                    seals ? 1 : 0,
                    cipher,
                    key,
                    nonce,
                    Int32(nonce.count),
                    data,
                    Int32(data.count),
                    input,
                    Int32(input.count),
                    &tag,
                    buffer.baseAddress
                ) == 1
            count = isWhole ? input.count : 0
        }
        return isWhole ? output : nil
    }

    private static func cbc(seals: Bool, _ input: [UInt8], _ key: [UInt8], _ vector: [UInt8]) -> [UInt8]? {
        let cipher: OpaquePointer? =
            switch key.count {
            case 16: EVP_aes_128_cbc()
            case 24: EVP_aes_192_cbc()
            case 32: EVP_aes_256_cbc()
            default: nil
            }
        guard let cipher, vector.count == 16, input.count <= maximum else { return nil }
        defer { ERR_clear_error() }
        var length: Int32 = -1
        let output = [UInt8](unsafeUninitializedCapacity: input.count + 16) { buffer, count in
            length = ar_cbc(seals ? 1 : 0, cipher, key, vector, input, Int32(input.count), buffer.baseAddress)
            count = Int(max(0, length))
        }
        return length < 0 ? nil : output
    }
}
