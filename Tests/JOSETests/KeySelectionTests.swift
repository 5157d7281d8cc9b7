import JOSE
import JSON
import LibCrypto
import Testing

/// Which key verifies, and what is said when none does.
struct KeySelectionTests {
    private static let first = key()
    private static let second = key()

    private static func key() -> PrivateKey {
        // Generation fails only without entropy, and then nothing here means anything.
        guard let key = try? PrivateKey.generate(.elliptic(.p256)) else { preconditionFailure("no key") }
        return key
    }

    private func token(_ header: JSONObject, by key: PrivateKey = first) throws -> JSONWebToken {
        let text = try JSONWebToken.sign(
            claims: ["sub": "alice"],
            header: header,
            algorithm: .es256,
            with: .privateKey(key)
        )
        return try #require(JSONWebToken.parse(text))
    }

    private func jwk(_ key: PrivateKey, _ id: String?) -> JSONWebKey {
        JSONWebKey(key.publicKey, id: id, algorithm: .es256)
    }

    @Test func keyThatIsNamedVerifies() throws {
        let verification = try token(["kid": "b"]).verify(keys: [jwk(Self.second, "a"), jwk(Self.first, "b")])
        #expect(verification.outcome == .valid)
        #expect(verification.key?.id == "b")
    }

    @Test func nameThatNoKeyHasIsAnUnknownKeyAndTheOthersAreListed() throws {
        let verification = try token(["kid": "c"]).verify(keys: [jwk(Self.first, "a"), jwk(Self.second, "b")])
        #expect(verification.outcome == .unknownKey)
        #expect(verification.checks.contains { $0.detail == "c is not among a, b" })
    }

    @Test func withoutANameAllThatFitAreTried() throws {
        let verification = try token([:]).verify(keys: [jwk(Self.second, "a"), jwk(Self.first, "b")])
        #expect(verification.outcome == .valid)
        #expect(verification.key?.id == "b")
    }

    /// Of the keys that are there, those of another type cannot have made it.
    @Test func withoutANameTheOnesThatFitDecide() throws {
        let other = JSONWebKey(json: ["kty": "OKP", "crv": "Ed25519", "kid": "o", "x": "AA"])
        #expect(try token([:]).verify(keys: [jwk(Self.second, "a"), other]).outcome == .invalid)
        #expect(try token([:]).verify(keys: [jwk(Self.first, "a"), other]).outcome == .valid)
        let broken = JSONWebKey(json: ["kty": "EC", "crv": "P-256", "kid": "b", "x": "AA", "y": "AA"])
        #expect(try token([:]).verify(keys: [jwk(Self.second, "a"), broken]).outcome == .unknownKey)
        #expect(try token([:]).verify(keys: [other]).outcome == .unknownKey)
    }

    @Test func namedKeyThatDoesNotVerifyIsInvalid() throws {
        #expect(try token(["kid": "a"]).verify(keys: [jwk(Self.second, "a")]).outcome == .invalid)
    }

    @Test func keyOfAnotherTypeIsNotTried() throws {
        let other = JSONWebKey(json: ["kty": "OKP", "crv": "Ed25519", "kid": "a", "x": "AA"])
        let verification = try token(["kid": "a"]).verify(keys: [other])
        #expect(verification.outcome == .invalid)
        #expect(verification.checks.contains { $0.outcome == .failed && $0.detail.contains("OKP") })
    }

    @Test func keyForEncryptionIsNotTried() throws {
        var object = jwk(Self.first, "a").json
        object["use"] = "enc"
        #expect(try token(["kid": "a"]).verify(keys: [JSONWebKey(json: object)]).outcome == .unknownKey)
    }

    /// A private key that somebody published has the one operation, its public half the other (RFC 7517, section 4.3).
    @Test(arguments: [
        (["verify"], SignatureOutcome.valid), (["sign"], .valid), (["encrypt"], .unknownKey),
    ])
    func keyForOtherOperationsIsNotTried(operations: [String], expected: SignatureOutcome) throws {
        var object = jwk(Self.first, "a").json
        object["key_ops"] = .array(operations.map { .string($0) })
        let verification = try token(["kid": "a"]).verify(keys: [JSONWebKey(json: object)])
        #expect(verification.outcome == expected)
    }

    @Test func unusableKeyIsSaidToBeSo() throws {
        let broken = JSONWebKey(json: ["kty": "EC", "crv": "P-256", "kid": "a", "x": "AA", "y": "AA"])
        let verification = try token(["kid": "a"]).verify(keys: [broken])
        #expect(verification.outcome == .notChecked)
        #expect(verification.checks.contains { $0.name == "key" && $0.outcome == .failed })
    }

    @Test func clientSecretVerifiesAnHMAC() throws {
        let text = try JSONWebToken.sign(
            claims: ["sub": "alice"],
            header: [:],
            algorithm: .hs256,
            with: .secret(Array("secret".utf8))
        )
        let parsed = try #require(JSONWebToken.parse(text))
        #expect(parsed.verify(keys: [], secret: Array("secret".utf8)).outcome == .valid)
        #expect(parsed.verify(keys: [], secret: Array("other".utf8)).outcome == .invalid)
        #expect(parsed.verify(keys: []).outcome == .unknownKey)
    }

    /// RFC 8725, section 3.1: a public key must not be taken for an HMAC secret.
    @Test func publicKeyIsNoSecret() throws {
        let text = try JSONWebToken.sign(
            claims: [:],
            header: [:],
            algorithm: .hs256,
            with: .secret(Array(Self.first.pem.utf8))
        )
        let parsed = try #require(JSONWebToken.parse(text))
        #expect(parsed.verify(keys: [jwk(Self.first, nil)]).outcome == .unknownKey)
    }
}
