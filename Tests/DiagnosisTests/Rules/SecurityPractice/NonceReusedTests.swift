import Captures
import Diagnosis
import DiagnosisTestSupport
import Flows
import JOSE
import JSON
import OAuth
import Testing

struct NonceReusedTests {
    private let rule = "nonce-reused"
    private let broken = "security-practice/nonce-reused"

    @Test func namesBothRequestsAndWhatTellsThemApart() throws {
        let recording = try Recording(broken)
        let finding = try #require(recording.finding(rule))
        #expect(finding.isPrimary)
        #expect(finding.severity == .warning)
        #expect(
            finding.places == [
                "1 request.query nonce", "6 request.query nonce", "1 request.query state",
                "6 request.query state",
            ]
        )
    }

    @Test func leavesTheNearestAlone() throws {
        #expect(try Recording(broken + ".near-miss").findings.filter { $0.severity != .note }.isEmpty)
    }

    @Test func needsTwoIDTokens() throws {
        let recording = try Recording(broken).editingAnswer(of: "/token") { $0["id_token"] = nil }
        #expect(recording.finding(rule) == nil)
    }

    @Test func leavesAReloadAlone() throws {
        #expect(try Recording("security-practice/state-reused.near-miss").finding(rule) == nil)
    }
}
