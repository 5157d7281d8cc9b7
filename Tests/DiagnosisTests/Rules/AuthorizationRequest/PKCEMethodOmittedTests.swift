import Captures
import Diagnosis
import DiagnosisTestSupport
import Flows
import JSON
import OAuth
import Testing

struct PKCEMethodOmittedTests {
    private let rule = "pkce-method-omitted"
    private let broken = "authorization-request/pkce-method-omitted"

    @Test func namesChallengeMethodAndVerifier() throws {
        let finding = try #require(Recording(broken).finding(rule))
        #expect(finding.isPrimary)
        #expect(finding.severity == .error)
        #expect(
            finding.places == [
                "1 request.query code_challenge", "1 request.query code_challenge_method",
                "4 request.body code_verifier", "4 response.body error",
            ]
        )
        #expect(finding.evidence[1].value == "missing")
        #expect(finding.evidence[2].value.hasSuffix("(43)"))
    }

    @Test func leavesAVerifierThatIsTheChallengeAlone() throws {
        #expect(try Recording(broken + ".near-miss").finding(rule) == nil)
    }

    @Test func onlyWarnsWhereTheCodeWasTaken() throws {
        let recording = try Recording(broken).answering(
            "/token",
            200,
            ["access_token": "a", "token_type": "Bearer"]
        )
        #expect(recording.finding(rule)?.severity == .warning)
    }

    @Test func onlyWarnsWhereTheClientWasRefused() throws {
        let recording = try Recording(broken).answering("/token", 401, ["error": "invalid_client"])
        #expect(recording.finding(rule)?.severity == .warning)
    }

    @Test func leavesANamedMethodAlone() throws {
        #expect(try Recording(broken).asking("code_challenge_method", "S256").finding(rule) == nil)
    }

    @Test func explainsTheRefusedCode() throws {
        let findings = try Recording(broken).findings
        #expect(findings.first { $0.rule == "token-invalid-grant" }?.effectOf == rule)
    }

    @Test func abstainsWithoutAVerifier() throws {
        let recording = try Recording(broken).frontChannel
        #expect(recording.finding(rule) == nil)
        #expect(recording.abstention(rule) != nil)
    }
}
