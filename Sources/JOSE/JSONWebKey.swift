package import JSON
package import LibCrypto

/// A key as JSON (RFC 7517), as it was served: nothing is refused until it is used.
package struct JSONWebKey: Sendable, Hashable {
    /// All members, those that nobody defines included.
    package let json: JSONObject

    /// Takes an object for a key, whatever is in it.
    package init(json: JSONObject) { self.json = json }

    /// `kty`: `RSA`, `EC`, `OKP` or `oct`.
    package var type: String? { json["kty"]?.string }
    /// `kid`, which a set may have twice.
    package var id: String? { json["kid"]?.string }
    /// `use`: `sig` or `enc`; nil where it is for both.
    package var use: String? { json["use"]?.string }
    /// `key_ops`; nil where nothing is said.
    package var operations: [String]? { json["key_ops"]?.array?.compactMap(\.string) }
    /// `alg` that the key is for; nil where it is for all that fit.
    package var algorithm: String? { json["alg"]?.string }
    /// `crv` of `EC` and `OKP` keys.
    package var curve: String? { json["crv"]?.string }

    /// Whether it carries the private half of a pair (RFC 7518, sections 6.2.2 and 6.3.2; RFC 8037, section 2).
    package var isPrivate: Bool { ["d", "p", "q", "dp", "dq", "qi", "oth"].contains { json[$0] != nil } }

    /// Whether only its owner may know it: the private half of a pair, or a symmetric key (RFC 7518, section 6.4).
    package var holdsSecret: Bool { isPrivate || type == "oct" }

    /// The bytes of a symmetric key; nil for other kinds.
    package var symmetricKey: [UInt8]? {
        guard type == "oct", let k = json["k"]?.string else { return nil }
        return Base64URL.decodeLeniently(k).bytes
    }

    /// The key for verifying.
    ///
    /// - Throws: ``JSONWebKeyError`` with the member that is missing or wrong.
    package func publicKey() throws(JSONWebKeyError) -> PublicKey {
        do {
            switch type {
            case "RSA": return try PublicKey(rsaModulus: try member("n"), exponent: try member("e"))
            case "EC":
                guard let curve = curve.flatMap(EllipticCurve.init(rawValue:)) else {
                    throw JSONWebKeyError(reason: "curve \(curve ?? "missing") is not supported")
                }
                return try PublicKey(curve: curve, x: try member("x"), y: try member("y"))
            case "OKP":
                guard let curve = curve.flatMap(EdwardsCurve.init(rawValue:)) else {
                    throw JSONWebKeyError(reason: "curve \(curve ?? "missing") is not supported")
                }
                return try PublicKey(curve: curve, bytes: try member("x"))
            default: throw JSONWebKeyError(reason: "kty \(type ?? "missing") is no public key")
            }
        } catch let error as JSONWebKeyError {
            throw error
        } catch {
            throw JSONWebKeyError(reason: "\(error)")
        }
    }

    /// The key for decrypting, of RSA and EC keys that carry their private members.
    ///
    /// - Throws: ``JSONWebKeyError`` with the member that is missing or wrong.
    package func privateKey() throws(JSONWebKeyError) -> PrivateKey {
        do {
            switch type {
            case "RSA":
                let rest = ["p", "q", "dp", "dq", "qi"]
                let names = ["n", "e", "d"] + (rest.allSatisfy { json[$0] != nil } ? rest : [])
                return try PrivateKey(rsaNumbers: try names.map { try member($0) })
            case "EC":
                guard let curve = curve.flatMap(EllipticCurve.init(rawValue:)) else {
                    throw JSONWebKeyError(reason: "curve \(curve ?? "missing") is not supported")
                }
                return try PrivateKey(
                    curve: curve,
                    x: try member("x"),
                    y: try member("y"),
                    d: try member("d")
                )
            default:
                throw JSONWebKeyError(reason: "kty \(type ?? "missing") is no private key that is used here")
            }
        } catch let error as JSONWebKeyError {
            throw error
        } catch {
            throw JSONWebKeyError(reason: "\(error)")
        }
    }

    private func member(_ name: String) throws(JSONWebKeyError) -> [UInt8] {
        guard let text = json[name]?.string else {
            throw JSONWebKeyError(reason: "member \(name) is missing")
        }
        return Base64URL.decodeLeniently(text).bytes
    }

    /// The JWK of a public key, with what a key set says of it.
    package init(_ key: PublicKey, id: String?, algorithm: SignatureAlgorithm? = nil) {
        var members: [(String, JSONValue)] = []
        switch key.kind {
        case .rsa:
            let parts = key.rsaParts ?? ([], [])
            members = [
                ("kty", "RSA"), ("n", .string(Base64URL.encode(parts.modulus))),
                ("e", .string(Base64URL.encode(parts.exponent))),
            ]
        case .elliptic(let curve):
            let parts = key.ellipticParts ?? ([], [])
            members = [
                ("kty", "EC"), ("crv", .string(curve.rawValue)), ("x", .string(Base64URL.encode(parts.x))),
                ("y", .string(Base64URL.encode(parts.y))),
            ]
        case .edwards(let curve):
            members = [
                ("kty", "OKP"), ("crv", .string(curve.rawValue)),
                ("x", .string(Base64URL.encode(key.edwardsBytes ?? []))),
            ]
        }
        if let id { members.append(("kid", .string(id))) }
        if let algorithm { members.append(("alg", .string(algorithm.rawValue))) }
        members.append(("use", "sig"))
        json = JSONObject(members)
    }

    /// The SHA-256 thumbprint (RFC 7638), base64url; nil for kinds it does not define.
    package var thumbprint: String? {
        let required: [String]
        switch type {
        case "RSA": required = ["e", "kty", "n"]
        case "EC": required = ["crv", "kty", "x", "y"]
        case "OKP": required = ["crv", "kty", "x"]
        case "oct": required = ["k", "kty"]
        default: return nil
        }
        var members: [(String, JSONValue)] = []
        for name in required {
            guard let value = json[name] else { return nil }
            members.append((name, value))
        }
        return Base64URL.encode(Digest.of(JSONWriter.bytes(of: .object(JSONObject(members)))))
    }
}
