import Captures
import Diagnosis
import DiagnosisTestSupport
import Flows
import OAuth
import Testing

struct PKCEMissingConfidentialTests {
    private let rule = "pkce-missing-confidential"
    private let broken = "authorization-request/pkce-missing-confidential"

    @Test func notesWhatIsMissing() throws {
        let finding = try #require(Recording(broken).finding(rule))
        #expect(!finding.isPrimary)
        #expect(finding.severity == .note)
        #expect(finding.places == ["1 request.query code_challenge", "4 request.body client_secret"])
        #expect(try Recording(broken).outcomes == [.success])
    }

    @Test func leavesANonceAlone() throws {
        #expect(try Recording(broken + ".near-miss").finding(rule) == nil)
    }

    @Test func leavesAPublicClientToTheOtherRule() throws {
        #expect(try Recording(broken).sending("client_secret", nil).finding(rule) == nil)
    }

    @Test func leavesAChallengeAlone() throws {
        #expect(try Recording(broken).asking("code_challenge", "x").finding(rule) == nil)
    }
}
