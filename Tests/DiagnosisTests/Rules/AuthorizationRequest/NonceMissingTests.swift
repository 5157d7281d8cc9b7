import Captures
import Diagnosis
import DiagnosisTestSupport
import Flows
import JSON
import OAuth
import Testing

struct NonceMissingTests {
    private let rule = "nonce-missing"
    private let broken = "authorization-request/nonce-missing"

    @Test func namesTheTypeAndWhatWasSent() throws {
        let finding = try #require(Recording(broken).finding(rule))
        #expect(finding.isPrimary)
        #expect(finding.severity == .error)
        #expect(
            finding.places == [
                "1 request.query response_type", "1 request.query nonce", "2 request.query error",
            ]
        )
        #expect(finding.evidence[0].value == "code id_token")
    }

    @Test func leavesTheCodeFlowAlone() throws {
        #expect(try Recording(broken + ".near-miss").finding(rule) == nil)
    }

    @Test func leavesANonceAlone() throws {
        #expect(try Recording(broken).asking("nonce", "x").finding(rule) == nil)
    }

    @Test func onlyWarnsWhereTheProviderTookIt() throws {
        #expect(try Recording(broken).saying("Sign in", status: 200).finding(rule)?.severity == .warning)
    }

    @Test func leavesAnAccessTokenAlone() throws {
        let recording = try Recording(broken).asking("response_type", "token")
        #expect(recording.saying("Sign in", status: 200).finding(rule) == nil)
        #expect(try Recording(broken).asking("response_type", "code").finding(rule) == nil)
    }

    /// What the provider asks for beyond the specification is another rule's.
    @Test func accessTokenThatIsRefusedForItLacksAParameter() throws {
        let recording = try Recording(broken).asking("response_type", "token")
        #expect(recording.finding(rule) == nil)
        let finding = try #require(recording.finding("authz-missing-parameter"))
        #expect(finding.isPrimary && finding.severity == .error)
        #expect(finding.variant == "nonce")
        #expect(finding.evidence.last?.value.contains("Missing parameter: nonce") == true)
        #expect(finding.explanation.contains("leave OpenID Connect out"))
        #expect(finding.fix.contains("fresh random nonce"))
    }
}
