import Captures
import Diagnosis
import DiagnosisTestSupport
import Flows
import JOSE
import JSON
import OAuth
import Testing

struct PasswordGrantTests {
    private let rule = "password-grant"
    private let broken = "security-practice/password-grant"

    @Test func namesTheGrantAndMasksThePassword() throws {
        let recording = try Recording(broken)
        let finding = try #require(recording.finding(rule))
        #expect(finding.isPrimary)
        #expect(finding.severity == .warning)
        #expect(
            finding.places == [
                "0 request.body grant_type", "0 request.body username", "0 request.body password",
            ]
        )
        #expect(finding.evidence[2].value.contains("…(14)"))
    }

    @Test func leavesTheNearestAlone() throws {
        #expect(try Recording(broken + ".near-miss").findings.filter { $0.severity != .note }.isEmpty)
    }

    @Test func leavesOtherGrantsAlone() throws {
        #expect(try Recording("healthy/web-code-flow").finding(rule) == nil)
    }
}
