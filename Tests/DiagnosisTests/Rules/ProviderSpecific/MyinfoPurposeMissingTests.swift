import Captures
import Diagnosis
import DiagnosisTestSupport
import Flows
import JOSE
import JSON
import OAuth
import Testing

struct MyinfoPurposeMissingTests {
    private let rule = "myinfo-purpose-missing"
    private let broken = "provider-specific/myinfo-purpose-missing"

    @Test func namesWhatWasSentAndTheRefusal() throws {
        let recording = try Recording(broken)
        let finding = try #require(recording.finding(rule))
        #expect(finding.isPrimary)
        #expect(finding.severity == .error)
        #expect(finding.places.first == "0 request.query ")
        #expect(finding.notes.first == "without purpose_id")
        #expect(recording.outcomes == [.failure])
    }

    @Test func leavesTheNearestAlone() throws {
        #expect(try Recording(broken + ".near-miss").findings.filter { $0.severity != .note }.isEmpty)
    }

    @Test func warnsWhereItWentOn() throws {
        let recording = try Recording("provider-specific/singpass-https-type-on-myinfo.near-miss").editing {
            let url = Recording.changing($0.request.url.text, "purpose_id", nil)
            if $0.request.url.path == "/com/v4/authorize" { $0.request.url = RecordedURL(url) }
        }
        #expect(recording.finding(rule)?.severity == .warning)
    }
}
