import Captures
import Reports
import TestSupport
import Testing

/// What stands below many flows.
struct FlowSummaryTests {
    private static func report(of logins: [Bool]) -> Report {
        var builder = CaptureBuilder()
        for (number, isGood) in logins.enumerated() { builder.login(number, isGood: isGood) }
        return ReportBuilder.report(on: builder.capture, named: "day.har")
    }

    private static func texts(of report: Report) -> [String] {
        [
            TextReport.timeline(of: report, style: .plain),
            TextReport.diagnosis(of: report, showsAbstentions: false, style: .plain),
        ]
    }

    @Test func manyFlowsEndWithThoseThatBroke() throws {
        let report = Self.report(of: [true, true, false, true, false])
        #expect(report.flows.count == 5)
        for text in Self.texts(of: report) {
            let summary = text.split(separator: "\n", omittingEmptySubsequences: false).suffix(4)
            #expect(summary.first == "")
            #expect(
                Array(summary.dropFirst()).first
                    == "5 flows: 2 failure, 3 success · --flow ID for one of them"
            )
            #expect(
                summary.dropFirst(2).allSatisfy { $0.contains("  failure     error token-invalid-client") }
            )
            #expect(summary.suffix(2).map { $0.prefix(8) } == ["  flow-3", "  flow-5"])
        }
        #expect(
            SummaryText.text(of: [report], style: .plain).contains("day.har  5 flows: 2 failure, 3 success")
        )
    }

    @Test func fewAreSeenAtAGlance() {
        for text in Self.texts(of: Self.report(of: [true, false, true])) {
            #expect(!text.contains("3 flows"))
        }
    }
}
