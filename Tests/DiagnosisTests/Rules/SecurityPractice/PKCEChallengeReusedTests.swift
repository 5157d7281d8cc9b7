import Captures
import Diagnosis
import DiagnosisTestSupport
import Flows
import JOSE
import JSON
import OAuth
import Testing

struct PKCEChallengeReusedTests {
    private let rule = "pkce-challenge-reused"
    private let broken = "security-practice/pkce-challenge-reused"

    @Test func namesBothRequestsAndWhatTellsThemApart() throws {
        let recording = try Recording(broken)
        let finding = try #require(recording.finding(rule))
        #expect(finding.isPrimary)
        #expect(finding.severity == .warning)
        #expect(
            finding.places == [
                "1 request.query code_challenge", "6 request.query code_challenge", "1 request.query state",
                "6 request.query state",
            ]
        )
    }

    @Test func leavesTheNearestAlone() throws {
        #expect(try Recording(broken + ".near-miss").findings.filter { $0.severity != .note }.isEmpty)
    }

    @Test func leavesAReloadAlone() throws {
        #expect(try Recording("security-practice/state-reused.near-miss").finding(rule) == nil)
    }

    @Test func leavesTwoChallengesAlone() throws {
        #expect(try Recording("security-practice/nonce-reused.near-miss").finding(rule) == nil)
    }
}
