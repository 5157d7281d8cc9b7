package import JSON

extension JSONWebEncryption {
    /// A compact JWE (RFC 7516, section 7.1) for the holder of a key, or of the client secret.
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
        let sealing = KeySealing(algorithm: algorithm, encryption: encryption, key: key, secret: secret)
        guard let content = sealing.contentKey(in: &header, random) else { return nil }
        let protected = Base64URL.encode(JSONWriter.bytes(of: .object(header)))
        let vector = random(encryption.vectorLength)
        let sealed = encryption.seal(
            plaintext,
            key: content.bytes,
            vector: vector,
            authenticating: Array(protected.utf8)
        )
        guard let sealed else { return nil }
        return [
            protected, Base64URL.encode(content.encrypted), Base64URL.encode(vector),
            Base64URL.encode(sealed.ciphertext), Base64URL.encode(sealed.tag),
        ].joined(separator: ".")
    }
}
