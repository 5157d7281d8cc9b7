import Captures
import Diagnosis
import DiagnosisTestSupport
import Flows
import JSON
import OAuth
import Testing

struct CSRFProtectionMissingTests {
    private let rule = "csrf-protection-missing"
    private let broken = "authorization-request/csrf-protection-missing"

    @Test func namesWhatWasSent() throws {
        let finding = try #require(Recording(broken).finding(rule))
        #expect(finding.isPrimary)
        #expect(finding.severity == .warning)
        #expect(finding.places == ["1 request.query "])
        #expect(finding.evidence[0].value == "response_type, client_id, redirect_uri, scope")
    }

    @Test func isContentWithAChallenge() throws {
        #expect(try Recording(broken + ".near-miss").findings.filter { $0.severity != .note }.isEmpty)
    }

    @Test(arguments: ["state", "nonce", "code_challenge"]) func isContentWithAnyOfTheThree(name: String)
        throws
    {
        #expect(try Recording(broken).asking(name, "x").finding(rule) == nil)
        #expect(try Recording(broken).asking(name, "").finding(rule) != nil)
    }

    @Test func abstainsWhereTheRequestStandsElsewhere() throws {
        let recording = try Recording(broken).asking("request_uri", "https://www.shop.example/request.jwt")
        #expect(recording.finding(rule) == nil)
        #expect(recording.abstention(rule) != nil)
    }

    @Test func readsARequestObject() throws {
        let object = encoded("{\"alg\":\"none\"}") + "." + encoded("{\"state\":\"x\"}") + "."
        #expect(try Recording(broken).asking("request", object).finding(rule) == nil)
    }
}
