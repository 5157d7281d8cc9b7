import Captures
import Flows
import Reports
import TestSupport
import Testing

struct FlowwiseFormTests {
    private static let forms: [FlowwiseForm] = [
        TextReport.timeline(.plain), TextReport.diagnosis(showsAbstentions: true, style: .plain),
        TextReport.diagnosis(showsAbstentions: false, style: .plain), JSONReport.timeline,
        JSONReport.diagnosis,
    ]

    private func capture(logins: Int) -> Capture {
        var capture = CaptureBuilder()
        for number in 0..<logins {
            capture.redirect(
                "https://idp.example/authorize?response_type=code&client_id=shop&state=state-\(number)",
                to: "https://app.example/cb?code=code-\(number)&state=state-\(number)"
            )
        }
        return capture.capture
    }

    private func written(_ form: FlowwiseForm, _ capture: Capture, flow: String? = nil) -> (
        text: String, flows: [String], seen: [String]
    ) {
        var text = ""
        var seen: [String] = []
        let flows = form.write(
            capture,
            named: "a.har",
            flow: flow,
            to: { text += $0 },
            seen: { seen.append($0.flow.id) }
        )
        return (text, flows, seen)
    }

    @Test(arguments: forms.indices, [0, 1, 3, 9])
    func piecesAreTheWhole(form: Int, logins: Int) {
        let capture = capture(logins: logins)
        let whole = Self.forms[form].text(of: ReportBuilder.report(on: capture, named: "a.har"))
        let pieces = written(Self.forms[form], capture)
        #expect(pieces.text == whole)
        #expect(pieces.flows.count == logins)
        #expect(pieces.seen == pieces.flows)
    }

    @Test(arguments: forms.indices) func oneFlowIsTheReportOfIt(form: Int) {
        let capture = capture(logins: 3)
        var report = ReportBuilder.report(on: capture, named: "a.har")
        report.flows = [report.flows[1]]
        let pieces = written(Self.forms[form], capture, flow: "flow-2")
        #expect(pieces.text == Self.forms[form].text(of: report))
        #expect(pieces.seen == ["flow-2"])
        #expect(pieces.flows == ["flow-1", "flow-2", "flow-3"])
    }

    @Test(arguments: forms.indices) func ofAFlowThatIsNotThereNothingIsWritten(form: Int) {
        #expect(written(Self.forms[form], capture(logins: 2), flow: "flow-9").text.isEmpty)
        #expect(written(Self.forms[form], capture(logins: 0), flow: "flow-1").text.isEmpty)
    }

    /// However many exchanges stand before it in the capture, and however long it takes.
    @Test(arguments: [(0, 1), (40, 1), (4000, 1), (0, 100_000)])
    func columnsOfATimelineAreStraight(apart: Int, wait: Int) throws {
        var builder = CaptureBuilder()
        for other in 0..<apart { builder.get("https://news.example/\(other)") }
        builder.redirect(
            "https://idp.example/authorize?response_type=code&client_id=shop&state=state-of-login",
            to: "https://app.example/cb?code=code-of-the-login&state=state-of-login"
        )
        builder.get("https://app.example/cb?code=code-of-the-login&state=state-of-login")
        // A page that is left open counts more seconds than there is room for.
        var exchanges = builder.exchanges
        exchanges[exchanges.count - 1].startedAt = exchanges[apart].startedAt + .seconds(wait)
        let lines = written(TextReport.timeline(.plain), Capture(exchanges)).text.split(separator: "\n")
        let marks = lines.filter { $0.contains("▸") || $0.contains("◂") }.map {
            $0.prefix { $0 == " " }.count
        }
        let actors = lines.filter { $0.contains(" → ") }.map { line -> Int in
            let behind = line.firstIndex(of: "]").map { line.index(after: $0) } ?? line.endIndex
            let actor = line[behind...].firstIndex { $0 != " " } ?? line.endIndex
            return line.distance(from: line.startIndex, to: actor)
        }
        try #require(!actors.isEmpty && !marks.isEmpty, "\(lines)")
        #expect(Set(actors + marks).count == 1)
    }
}
