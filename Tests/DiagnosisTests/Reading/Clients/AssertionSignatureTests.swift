import Captures
import Diagnosis
import DiagnosisTestSupport
import Flows
import JOSE
import JSON
import OAuth
import TestSupport
import Testing

/// Signatures that nobody can verify: of their algorithm nothing is said, the refusal's own finding tells of them.
struct AssertionSignatureTests {
    private let rule = "client-assertion-alg"
    private let symptom = "token-invalid-client"
    private let refused = "token-request/client-assertion-audience.near-miss"
    private let der = "The client assertion's signature is in DER"
    private let unknown = "The client assertion's key is not in the app's key set"
    private let unnamed = "The client assertion names no key"
    private let own = "https://www.shop.example/jwks.json"

    /// A refused client whose assertion has another header, and another signature.
    private func asserting(_ header: String, _ signature: [UInt8] = Array(repeating: 7, count: 64)) throws
        -> Recording
    {
        let recording = try Recording(refused)
        let sent = recording.exchanges.compactMap {
            FormBody.items(of: $0.request.body)?.first("client_assertion")
        }
        let token = try #require(sent.last)
        let claims = token.split(separator: ".")[1]
        return recording.sending(
            "client_assertion",
            "\(encoded(header)).\(claims).\(Base64URL.encode(signature))"
        )
    }

    private func publishing(_ kids: [String], at url: String, in recording: Recording) throws -> Recording {
        let before = try #require(recording.exchanges.first).startedAt - .seconds(1)
        return try recording.publishing(kids, at: url, before)
    }

    /// What is said of the refusal; that no algorithm is blamed is looked at each time.
    private func refusal(of recording: Recording) throws -> Finding {
        #expect(recording.finding(rule) == nil)
        let finding = try #require(recording.finding(symptom))
        #expect(finding.isPrimary)
        return finding
    }

    @Test func namesDER() throws {
        let integer: [UInt8] = [2, 32] + Array(repeating: 7, count: 32)
        let recording = try asserting(#"{"alg":"ES256","kid":"k"}"#, [0x30, 68] + integer + integer)
        #expect(try refusal(of: recording).title == der)
        let side = try asserting(#"{"alg":"ES256","kid":"k"}"#, [0x30, 62] + Array(repeating: 7, count: 62))
        #expect(try refusal(of: side).title != der)
    }

    @Test func namesAKeyThatTheAppDoesNotPublish() throws {
        let assertion = try asserting(#"{"alg":"ES256","kid":"new"}"#)
        #expect(try refusal(of: assertion).title != unknown)
        let finding = try refusal(of: publishing(["old"], at: own, in: assertion))
        #expect(finding.title == unknown)
        #expect(finding.evidence.map(\.value).suffix(2) == ["new", "old"])
        #expect(try refusal(of: publishing(["new"], at: own, in: assertion)).title != unknown)
        // Somebody else's keys.
        let other = "https://login.elsewhere.example/jwks.json"
        #expect(try refusal(of: publishing(["old"], at: other, in: assertion)).title != unknown)
    }

    @Test func wantsTheKeyNamedWhereThereAreSeveral() throws {
        let assertion = try asserting(#"{"alg":"ES256"}"#)
        #expect(try refusal(of: publishing(["a", "b"], at: own, in: assertion)).title == unnamed)
        #expect(try refusal(of: publishing(["a"], at: own, in: assertion)).title != unnamed)
    }

    @Test func leavesKeysOfAClientAloneThatWasLetIn() throws {
        let recording = try publishing(["old"], at: own, in: asserting(#"{"alg":"ES256","kid":"new"}"#))
            .granted()
        #expect(recording.finding(rule) == nil)
        #expect(recording.finding(symptom) == nil)
    }

    /// Keys of another kind, and those to encrypt with, sign no assertion.
    @Test(
        arguments: [
            (["kty": "RSA", "kid": "b", "n": "AQAB", "e": "AQAB"], false),
            (["kty": "EC", "crv": "P-256", "kid": "b", "x": "AA", "y": "AA", "use": "enc"], false),
            (["kty": "EC", "crv": "P-256", "kid": "b", "x": "AA", "y": "AA", "use": "sig"], true),
        ] as [(JSONValue, Bool)]
    )
    func countsTheKeysThatMayHaveSigned(other: JSONValue, isOne: Bool) throws {
        let key: JSONValue = ["kty": "EC", "crv": "P-256", "kid": "a", "x": "AA", "y": "AA"]
        let recording = try publishing(["a"], at: own, in: asserting(#"{"alg":"ES256"}"#))
            .stating("keys", [key, other], at: "/jwks.json")
        #expect((try refusal(of: recording).title == unnamed) == isOne)
    }

    /// The provider cannot have seen what was published after its answer.
    @Test func keySetThatIsReadLaterSaysNothing() throws {
        let assertion = try asserting(#"{"alg":"ES256","kid":"new"}"#)
        let later = try #require(assertion.exchanges.last).endedAt + .seconds(1)
        #expect(try refusal(of: assertion.publishing(["old"], at: own, later)).title != unknown)
    }

    /// Singpass wants it named, however many keys there are.
    @Test(arguments: [("https://stg-id.singpass.gov.sg/", true), ("https://id.elsewhere.example/", false)])
    func singpassWantsTheKeyNamed(provider: String, isOne: Bool) throws {
        let recording = try asserting(#"{"alg":"ES256"}"#).withEndpoints { provider + $0 }
        #expect((recording.finding(symptom)?.title == unnamed) == isOne)
    }
}
