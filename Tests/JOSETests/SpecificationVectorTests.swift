import JOSE
import JSON
import LibCrypto
import TestSupport
import Testing

/// The examples of the RFCs, and each of them with one thing changed.
struct SpecificationVectorTests {
    static let signed = ["rfc7515-a.1", "rfc7515-a.2", "rfc7515-a.3", "rfc7515-a.4", "rfc8037-a.4"]

    private func example(_ name: String) throws -> (token: JSONWebToken, key: JSONWebKey) {
        let vector = try Vectors.named(name)
        let token = try #require(vector["token"]?.string.flatMap(JSONWebToken.parse))
        return (token, JSONWebKey(json: vector["key"]?.object ?? JSONObject()))
    }

    @Test(arguments: signed) func signatureOfTheExampleIsValid(name: String) throws {
        let (token, key) = try example(name)
        let verification = token.verify(keys: [key])
        #expect(verification.outcome == .valid, "\(verification.checks)")
        #expect(verification.key == key)
    }

    @Test(arguments: signed) func oneBitOfTheSignatureMakesItInvalid(name: String) throws {
        let (token, key) = try example(name)
        var signature = token.signature
        signature[signature.count / 2] ^= 1
        let head = token.text.split(separator: ".").dropLast().joined(separator: ".")
        let altered = try #require(JSONWebToken.parse(head + "." + Base64URL.encode(signature)))
        #expect(altered.verify(keys: [key]).outcome == .invalid)
    }

    @Test(arguments: signed) func anotherPayloadMakesItInvalid(name: String) throws {
        let (token, key) = try example(name)
        let parts = token.text.split(separator: ".")
        let altered = try #require(
            JSONWebToken.parse("\(parts[0]).\(Base64URL.encode(Array("{}".utf8))).\(parts[2])")
        )
        #expect(altered.verify(keys: [key]).outcome == .invalid)
    }

    @Test(arguments: signed) func withoutKeysNothingIsSaidOfTheSignature(name: String) throws {
        #expect(try example(name).token.verify(keys: []).outcome == .unknownKey)
    }

    @Test func unsecuredExampleIsUnsignedWhateverKeysThereAre() throws {
        let vector = try Vectors.named("rfc7515-a.5")
        let token = try #require(vector["token"]?.string.flatMap(JSONWebToken.parse))
        #expect(token.verify(keys: [try example("rfc7515-a.1").key], secret: [1, 2, 3]).outcome == .unsigned)
        #expect(token.signature.isEmpty)
    }

    @Test(arguments: ["rfc7638-3.1", "rfc8037-a.4"]) func thumbprint(name: String) throws {
        let vector = try Vectors.named(name)
        let key = JSONWebKey(json: vector["key"]?.object ?? JSONObject())
        #expect(key.thumbprint == vector["thumbprint"]?.string)
    }

    @Test func challengeOfTheVerifier() throws {
        let vector = try Vectors.named("rfc7636-b")
        let hash = Digest.of((vector["code_verifier"]?.string ?? "").utf8)
        #expect(Base64URL.encode(hash) == vector["code_challenge"]?.string)
    }

    /// RFC 7515, appendix A.1, has line breaks in its JSON; the claims read all the same.
    @Test func claimsOfTheFirstExample() throws {
        let (token, _) = try example("rfc7515-a.1")
        #expect(token.algorithm == "HS256" && token.type == "JWT")
        #expect(token.issuer == "joe")
        #expect(token.expiresAt == 1_300_819_380)
        #expect(token.claim("http://example.com/is_root") == true)
        #expect(token.deviations.isEmpty)
    }
}
