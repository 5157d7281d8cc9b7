import JSON
import LibCrypto

/// A compact JWE (RFC 7516, section 7.1), opened with the keys at hand.
package struct JSONWebEncryption: Sendable {
    /// The JOSE header (RFC 7516, section 4).
    let header: JSONObject
    /// The first part as it stands: what the tag protects besides the ciphertext (RFC 7516, section 5.1 (14)).
    private let protected: [UInt8]
    private let encryptedKey: [UInt8]
    private let vector: [UInt8]
    private let ciphertext: [UInt8]
    private let tag: [UInt8]

    /// Nil for tokens that are not encrypted, or whose header cannot be read.
    package init?(_ token: JSONWebToken) {
        let parts = token.text.utf8.split(separator: 0x2e, omittingEmptySubsequences: false)
        guard token.form == .encrypted, parts.count == 5, let header = token.header else { return nil }
        self.header = header
        protected = Array(parts[0])
        let bytes = parts.map { Base64URL.decodeLeniently(Substring($0)).bytes }
        encryptedKey = bytes[1]
        vector = bytes[2]
        ciphertext = bytes[3]
        tag = bytes[4]
    }

    /// `alg`: how the content's key was encrypted or agreed on (RFC 7518, section 4.1).
    var algorithm: String? { header["alg"]?.string }
    /// `enc`: how the content was encrypted (RFC 7518, section 5.1).
    var encryption: String? { header["enc"]?.string }
    /// `kid`: whose key opens it, by the sender's word.
    package var keyID: String? { header["kid"]?.string }

    /// What opened it.
    package enum Key: Sendable, Hashable {
        case key(JSONWebKey)
        /// The client secret, as OpenID Connect Core, section 10.2 derives keys from it.
        case secret
    }

    /// The plaintext, and the key that opened it; nil where no key at hand does, or algorithms are not known here.
    ///
    /// `keys`: private and symmetric ones; the others are passed over. The one that `kid` names comes first.
    /// `secret`: the client secret's bytes.
    package func open(keys: [JSONWebKey], secret: [UInt8]? = nil) -> (plaintext: [UInt8], key: Key)? {
        // A compressed plaintext is no token yet.
        guard header["zip"] == nil, header["crit"] == nil,
            let method = encryption.flatMap(ContentEncryption.init(rawValue:))
        else { return nil }
        let named = keys.filter { $0.id != nil && $0.id == keyID }
        for key in named + keys.filter({ $0.id == nil || $0.id != keyID }) {
            if let plain = contentKey(key, method).flatMap({ plaintext($0, method) }) {
                return (plain, .key(key))
            }
        }
        guard let secret else { return nil }
        let length = Self.wrapLength[algorithm ?? ""] ?? method.keyLength
        for derived in Self.keys(from: secret, length: length) {
            if let plain = symmetric(derived, method).flatMap({ plaintext($0, method) }) {
                return (plain, .secret)
            }
        }
        return nil
    }

    private func plaintext(_ key: [UInt8], _ method: ContentEncryption) -> [UInt8]? {
        method.open(ciphertext, tag: tag, key: key, vector: vector, authenticating: protected)
    }

    // MARK: - The content's key (RFC 7518, section 4)

    private func contentKey(_ key: JSONWebKey, _ method: ContentEncryption) -> [UInt8]? {
        switch algorithm {
        case "RSA-OAEP": return rsa(key, .sha1)
        case "RSA-OAEP-256": return rsa(key, .sha256)
        case "RSA-OAEP-384": return rsa(key, .sha384)
        case "RSA-OAEP-512": return rsa(key, .sha512)
        case "RSA1_5": return rsa(key, nil)
        case "ECDH-ES": return agreed(key, for: encryption ?? "", length: method.keyLength)
        case "ECDH-ES+A128KW", "ECDH-ES+A192KW", "ECDH-ES+A256KW":
            let name = algorithm ?? ""
            guard let length = Self.wrapLength[String(name.dropFirst("ECDH-ES+".count))],
                let wrapping = agreed(key, for: name, length: length)
            else { return nil }
            return Cipher.unwrap(encryptedKey, key: wrapping)
        default: return key.symmetricKey.flatMap { symmetric($0, method) }
        }
    }

    private func symmetric(_ key: [UInt8], _ method: ContentEncryption) -> [UInt8]? {
        guard let algorithm else { return nil }
        if algorithm == "dir" { return key.count == method.keyLength && encryptedKey.isEmpty ? key : nil }
        guard let length = Self.wrapLength[algorithm], key.count == length else { return nil }
        guard algorithm.hasSuffix("GCMKW") else { return Cipher.unwrap(encryptedKey, key: key) }
        guard let nonce = header["iv"]?.string, let tag = header["tag"]?.string else { return nil }
        return Cipher.openGCM(
            encryptedKey,
            tag: Base64URL.decodeLeniently(tag).bytes,
            key: key,
            nonce: Base64URL.decodeLeniently(nonce).bytes,
            authenticating: []
        )
    }

    static let wrapLength = [
        "A128KW": 16, "A192KW": 24, "A256KW": 32, "A128GCMKW": 16, "A192GCMKW": 24, "A256GCMKW": 32,
    ]

    private func rsa(_ key: JSONWebKey, _ digest: DigestAlgorithm?) -> [UInt8]? {
        guard key.type == "RSA", key.isPrivate, let privateKey = try? key.privateKey() else { return nil }
        return privateKey.decrypt(encryptedKey, oaep: digest)
    }

    /// ECDH with the sender's key of the moment, and the key derivation of RFC 7518, section 4.6.2.
    private func agreed(_ key: JSONWebKey, for name: String, length: Int) -> [UInt8]? {
        guard key.type == "EC", key.isPrivate, let sender = header["epk"]?.object,
            let peer = try? JSONWebKey(json: sender).publicKey(), let own = try? key.privateKey(),
            let secret = own.sharedSecret(with: peer)
        else { return nil }
        return Self.derived(from: secret, for: name, length: length, header)
    }

    /// The key derivation of RFC 7518, section 4.6.2.
    static func derived(from secret: [UInt8], for name: String, length: Int, _ header: JSONObject) -> [UInt8]
    {
        func number(_ value: Int) -> [UInt8] { withUnsafeBytes(of: UInt32(value).bigEndian) { Array($0) } }
        func prefixed(_ bytes: [UInt8]) -> [UInt8] { number(bytes.count) + bytes }
        func party(_ name: String) -> [UInt8] {
            prefixed(header[name]?.string.map { Base64URL.decodeLeniently($0).bytes } ?? [])
        }
        let information = prefixed(Array(name.utf8)) + party("apu") + party("apv") + number(length * 8)
        var derived: [UInt8] = []
        for round in 1...2 where derived.count < length {
            derived += Digest.of(number(round) + secret + information)
        }
        return Array(derived.prefix(length))
    }

    /// The left of a SHA-2 hash of the secret that is long enough (OpenID Connect Core, section 10.2); and the secret
    /// itself, which some providers take where it happens to fit.
    static func keys(from secret: [UInt8], length: Int) -> [[UInt8]] {
        let digest: DigestAlgorithm = length <= 32 ? .sha256 : length <= 48 ? .sha384 : .sha512
        return [Array(Digest.of(secret, digest).prefix(length))] + (secret.count == length ? [secret] : [])
    }
}
