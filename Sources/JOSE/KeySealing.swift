import JSON
import LibCrypto

/// The key that a token's content is encrypted with.
struct ContentKey {
    var bytes: [UInt8]
    /// As it stands in the token for its recipient; empty where that knows it already.
    var encrypted: [UInt8]
}

/// Makes the content's key of a token, and closes it for who is to read it (RFC 7518, section 4).
struct KeySealing {
    let algorithm: String
    let encryption: ContentEncryption
    /// The recipient's.
    let key: JSONWebKey?
    /// The client's, which keys are derived from.
    let secret: [UInt8]?

    /// Nil where key and algorithm do not go together, or the algorithm is not known here.
    ///
    /// `header`: what the recipient has to know is added.
    func contentKey(in header: inout JSONObject, _ random: (Int) -> [UInt8]) -> ContentKey? {
        let fresh = random(encryption.keyLength)
        switch algorithm {
        case "dir": return shared(encryption.keyLength).map { ContentKey(bytes: $0, encrypted: []) }
        case "RSA-OAEP": return encrypted(fresh, .sha1)
        case "RSA-OAEP-256": return encrypted(fresh, .sha256)
        case "RSA-OAEP-384": return encrypted(fresh, .sha384)
        case "RSA-OAEP-512": return encrypted(fresh, .sha512)
        case "RSA1_5": return encrypted(fresh, nil)
        case _ where algorithm.hasPrefix("ECDH-ES"): return agreed(fresh, &header)
        case "A128KW", "A192KW", "A256KW":
            return shared(JSONWebEncryption.wrapLength[algorithm] ?? 0).flatMap { wrapped(fresh, $0) }
        case "A128GCMKW", "A192GCMKW", "A256GCMKW": return sealed(fresh, nonce: random(12), &header)
        default: return nil
        }
    }

    /// A symmetric key of a length that both know.
    private func shared(_ length: Int) -> [UInt8]? {
        if let own = key?.symmetricKey { return own.count == length ? own : nil }
        return secret.flatMap { JSONWebEncryption.keys(from: $0, length: length).first }
    }

    private func encrypted(_ content: [UInt8], _ digest: DigestAlgorithm?) -> ContentKey? {
        guard let key, key.type == "RSA", let publicKey = try? key.publicKey() else { return nil }
        return publicKey.encrypt(content, oaep: digest).map { ContentKey(bytes: content, encrypted: $0) }
    }

    private func wrapped(_ content: [UInt8], _ key: [UInt8]) -> ContentKey? {
        Cipher.wrap(content, key: key).map { ContentKey(bytes: content, encrypted: $0) }
    }

    /// With AES in Galois/Counter Mode, whose nonce and tag go into the header (RFC 7518, section 4.7).
    private func sealed(_ content: [UInt8], nonce: [UInt8], _ header: inout JSONObject) -> ContentKey? {
        let sealed = shared(JSONWebEncryption.wrapLength[algorithm] ?? 0).flatMap {
            Cipher.sealGCM(content, key: $0, nonce: nonce, authenticating: [])
        }
        header["iv"] = .string(Base64URL.encode(nonce))
        header["tag"] = sealed.map { .string(Base64URL.encode($0.tag)) }
        return sealed.map { ContentKey(bytes: content, encrypted: $0.ciphertext) }
    }

    /// ECDH with a key of the moment, which goes into the header (RFC 7518, section 4.6).
    private func agreed(_ content: [UInt8], _ header: inout JSONObject) -> ContentKey? {
        guard let key, key.type == "EC", let curve = key.curve.flatMap(EllipticCurve.init(rawValue:)),
            let peer = try? key.publicKey(), let own = try? PrivateKey.generate(.elliptic(curve)),
            let secret = own.sharedSecret(with: peer)
        else { return nil }
        let members = JSONWebKey(own.publicKey, id: nil).json.members.filter { $0.name != "use" }
        header["epk"] = .object(JSONObject(members))
        let derived = { [header] (name: String, length: Int) in
            JSONWebEncryption.derived(from: secret, for: name, length: length, header)
        }
        if algorithm == "ECDH-ES" {
            return ContentKey(bytes: derived(encryption.rawValue, encryption.keyLength), encrypted: [])
        }
        let wrap = String(algorithm.dropFirst("ECDH-ES+".count))
        return JSONWebEncryption.wrapLength[wrap].flatMap { wrapped(content, derived(algorithm, $0)) }
    }
}
