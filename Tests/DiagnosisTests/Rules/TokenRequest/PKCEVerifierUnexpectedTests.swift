import Captures
import Diagnosis
import DiagnosisTestSupport
import Flows
import JSON
import OAuth
import Testing

struct PKCEVerifierUnexpectedTests {
    private let rule = "pkce-verifier-unexpected"
    private let broken = "token-request/pkce-verifier-unexpected"

    @Test func namesBothRequests() throws {
        let finding = try #require(Recording(broken).finding(rule))
        #expect(finding.isPrimary)
        #expect(
            finding.places == [
                "1 request.query code_challenge", "4 request.body code_verifier", "4 response.body error",
            ]
        )
        #expect(finding.evidence[0].value == "missing")
    }

    @Test func findsAChallengeThatWasPushed() throws {
        #expect(try Recording(broken + ".near-miss").finding(rule) == nil)
    }

    @Test func abstainsWhereThePushedRequestIsMissing() throws {
        let recording = try Recording(broken + ".near-miss").without { $0.request.url.path == "/par" }
        #expect(recording.finding(rule) == nil)
        #expect(recording.abstention(rule) != nil)
    }

    /// What has no value counts as left out.
    @Test(arguments: [("", true), ("eyJhbGciOiJSU0EtT0FFUCJ9.AA.AA.AA.AA", false)])
    func readsARequestThatIsKnownInFull(object: String, fires: Bool) throws {
        let recording = try Recording(broken).asking("request", object)
        #expect((recording.finding(rule) != nil) == fires)
    }

    @Test func saysNothingWhereTheProviderTookIt() throws {
        let recording = try Recording(broken).granted()
        #expect(recording.finding(rule) == nil)
    }

    @Test func saysNothingWithoutTheAuthorizationRequest() throws {
        let recording = try Recording(broken).without { $0.request.url.path != "/token" }
        #expect(recording.finding(rule) == nil)
    }

    @Test func saysNothingOfACodeThatWasTakenBefore() throws {
        var recording = try Recording(broken)
        var second = try #require(recording.exchanges.last)
        second.startedAt = second.startedAt + .seconds(1)
        recording = recording.granted()
        recording.exchanges.append(second)
        #expect(recording.finding(rule) == nil)
        #expect(recording.finding("code-reused") != nil)
    }
}
