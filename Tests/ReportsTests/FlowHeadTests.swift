import Captures
import TestSupport
import Testing

@testable import Reports

struct FlowHeadTests {
    /// A client may call itself whatever it likes.
    @Test func nameOfAnyLengthIsToldInPart() {
        var builder = CaptureBuilder()
        builder.login(1, client: String(repeating: "x", count: 5000))
        builder.login(2, client: String(repeating: "y", count: 250))
        let report = ReportBuilder.report(on: builder.capture, named: "day.har")
        let heads = report.flows.map { FlowHead.line(of: $0, style: .plain) }
        #expect(heads.count == 2 && heads.allSatisfy { $0.count < 500 })
        #expect(heads[0].contains("client xxx") && heads[0].contains("x…"))
        #expect(heads[1].contains("client " + String(repeating: "y", count: 250)))
    }

    /// A head is broken between its parts, and nothing of it is left out.
    @Test func headsFitANarrowTerminal() throws {
        let name = "captures/token-request/pkce-verifier-mismatch.har"
        let capture = try CaptureReader.read(bytes: Fixtures.bytes(name), name: name)
        let report = ReportBuilder.report(on: capture, named: name)
        let item = try #require(report.flows.first)
        let whole = FlowHead.line(of: item, style: .plain)
        #expect(FlowHead.lines(of: item, style: .plain, columns: nil) == [whole])
        let narrow = FlowHead.lines(of: item, style: .plain, columns: 50)
        #expect(narrow == ["flow-1 · failure · authorization_code", "  · client shop-web"])
        let coloured = FlowHead.lines(of: item, style: .colour, columns: 50)
        #expect(coloured.count == 2 && coloured[1] == narrow[1])
        for form in [
            TextReport.diagnosis(of: report, showsAbstentions: false, style: .plain, columns: 50),
            TextReport.timeline(of: report, style: .plain, columns: 50),
        ] {
            #expect(form.hasPrefix(narrow.joined(separator: "\n") + "\n"), "\(form)")
        }
        let told = TextReport.diagnosis(of: report, showsAbstentions: false, style: .plain, columns: 50)
        let effect = "\n  error token-invalid-grant\n    effect of pkce-verifier-mismatch\n"
        #expect(told.contains(effect), "\(told)")
    }
}
