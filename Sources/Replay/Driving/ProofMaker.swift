import Captures
import JOSE
import JSON
import LibCrypto
import OAuth

/// Signs anew what a client signs: assertions (RFC 7523), request objects (RFC 9101), DPoP proofs (RFC 9449).
///
/// Header and claims are the recording's, mistakes included; times keep their distance from the request, names
/// that have to be unique are made anew.
struct ProofMaker {
    /// A time in a claim this far from the request is one of the request, and moves with it.
    private static let nearness: Int64 = 366 * 86_400

    let credentials: ReplayCredentials
    let random: @Sendable (Int) -> [UInt8]
    /// The key of this run's DPoP proofs; made when it is needed.
    private var proofKey: PrivateKey?

    init(credentials: ReplayCredentials, random: @escaping @Sendable (Int) -> [UInt8]) {
        self.credentials = credentials
        self.random = random
    }

    /// A JWT of the client with the claims of a recorded one.
    ///
    /// `secret`: the client's, for symmetric algorithms; `given`: what is wanted in place of claims that it has, empty where
    /// one is to be left out; `replacing`: what stands for a recorded text in this run, in the claim of this name.
    func signed(
        _ recorded: JSONWebToken,
        name: String,
        recordedAt: Timestamp,
        now: Timestamp,
        secret: String?,
        saying given: [String: String],
        replacing: (String, _ name: String) -> String
    ) throws(StepFailure) -> String {
        var claims = moved(recorded.claims ?? JSONObject(), from: recordedAt, to: now, replacing)
        for (name, text) in given { claims[name] = claims[name].flatMap { Self.claim(text, inPlaceOf: $0) } }
        var header = recorded.header ?? JSONObject()
        let algorithm = recorded.algorithm.flatMap(SignatureAlgorithm.init(rawValue:))
        guard let algorithm else {
            guard recorded.algorithm == "none" else {
                throw .cannotSign(name: name, reason: "alg \(recorded.algorithm ?? "missing") is not known")
            }
            return [header, claims].map { Base64URL.encode(JSONWriter.bytes(of: .object($0))) }
                .joined(separator: ".") + "."
        }
        header["alg"] = nil
        let key: SigningKey
        if algorithm.isSymmetric {
            guard let secret else { throw .secretMissing(SecretNames.clientSecret) }
            key = .secret(Array(secret.utf8))
        } else {
            guard let given = credentials.clientKey else { throw .secretMissing(SecretNames.clientKey) }
            if let id = given.id { header["kid"] = .string(id) }
            key = .privateKey(given.key)
        }
        return try sign(claims, header, algorithm, key, name)
    }

    /// A DPoP proof for a request, like the recorded one.
    ///
    /// `nonce`: the latest that the server gave; `url`: of the request in this run; `tokenHash`: of the access token sent
    /// with it, where the recorded proof carried the right one.
    mutating func proof(
        like recorded: JSONWebToken,
        recordedAt: Timestamp,
        now: Timestamp,
        nonce: String?,
        tokenHash: String?,
        replacing: (String, _ name: String) -> String
    ) throws(StepFailure) -> String {
        let algorithm = recorded.algorithm.flatMap(SignatureAlgorithm.init(rawValue:)) ?? .es256
        let key = try proofKey(for: algorithm)
        var claims = moved(recorded.claims ?? JSONObject(), from: recordedAt, to: now, replacing)
        if let nonce { claims["nonce"] = .string(nonce) }
        if let tokenHash { claims["ath"] = .string(tokenHash) }
        var header = recorded.header ?? JSONObject()
        header["alg"] = nil
        if header["jwk"] != nil {
            var jwk = JSONWebKey(key.publicKey, id: nil).json
            jwk["use"] = nil
            header["jwk"] = .object(jwk)
        }
        return try sign(claims, header, algorithm, .privateKey(key), "DPoP")
    }

    /// The thumbprint of the key of this run's proofs (`dpop_jkt`, RFC 9449, section 10).
    mutating func thumbprint(for algorithm: SignatureAlgorithm) throws(StepFailure) -> String {
        JSONWebKey(try proofKey(for: algorithm).publicKey, id: nil).thumbprint ?? ""
    }

    private mutating func proofKey(for algorithm: SignatureAlgorithm) throws(StepFailure) -> PrivateKey {
        if let proofKey { return proofKey }
        let kind: PrivateKey.Kind =
            switch algorithm.keyType {
            case "RSA": .rsa(bits: 2048)
            case "OKP": .edwards(algorithm.curves.first.flatMap(EdwardsCurve.init(rawValue:)) ?? .ed25519)
            default: .elliptic(algorithm.curves.first.flatMap(EllipticCurve.init(rawValue:)) ?? .p256)
            }
        do {
            let key = try PrivateKey.generate(kind)
            proofKey = key
            return key
        } catch {
            throw .cannotSign(name: "DPoP", reason: "\(error)")
        }
    }

    private func sign(
        _ claims: JSONObject,
        _ header: JSONObject,
        _ algorithm: SignatureAlgorithm,
        _ key: SigningKey,
        _ name: String
    ) throws(StepFailure) -> String {
        do {
            return try JSONWebToken.sign(claims: claims, header: header, algorithm: algorithm, with: key)
        } catch {
            throw .cannotSign(name: name, reason: "\(error)")
        }
    }

    /// The claims at another time, with the values of this run in them.
    private func moved(
        _ claims: JSONObject,
        from recordedAt: Timestamp,
        to now: Timestamp,
        _ replacing: (String, _ name: String) -> String
    ) -> JSONObject {
        let near = (recordedAt.seconds - Self.nearness)...(recordedAt.seconds + Self.nearness)
        var result = claims
        result.members = claims.members.map { member in
            var member = member
            switch (member.name, member.value) {
            case ("exp", .number(let number)), ("iat", .number(let number)), ("nbf", .number(let number)):
                guard let time = number.int, near.contains(time) else { break }
                member.value = JSONValue(now.seconds + time - recordedAt.seconds)
            case ("jti", .string(let text)):
                member.value = .string(FreshValue.scrambled(text, random))
            case (let name, let value):
                member.value = Self.replaced(value) { replacing($0, name) }
            }
            return member
        }
        return result
    }

    /// What a claim says that is given as text: a text, or a value like the one that it goes in place of (`max_age` is a number,
    /// `claims` an object); nil where it is empty, and the claim left out.
    private static func claim(_ text: String, inPlaceOf recorded: JSONValue) -> JSONValue? {
        guard !text.isEmpty else { return nil }
        if case .string = recorded { return .string(text) }
        let value = try? JSONParser.parse(Array(text.utf8))
        return value?.typeName == recorded.typeName ? value : .string(text)
    }

    /// Every string of a JSON value replaced.
    static func replaced(_ value: JSONValue, _ replacing: (String) -> String) -> JSONValue {
        switch value {
        case .string(let text): return .string(replacing(text))
        case .array(let elements): return .array(elements.map { replaced($0, replacing) })
        case .object(var object):
            object.members = object.members.map { member in
                JSONObject.Member(name: member.name, value: replaced(member.value, replacing))
            }
            return .object(object)
        default: return value
        }
    }
}
