package import JSON
import LibCrypto

extension JSONWebEncryption {
    /// A compact JWE for the holder of a key, or of the client secret.
    ///
    /// `key`: a public key for `RSA-OAEP` and `ECDH-ES` in all their forms; for `dir`, `A128KW`, `A128GCMKW` and the like a
    /// symmetric one, or nil where they derive it from the secret (OpenID Connect Core, section 10.2).
    /// `header`: with `alg` and `enc`, and whatever else is to be in it, as `kid` and `cty`.
    /// `random`: so many random bytes.
    ///
    /// - Returns: nil where key and algorithm do not go together, or the algorithm is not known here.
    package static func sealed(
        _ plaintext: [UInt8],
        key: JSONWebKey?,
        secret: [UInt8]?,
        header: JSONObject,
        random: (Int) -> [UInt8]
    ) -> String? {
        guard let algorithm = header["alg"]?.string,
            let encryption = header["enc"]?.string.flatMap(ContentEncryption.init(rawValue:))
        else { return nil }
        var header = header
        // What another token was made with.
        for name in ["epk", "iv", "tag", "p2s", "p2c", "zip"] { header[name] = nil }
        func shared(_ length: Int) -> [UInt8]? {
            if let own = key?.symmetricKey { return own.count == length ? own : nil }
            return secret.flatMap { keys(from: $0, length: length).first }
        }
        let fresh = random(encryption.keyLength)
        let content: (key: [UInt8], encrypted: [UInt8])?
        switch algorithm {
        case "dir":
            content = shared(encryption.keyLength).map { ($0, []) }
        case "RSA-OAEP": content = rsa(key, fresh, .sha1)
        case "RSA-OAEP-256": content = rsa(key, fresh, .sha256)
        case "RSA-OAEP-384": content = rsa(key, fresh, .sha384)
        case "RSA-OAEP-512": content = rsa(key, fresh, .sha512)
        case "RSA1_5": content = rsa(key, fresh, nil)
        case _ where algorithm.hasPrefix("ECDH-ES"):
            content = agreed(key, fresh, algorithm, encryption, &header)
        case "A128KW", "A192KW", "A256KW":
            let wrapping = shared(wrapLength[algorithm] ?? 0)
            content = wrapping.flatMap { Cipher.wrap(fresh, key: $0) }.map { (fresh, $0) }
        case "A128GCMKW", "A192GCMKW", "A256GCMKW":
            let nonce = random(12)
            let wrapped = shared(wrapLength[algorithm] ?? 0).flatMap {
                Cipher.sealGCM(fresh, key: $0, nonce: nonce, authenticating: [])
            }
            header["iv"] = .string(Base64URL.encode(nonce))
            header["tag"] = wrapped.map { .string(Base64URL.encode($0.tag)) }
            content = wrapped.map { (fresh, $0.ciphertext) }
        default: content = nil
        }
        guard let content else { return nil }
        let protected = Base64URL.encode(JSONWriter.bytes(of: .object(header)))
        let vector = random(encryption.vectorLength)
        let sealed = encryption.seal(
            plaintext,
            key: content.key,
            vector: vector,
            authenticating: Array(protected.utf8)
        )
        guard let sealed else { return nil }
        return [
            protected, Base64URL.encode(content.encrypted), Base64URL.encode(vector),
            Base64URL.encode(sealed.ciphertext), Base64URL.encode(sealed.tag),
        ].joined(separator: ".")
    }

    private static func rsa(_ key: JSONWebKey?, _ content: [UInt8], _ digest: DigestAlgorithm?) -> (
        key: [UInt8], encrypted: [UInt8]
    )? {
        guard let key, key.type == "RSA", let publicKey = try? key.publicKey() else { return nil }
        return publicKey.encrypt(content, oaep: digest).map { (content, $0) }
    }

    /// ECDH with a key of the moment, which goes into the header (RFC 7518, section 4.6).
    private static func agreed(
        _ key: JSONWebKey?,
        _ content: [UInt8],
        _ algorithm: String,
        _ encryption: ContentEncryption,
        _ header: inout JSONObject
    ) -> (key: [UInt8], encrypted: [UInt8])? {
        guard let key, key.type == "EC", let curve = key.curve.flatMap(EllipticCurve.init(rawValue:)),
            let peer = try? key.publicKey(), let own = try? PrivateKey.generate(.elliptic(curve)),
            let secret = own.sharedSecret(with: peer)
        else { return nil }
        let members = JSONWebKey(own.publicKey, id: nil).json.members.filter { $0.name != "use" }
        header["epk"] = .object(JSONObject(members))
        if algorithm == "ECDH-ES" {
            let name = encryption.rawValue
            return (derived(from: secret, for: name, length: encryption.keyLength, header), [])
        }
        guard let length = wrapLength[String(algorithm.dropFirst("ECDH-ES+".count))] else { return nil }
        let wrapping = derived(from: secret, for: algorithm, length: length, header)
        return Cipher.wrap(content, key: wrapping).map { (content, $0) }
    }
}
