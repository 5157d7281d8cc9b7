import LibCrypto

/// The value of `enc` (RFC 7518, section 5.1).
package enum ContentEncryption: String, Sendable, Hashable, CaseIterable {
    case aes128CBC = "A128CBC-HS256"
    case aes192CBC = "A192CBC-HS384"
    case aes256CBC = "A256CBC-HS512"
    case aes128GCM = "A128GCM"
    case aes192GCM = "A192GCM"
    case aes256GCM = "A256GCM"

    /// Bytes of the content encryption key.
    package var keyLength: Int {
        switch self {
        case .aes128GCM: 16
        case .aes192GCM: 24
        case .aes256GCM, .aes128CBC: 32
        case .aes192CBC: 48
        case .aes256CBC: 64
        }
    }

    /// Bytes of the initialization vector.
    var vectorLength: Int { digest == nil ? 12 : 16 }

    /// The hash of the composite ones; nil for GCM.
    private var digest: DigestAlgorithm? {
        switch self {
        case .aes128CBC: .sha256
        case .aes192CBC: .sha384
        case .aes256CBC: .sha512
        case .aes128GCM, .aes192GCM, .aes256GCM: nil
        }
    }

    /// Nil where the tag does not fit: another key, or something was changed.
    func open(
        _ ciphertext: [UInt8],
        tag: [UInt8],
        key: [UInt8],
        vector: [UInt8],
        authenticating data: [UInt8]
    )
        -> [UInt8]?
    {
        guard key.count == keyLength else { return nil }
        guard digest != nil else {
            return Cipher.openGCM(ciphertext, tag: tag, key: key, nonce: vector, authenticating: data)
        }
        guard MessageAuthentication.areEqual(code(ciphertext, key, vector, data), tag) else { return nil }
        return Cipher.openCBC(ciphertext, key: Array(key.suffix(keyLength / 2)), vector: vector)
    }

    func seal(_ plaintext: [UInt8], key: [UInt8], vector: [UInt8], authenticating data: [UInt8])
        -> (ciphertext: [UInt8], tag: [UInt8])?
    {
        guard key.count == keyLength else { return nil }
        guard digest != nil else {
            return Cipher.sealGCM(plaintext, key: key, nonce: vector, authenticating: data)
        }
        guard
            let ciphertext = Cipher.sealCBC(plaintext, key: Array(key.suffix(keyLength / 2)), vector: vector)
        else { return nil }
        return (ciphertext, code(ciphertext, key, vector, data))
    }

    /// The tag of the composite ones (RFC 7518, section 5.2.2.1).
    private func code(_ ciphertext: [UInt8], _ key: [UInt8], _ vector: [UInt8], _ data: [UInt8]) -> [UInt8] {
        guard let digest else { return [] }
        let bits = withUnsafeBytes(of: (UInt64(data.count) * 8).bigEndian) { Array($0) }
        let code = MessageAuthentication.hmac(
            data + vector + ciphertext + bits,
            key: Array(key.prefix(keyLength / 2)),
            digest
        )
        return Array(code.prefix(keyLength / 2))
    }
}
