import Captures
import Diagnosis
import Flows
import JOSE
import JSON
import OAuth
import TestSupport
import Testing

struct ClientAssertionAlgTests {
    private let rule = "client-assertion-alg"
    private let broken = "token-request/client-assertion-alg"
    private let member = "token_endpoint_auth_signing_alg_values_supported"

    @Test func namesTheAlgorithmAndTheList() throws {
        let finding = try #require(Recording(broken).finding(rule))
        #expect(finding.isPrimary)
        #expect(
            finding.places == [
                "5 jwt.header alg", "0 response.body \(member)", "5 response.body error",
            ]
        )
        #expect(finding.evidence.map(\.value).prefix(2) == ["RS256", "PS256, ES256"])
        #expect(finding.evidence[0].note == "kid shop-2026")
    }

    @Test func leavesAListedAlgorithmAlone() throws {
        #expect(try Recording(broken + ".near-miss").finding(rule) == nil)
    }

    @Test func abstainsWithoutAList() throws {
        let recording = try Recording(broken).editingAnswer(of: "/.well-known/openid-configuration") {
            $0[member] = nil
        }
        #expect(recording.finding(rule) == nil)
        #expect(recording.abstention(rule) != nil)
    }

    @Test func neverTakesNone() throws {
        let token =
            "\(encoded("{\"alg\":\"none\"}")).\(encoded("{\"iss\":\"shop-web\",\"sub\":\"shop-web\"}"))."
        let recording = try Recording(broken).editingAnswer(of: "/.well-known/openid-configuration") {
            $0[member] = nil
        }
        .sending("client_assertion", token)
        #expect(recording.finding(rule)?.evidence[0].value == "none")
    }

    /// By what Singpass documents alone nobody is blamed for a refusal whose words were not saved.
    @Test(arguments: [true, false]) func blamesNothingWithoutTheProvidersWords(isSaved: Bool) throws {
        let recording = try Recording("providers/singpass.broken").editingLast("/token") { exchange in
            exchange.response?.body =
                isSaved ? .json(#"{"error":"invalid_client"}"#) : Body(content: .missing)
        }
        #expect((recording.finding(rule)?.severity == .error) == isSaved)
        #expect((recording.finding(rule) != nil) == isSaved)
    }

    @Test func isAWarningWhereTheProviderTookIt() throws {
        #expect(try Recording(broken).granted().finding(rule)?.severity == .warning)
    }

    // MARK: - Signatures that nobody can verify

    private let refused = "token-request/client-assertion-audience.near-miss"

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

    private let own = "https://www.shop.example/jwks.json"

    private func publishing(_ kids: [String], at url: String, in recording: Recording) throws -> Recording {
        let before = try #require(recording.exchanges.first).startedAt - .seconds(1)
        return try recording.publishing(kids, at: url, before)
    }

    @Test func namesDER() throws {
        let integer: [UInt8] = [2, 32] + Array(repeating: 7, count: 32)
        let recording = try asserting(#"{"alg":"ES256","kid":"k"}"#, [0x30, 68] + integer + integer)
        let finding = try #require(recording.finding(rule))
        #expect(finding.isPrimary)
        #expect(finding.variant == "der")
        #expect(recording.finding("token-invalid-client")?.effectOf == rule)
        let side = try asserting(#"{"alg":"ES256","kid":"k"}"#, [0x30, 62] + Array(repeating: 7, count: 62))
        #expect(side.finding(rule) == nil)
    }

    @Test func namesAKeyThatTheAppDoesNotPublish() throws {
        let assertion = try asserting(#"{"alg":"ES256","kid":"new"}"#)
        #expect(assertion.finding(rule) == nil)
        let recording = try publishing(["old"], at: own, in: assertion)
        let finding = try #require(recording.finding(rule))
        #expect(finding.isPrimary)
        #expect(finding.variant == "kid-unknown")
        #expect(finding.evidence.map(\.value).prefix(2) == ["new", "old"])
        #expect(recording.finding("token-invalid-client")?.effectOf == rule)
        #expect(try publishing(["new"], at: own, in: assertion).finding(rule) == nil)
        // Somebody else's keys.
        let other = "https://login.elsewhere.example/jwks.json"
        #expect(try publishing(["old"], at: other, in: assertion).finding(rule) == nil)
    }

    @Test func wantsTheKeyNamedWhereThereAreSeveral() throws {
        let assertion = try asserting(#"{"alg":"ES256"}"#)
        let finding = try #require(publishing(["a", "b"], at: own, in: assertion).finding(rule))
        #expect(finding.variant == "kid-missing")
        #expect(finding.isPrimary)
        #expect(try publishing(["a"], at: own, in: assertion).finding(rule) == nil)
    }

    @Test func leavesKeysOfAClientAloneThatWasLetIn() throws {
        let recording = try publishing(["old"], at: own, in: asserting(#"{"alg":"ES256","kid":"new"}"#))
            .granted()
        #expect(recording.finding(rule) == nil)
    }
}
