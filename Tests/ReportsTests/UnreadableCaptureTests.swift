import Captures
import Diagnosis
import JSON
import Reports
import TestSupport
import Testing

/// A capture among several that cannot be read is part of every form.
struct UnreadableCaptureTests {
    private let reports: [Report]

    init() throws {
        let name = "captures/healthy/web-code-flow.har"
        let capture = try CaptureReader.read(bytes: Fixtures.bytes(name), name: name)
        reports = [
            ReportBuilder.report(on: capture, named: name),
            Report(unreadable: "bad<&>.har", because: "bad<&>.har:1:1: expected a HAR file"),
        ]
    }

    @Test func summaryCountsIt() {
        let lines = SummaryText.text(of: reports, style: .plain).split(separator: "\n")
        #expect(lines.first == "2 captures" && lines.last == "1 not read")
        #expect(lines[2].hasSuffix("  not read"))
    }

    @Test func jsonHasItsError() throws {
        let captures = try JSONParser.parse(JSONReport.diagnosis(of: reports).utf8)["captures"]?.array
        #expect(captures?.count == 2)
        #expect(captures?[0]["error"] == nil && captures?[0]["flows"]?.array?.count == 1)
        #expect(captures?[1]["error"]?.string == "bad<&>.har:1:1: expected a HAR file")
        #expect(captures?[1]["flows"]?.array?.isEmpty == true)
    }

    @Test func testRunnersCountAnError() {
        let text = JUnitReport.text(of: reports, failingOn: .error)
        #expect(text.contains(#"<testsuites name="authreel" tests="2" failures="0" errors="1">"#))
        #expect(text.contains(#"message="bad&lt;&amp;&gt;.har:1:1: expected a HAR file"/>"#))
    }

    @Test func codeHostsHearOfIt() throws {
        let text = SARIFReport.text(of: reports, rules: [], version: "0")
        let invocation = try JSONParser.parse(text.utf8)["runs"]?.array?[0]["invocations"]?.array?[0]
        #expect(invocation?["executionSuccessful"] == false)
        let words = invocation?["toolExecutionNotifications"]?.array?.first?["message"]?["text"]?.string
        #expect(words == "bad<&>.har:1:1: expected a HAR file")
        #expect(!SARIFReport.text(of: [reports[0]], rules: [], version: "0").contains("invocations"))
    }

    @Test func ticketsNameIt() {
        #expect(
            MarkdownReport.text(of: reports).contains("Not read: bad\\<\\&\\>.har:1:1: expected a HAR file.")
        )
    }
}
