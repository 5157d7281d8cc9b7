import Captures
import Diagnosis
import DiagnosisTestSupport
import Flows
import JSON
import OAuth
import Testing

struct PKCEPlainTests {
    private let rule = "pkce-plain"
    private let broken = "authorization-request/pkce-plain"

    @Test func namesMethodAndLength() throws {
        let finding = try #require(Recording(broken).finding(rule))
        #expect(finding.isPrimary)
        #expect(finding.severity == .warning)
        #expect(
            finding.places == ["1 request.query code_challenge_method", "1 request.query code_challenge"]
        )
        #expect(finding.notes == ["43 characters"])
    }

    @Test func leavesAHashWithoutAMethodToAnotherRule() throws {
        let recording = try Recording(broken + ".near-miss")
        #expect(recording.finding(rule) == nil)
        #expect(recording.finding("pkce-method-omitted")?.severity == .warning)
    }

    @Test(arguments: [nil, ""]) func takesNoMethodForPlain(method: String?) throws {
        let finding = try Recording(broken).asking("code_challenge_method", method).finding(rule)
        #expect(finding?.evidence.first?.value == "missing")
    }

    @Test func takesNoMethodForPlainWhereNoVerifierIsRecorded() throws {
        #expect(try Recording(broken + ".near-miss").frontChannel.finding(rule) != nil)
    }

    @Test func leavesAVerifierThatFitsNothingToAnotherRule() throws {
        let recording = try Recording(broken + ".near-miss").sending("code_verifier", "another-verifier")
        #expect(recording.finding(rule) == nil)
    }

    @Test func leavesS256Alone() throws {
        #expect(try Recording(broken).asking("code_challenge_method", "S256").finding(rule) == nil)
        #expect(try Recording("healthy/web-code-flow").finding(rule) == nil)
    }

    @Test func isAnErrorWhereTheProviderSaysSo() throws {
        let recording = try Recording(broken).saying(
            "This application does not support \"plain\" transformation algorithm."
        )
        #expect(recording.finding(rule)?.severity == .error)
        #expect(try Recording(broken).saying("Please explain").finding(rule)?.severity == .warning)
    }
}
