import Captures
import Diagnosis
import DiagnosisTestSupport
import Flows
import JOSE
import JSON
import OAuth
import Testing

struct ImplicitFlowTests {
    private let rule = "implicit-flow"
    private let broken = "security-practice/implicit-flow"

    @Test func namesTheResponseType() throws {
        let recording = try Recording(broken)
        let finding = try #require(recording.finding(rule))
        #expect(finding.isPrimary)
        #expect(finding.severity == .warning)
        #expect(finding.places == ["0 request.query response_type"])
        #expect(recording.outcomes == [.success])
    }

    @Test func leavesTheNearestAlone() throws {
        #expect(try Recording(broken + ".near-miss").findings.filter { $0.severity != .note }.isEmpty)
    }

    @Test(arguments: [
        ("code", false), ("code id_token", false), ("none", false), ("code token", true), ("token", true),
    ])
    func looksForTheAccessTokenAlone(type: String, fires: Bool) throws {
        #expect(try (Recording(broken).asking("response_type", type).finding(rule) != nil) == fires)
    }
}
