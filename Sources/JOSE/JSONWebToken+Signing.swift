package import JSON
package import LibCrypto

/// What a token is signed with.
package enum SigningKey: Sendable {
    case privateKey(PrivateKey)
    case secret([UInt8])
}

extension JSONWebToken {
    /// Makes a compact JWS.
    ///
    /// `algorithm`: goes into the header as `alg`.
    /// `header`: further members, e.g. `kid` and `typ`.
    /// Throws when the key does not fit the algorithm.
    package static func sign(
        claims: JSONObject,
        header: JSONObject,
        algorithm: SignatureAlgorithm,
        with key: SigningKey
    ) throws(OpenSSLError) -> String {
        let full = JSONObject(
            [JSONObject.Member(name: "alg", value: .string(algorithm.rawValue))] + header.members
        )
        let input =
            Base64URL.encode(JSONWriter.bytes(of: .object(full))) + "."
            + Base64URL.encode(JSONWriter.bytes(of: .object(claims)))
        let signature: [UInt8]
        switch (key, algorithm.scheme) {
        case (.privateKey(let key), let scheme?): signature = try key.sign(Array(input.utf8), scheme)
        case (.secret(let secret), nil):
            signature = MessageAuthentication.hmac(Array(input.utf8), key: secret, algorithm.digest)
        default: throw OpenSSLError(what: "the key does not fit \(algorithm.rawValue)", reason: "")
        }
        return input + "." + Base64URL.encode(signature)
    }

    /// The left half of a hash, as `at_hash`, `c_hash` and `s_hash` carry it (OpenID Connect Core, section
    /// 3.1.3.6).
    package static func halfHash(of value: String, algorithm: SignatureAlgorithm) -> String {
        let hash = Digest.of(value.utf8, algorithm.digest)
        return Base64URL.encode(hash.prefix(hash.count / 2))
    }
}
