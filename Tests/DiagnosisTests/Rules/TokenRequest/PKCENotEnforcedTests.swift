import Captures
import Diagnosis
import DiagnosisTestSupport
import Flows
import JSON
import OAuth
import Testing

struct PKCENotEnforcedTests {
    private let rule = "pkce-not-enforced"
    private let broken = "token-request/pkce-not-enforced"

    @Test func namesBothValuesAndTheAnswer() throws {
        let finding = try #require(Recording(broken).finding(rule))
        #expect(finding.isPrimary)
        #expect(finding.severity == .warning)
        #expect(
            finding.places == [
                "1 request.query code_challenge", "4 request.body code_verifier",
                "- request.body BASE64URL(SHA256(code_verifier))",
                "4 response.status ",
            ]
        )
        #expect(try Recording(broken).outcomes == [.success])
    }

    @Test func leavesAPlainChallengeAlone() throws {
        #expect(try Recording(broken + ".near-miss").finding(rule) == nil)
    }

    @Test(arguments: [nil, ""]) func firesWithoutAVerifier(verifier: String?) throws {
        let finding = try Recording(broken).sending("code_verifier", verifier).finding(rule)
        #expect(finding?.places[1] == "4 request.body code_verifier")
        #expect(finding?.evidence[1].value == "missing")
    }

    @Test func saysNothingOfARefusal() throws {
        #expect(
            try Recording(broken).answering("/token", 400, ["error": "invalid_grant"]).finding(rule) == nil
        )
    }

    @Test func takesAHashWithoutAMethodForOne() throws {
        let verifier = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk"
        let recording = try Recording(broken).sending("code_verifier", verifier)
            .asking("code_challenge", CodeChallenge.s256(of: verifier)).asking("code_challenge_method", nil)
        #expect(recording.finding(rule) == nil)
    }

    @Test(arguments: ["[REDACTED]", "xxxxxxxxxx", "***"]) func abstainsWhereTheVerifierWasTakenOut(
        verifier: String
    ) throws {
        let recording = try Recording(broken).sending("code_verifier", verifier)
        #expect(recording.finding(rule) == nil)
        #expect(recording.abstention(rule) != nil)
    }

    @Test func abstainsWhereABackEndOfTheAppIsInBetween() throws {
        let recording = try Recording(broken).editing { exchange in
            if exchange.request.url.path == "/token" {
                exchange.request.url = RecordedURL("https://api.shop.example/token")
            }
        }
        #expect(recording.finding(rule) == nil)
        #expect(recording.abstention(rule) != nil)
    }

    /// The client's own, whose connection broke.
    @Test func triesAgainWithoutABackEndInBetween() throws {
        let recording = try Recording(broken)
        var exchanges = recording.exchanges
        let index = try #require(exchanges.firstIndex { $0.request.url.path == "/token" })
        var lost = exchanges[index]
        lost.duration = .milliseconds(5)
        lost.response = nil
        lost.failure = "net::ERR_CONNECTION_RESET"
        exchanges[index].startedAt = exchanges[index].startedAt + .milliseconds(20)
        exchanges.insert(lost, at: index)
        #expect(Recording(exchanges).finding(rule)?.isPrimary == true)
    }

    @Test func saysNothingWithoutAChallenge() throws {
        #expect(try Recording(broken).asking("code_challenge", nil).finding(rule) == nil)
    }
}
