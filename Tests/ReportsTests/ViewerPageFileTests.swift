import Captures
import Diagnosis
import Flows
import Foundation
import JSON
import TestSupport
import Testing

@testable import Reports

/// The viewer as one file.
struct ViewerPageFileTests {
    private static func page(_ captures: [ViewerCapture]) throws -> String {
        var bytes: [UInt8] = []
        try ViewerPage.write(captures, generator: "test", nonce: "bm9uY2U=") { bytes += $0 }
        return String(decoding: bytes, as: UTF8.self)
    }

    @Test func whatACaptureHoldsEndsNoScript() throws {
        let page = try Self.page([
            try ViewerCaptureTests.capture(
                "healthy/web-code-flow",
                named: "</script><script>alert(1)</script><!--"
            )
        ])
        // The overview, the flow, the messages, the import map, the module.
        #expect(page.components(separatedBy: "</script>").count == 6)
        #expect(!page.contains("<script>") && !page.contains("<!--"))
        #expect(page.contains("script-src 'nonce-bm9uY2U='"))
        #expect(page.contains("require-trusted-types-for 'script'; trusted-types 'none'"))
    }

    @Test func viewerAloneIsSmallAndWhole() throws {
        let empty = try Self.page([])
        #expect(empty.utf8.count < 400_000)
        for name in ["main", "dom", "diagram", "message", "compare", "share", "live"] {
            #expect(empty.contains("\"#viewer/\(name).js\":\"data:"))
        }
        // What a module imports is there.
        for (path, bytes) in ViewerPage.files where path.hasPrefix("js/") {
            let text = String(decoding: bytes, as: UTF8.self)
            for match in text.matches(of: /from "#viewer\/([a-z]+\.js)"/) {
                #expect(ViewerPage.files["js/\(match.output.1)"] != nil, "\(path) imports \(match.output.1)")
            }
        }
    }

    @Test func messagesStandTogether() throws {
        var builder = CaptureBuilder()
        for number in 0..<70 { builder.get("https://a.example/\(number)", body: nil) }
        let page = try Self.page([ViewerCapture(ReportBuilder.report(on: builder.capture, named: "many"))])
        for number in 0..<3 { #expect(page.contains("id=\"messages-0-\(number)\"")) }
        #expect(!page.contains("id=\"messages-0-3\""))
    }

    @Test func loginsOfOneClientAreCompared() throws {
        let one = try ViewerCaptureTests.capture("healthy/web-code-flow")
        let other = try ViewerCaptureTests.capture("token-request/pkce-verifier-mismatch")
        let choice = ViewerComparison.Choice(
            expected: .init(capture: 0, flow: "flow-1"),
            seen: .init(capture: 1, flow: "flow-1")
        )
        let document = try #require(ViewerComparison.document(of: choice, in: [one, other]))
        #expect(document["same"] == false && document["expected"]?["capture"]?.int == 0)
        #expect(document["headline"]?.string?.contains("code_verifier") == true)
        #expect(ViewerComparison.document(of: choice, in: [one]) == Optional.none)
        #expect(ViewerComparison.choices(in: [one]).isEmpty)
    }

    /// Also where it is the only one of its client, and behind many others.
    @Test func whatFailedIsComparedWithWhatWorked() {
        var builder = CaptureBuilder()
        for number in 0..<12 { builder.login(number, client: "shop-\(number)", isGood: number != 11) }
        let report = ReportBuilder.report(on: builder.capture, named: "many")
        let failed = report.flows.filter { $0.diagnosis.outcome == .failure }.map(\.flow.id)
        let worked = report.flows.first { $0.diagnosis.outcome == .success }?.flow.id
        #expect(!failed.isEmpty && worked != nil)
        let choices = ViewerComparison.choices(in: [ViewerCapture(report)])
        for id in failed {
            #expect(choices.contains { $0.expected.flow == worked && $0.seen.flow == id }, "\(id)")
        }
        #expect(Set(choices.map { [$0.expected, $0.seen] }).count == choices.count)
    }
}
