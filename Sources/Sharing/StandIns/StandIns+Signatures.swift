import JOSE
import JSON
import LibCrypto

/// Keys and signatures: whose key verifies a token, and what stands for it.
extension StandIns {
    /// Whose key verifies a token, of all that the captures hold.
    func verification(of text: String) -> (key: JSONWebKey?, secret: String?, isDER: Bool) {
        guard let token = JSONWebToken.parse(text), token.form == .signed else { return (nil, nil, false) }
        var candidates: [JSONWebKey] = []
        if let own = token.header?["jwk"]?.object { candidates.append(JSONWebKey(json: own)) }
        let algorithm = token.algorithm.flatMap(SignatureAlgorithm.init(rawValue:))
        candidates += found.keys.values.filter { key in
            key.type == algorithm?.keyType && (token.keyID == nil || key.id == nil || key.id == token.keyID)
        }
        if algorithm?.isSymmetric ?? false {
            for secret in found.clientSecrets
            where token.verify(keys: [], secret: Array(secret.utf8)).outcome == .valid {
                return (nil, secret, false)
            }
        }
        for candidate in candidates {
            // Each by itself: the token's own words for its key were looked at above.
            var bare = candidate.json
            bare["kid"] = token.keyID.map(JSONValue.string)
            bare["use"] = nil
            let verification = token.verify(keys: [JSONWebKey(json: bare)])
            if verification.outcome == .valid { return (candidate, nil, false) }
            if verification.variant == "der" { return (candidate, nil, true) }
        }
        return (nil, nil, false)
    }

    func privateKey(for key: JSONWebKey) -> PrivateKey? { keys.privateKey(for: key) }

    /// What stands for a key that is shared by two, of the same length.
    func symmetricKey(for key: JSONWebKey) -> JSONWebKey? {
        guard key.type == "oct", let k = key.json["k"]?.string else { return nil }
        var json = key.json
        json["k"] = .string(standIn(for: k))
        return JSONWebKey(json: json)
    }

    /// What is inside of an encrypted token; nil where nothing of the captures opens it.
    func opened(_ token: JSONWebToken) -> OpenedToken? { found.opened[token.text] }

    /// A text of the same shape, for what means nothing: a signature that no key verifies.
    func shaped(_ text: String) -> String {
        Self.withoutStrayBits(String(decoding: cipher(Array(text.utf8)), as: UTF8.self), like: text)
    }

    /// So many bytes that stand for those of a text.
    func bytes(_ count: Int, for text: String) -> [UInt8] {
        var hash = KeyedHash(key: key)
        hash.absorb(3)
        hash.absorb(text.utf8)
        var output: [UInt8] = []
        while output.count < count {
            hash.absorb(0)
            let value = hash.value
            for place in 0..<8 where output.count < count {
                output.append(UInt8(truncatingIfNeeded: value >> (8 * UInt64(place))))
            }
        }
        return output
    }
}
