import Captures
import Diagnosis
import DiagnosisTestSupport
import Flows
import JSON
import OAuth
import TestSupport
import Testing

struct CaptureSanitizedTests {
    private let rule = "capture-sanitized"
    private let broken = "the-capture/capture-sanitized"

    @Test func namesTheProducerAndHowMuchWasLookedAt() throws {
        var capture = try Capture(Recording(broken).exchanges)
        capture.creator = ("WebInspector", "537.36")
        let flow = try #require(FlowFinder.flows(in: capture).first)
        let finding = try #require(Diagnostician.diagnose(flow).findings.first { $0.rule == rule })
        #expect(finding.severity == .note)
        #expect(!finding.isPrimary)
        #expect(finding.places == ["1 request.header Cookie", "- request.header log.creator"])
        #expect(finding.evidence[1].value == "WebInspector 537.36")
        #expect(finding.notes == ["and none in any of 5 exchanges"])
    }

    @Test func aSingleCookieIsEnough() throws {
        #expect(try Recording(broken + ".near-miss").finding(rule) == nil)
    }

    @Test(arguments: ["Cookie", "authorization"]) func aSingleHeaderIsEnough(name: String) throws {
        var recording = try Recording(broken)
        recording.exchanges[4].request.headers.append(name, "x=y")
        #expect(recording.finding(rule) == nil)
    }

    @Test func aListedCookieIsEnough() throws {
        var recording = try Recording(broken)
        recording.exchanges[4].request.listedCookies = [HeaderFields.Field(name: "a", value: "b")]
        #expect(recording.finding(rule) == nil)
    }

    /// Who saw the connection saw all that was sent.
    @Test func ownRecordingWithoutCookiesIsWhole() throws {
        let recording = try Recording(broken).editing { $0.client.address = "127.0.0.1:50000" }
        #expect(recording.finding(rule) == nil)
    }

    /// A replay without a network has no connection that was seen, and nothing was kept from it.
    @Test func whereNobodyAnsweredNothingWasLeftOut() throws {
        let silent = try Recording(broken).editing {
            $0.response = nil
            $0.failure = "ENOTFOUND: no address found"
        }
        #expect(silent.finding(rule) == nil && !silent.flows.isEmpty)
    }

    @Test("A server's own packets beside a browser's export say nothing of what the browser sent.")
    func backChannelThatWasSeenDoesNotMakeTheExportWhole() throws {
        var recording = try Recording(broken)
        var call = recording.exchanges[4]
        call.request = RecordedRequest(method: "GET", url: RecordedURL("https://login.harbour.example/jwks"))
        call.client.address = "10.0.0.2:50000"
        recording.exchanges.append(call)
        #expect(recording.finding(rule) != nil)
    }

    @Test func aBackChannelAloneSaysNothing() throws {
        let recording = try Recording("healthy/web-code-flow").without {
            $0.request.headers.first("user-agent")?.hasPrefix("Mozilla") ?? false
        }.sanitized
        #expect(!recording.flows.isEmpty)
        #expect(recording.finding(rule) == nil)
    }

    /// Of an import it is told of the file whose login the other files did not make whole.
    @Test func namesTheFileOfAnImport() throws {
        let failed = try Recording("user-agent/callback-rejected-by-app").sanitized
            .imported(beside: "healthy/native-app")
        var capture = Capture(failed.exchanges)
        let files = [("a.har", "WebInspector"), ("b.har", "mitmproxy")].map { name, creator in
            ImportStatement.File(name: name, creator: ["name": .string(creator)], clock: .reference)
        }
        capture.logMembers["_authreel"] = ["imported": ImportStatement(files: files, isAligned: false).json]
        let findings = FlowFinder.flows(in: capture).flatMap { Diagnostician.diagnose($0).findings }
        let finding = try #require(findings.first { $0.rule == rule })
        #expect(finding.title.contains("a file of this import"))
        #expect(finding.notes == ["and none in any exchange of a.har"])
        #expect(finding.evidence[1].value == "WebInspector")
        let well = try Recording(broken).sanitized.imported(beside: "healthy/native-app")
        #expect(well.finding(rule) == nil && well.outcomes == [.success, .success])
    }

    /// Marks in the place of values, with how many there are beside those that are shown.
    @Test func namesTheMarks() throws {
        let bytes = try HARSanitizer(mode: .names).sanitized(
            Fixtures.bytes("captures/healthy/web-code-flow.har")
        )
        let capture = try CaptureReader.read(bytes: bytes, name: "x")
        let flow = try #require(FlowFinder.flows(in: capture).first)
        let diagnosis = Diagnostician.diagnose(flow)
        let finding = try #require(diagnosis.findings.first { $0.rule == rule })
        #expect(diagnosis.outcome == .success)
        #expect(finding.variant == "placeholders" && finding.severity == .note && !finding.isPrimary)
        #expect(finding.evidence.count == 4)
        #expect(finding.evidence.allSatisfy { $0.value == "[\($0.place.name) redacted]" })
        #expect(finding.evidence.last?.note?.hasSuffix("more parameters") == true)
    }
}
