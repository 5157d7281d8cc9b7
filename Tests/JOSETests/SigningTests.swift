import JOSE
import JSON
import LibCrypto
import Testing

/// Every algorithm, there and back.
struct SigningTests {
    private static func key(for algorithm: SignatureAlgorithm) throws -> (SigningKey, JSONWebKey)? {
        let kind: PrivateKey.Kind
        switch algorithm {
        case .hs256, .hs384, .hs512: return nil
        case .rs256, .rs384, .rs512, .ps256, .ps384, .ps512: kind = .rsa(bits: 2048)
        case .es256: kind = .elliptic(.p256)
        case .es384: kind = .elliptic(.p384)
        case .es512: kind = .elliptic(.p521)
        case .es256K: kind = .elliptic(.secp256k1)
        case .edDSA, .ed25519: kind = .edwards(.ed25519)
        case .ed448: kind = .edwards(.ed448)
        }
        let key = try PrivateKey.generate(kind)
        return (.privateKey(key), JSONWebKey(key.publicKey, id: "k", algorithm: algorithm))
    }

    @Test(arguments: SignatureAlgorithm.allCases) func whatIsSignedVerifies(algorithm: SignatureAlgorithm)
        throws
    {
        let secret = Array("a secret of a client".utf8)
        let pair = try Self.key(for: algorithm)
        let text = try JSONWebToken.sign(
            claims: ["sub": "alice"],
            header: ["kid": "k"],
            algorithm: algorithm,
            with: pair?.0 ?? .secret(secret)
        )
        let token = try #require(JSONWebToken.parse(text))
        #expect(token.algorithm == algorithm.rawValue)
        #expect(token.verify(keys: pair.map { [$0.1] } ?? [], secret: secret).outcome == .valid)
    }

    /// EdDSA leaves the curve to the key, and a key may be for it under either name.
    @Test func edDSAGoesWithEitherCurve() throws {
        let key = try PrivateKey.generate(.edwards(.ed448))
        let text = try JSONWebToken.sign(claims: [:], header: [:], algorithm: .edDSA, with: .privateKey(key))
        let token = try #require(JSONWebToken.parse(text))
        let verification = token.verify(keys: [JSONWebKey(key.publicKey, id: nil, algorithm: .ed448)])
        #expect(verification.outcome == .valid)
        #expect(!verification.checks.contains { $0.outcome == .failed })
        let named = try JSONWebToken.sign(
            claims: [:],
            header: [:],
            algorithm: .ed25519,
            with: .privateKey(try PrivateKey.generate(.edwards(.ed25519)))
        )
        let other = try #require(JSONWebToken.parse(named))
        #expect(other.verify(keys: [JSONWebKey(key.publicKey, id: nil, algorithm: .edDSA)]).outcome != .valid)
    }

    @Test func keyThatDoesNotFitIsRefused() throws {
        let key = try PrivateKey.generate(.edwards(.ed25519))
        #expect(throws: OpenSSLError.self) {
            try JSONWebToken.sign(claims: [:], header: [:], algorithm: .rs256, with: .privateKey(key))
        }
        #expect(throws: OpenSSLError.self) {
            try JSONWebToken.sign(claims: [:], header: [:], algorithm: .hs256, with: .privateKey(key))
        }
    }

    /// What several libraries put into tokens instead of r and s side by side.
    @Test func signatureInDERIsNamed() throws {
        let key = try PrivateKey.generate(.elliptic(.p256))
        let text = try JSONWebToken.sign(claims: [:], header: [:], algorithm: .es256, with: .privateKey(key))
        let token = try #require(JSONWebToken.parse(text))
        let der = Self.der(token.signature)
        let head = text.split(separator: ".").dropLast().joined(separator: ".")
        let wrong = try #require(JSONWebToken.parse(head + "." + Base64URL.encode(der)))
        let verification = wrong.verify(keys: [JSONWebKey(key.publicKey, id: nil, algorithm: .es256)])
        #expect(verification.outcome == .invalid)
        #expect(verification.variant == "der")
    }

    private static func der(_ signature: [UInt8]) -> [UInt8] {
        func integer(_ bytes: ArraySlice<UInt8>) -> [UInt8] {
            var bytes = Array(bytes.drop { $0 == 0 })
            if bytes.first.map({ $0 >= 0x80 }) ?? true { bytes.insert(0, at: 0) }
            return [2, UInt8(bytes.count)] + bytes
        }
        let body = integer(signature.prefix(32)) + integer(signature.suffix(32))
        return [0x30, UInt8(body.count)] + body
    }

    /// OpenID Connect Core, section A.3: the hash of the access token in the example of a hybrid answer.
    @Test func halfHashOfTheExample() {
        #expect(
            JSONWebToken.halfHash(of: "jHkWEdUXMU1BwAsC4vtUsZwnNvTIxEl0z9K3vx5KF0Y", algorithm: .rs256)
                == "77QmUPtjPfzWtF2AnpK9RQ"
        )
    }
}
