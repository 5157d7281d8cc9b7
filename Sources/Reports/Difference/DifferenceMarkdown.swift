import Flows
import Replay

/// The comparison of two flows for a ticket.
package enum DifferenceMarkdown {
    /// `showsAll`: with equal steps, and with what is only worth knowing.
    package static func text(of report: DifferenceReport, showsAll: Bool) -> String {
        let difference = report.difference
        var blocks = [
            "# Login comparison",
            [("A", report.expected), ("B", report.seen)].map { letter, side in
                let flow = side.flow
                let parts = [
                    MarkdownReport.code(side.name), "outcome **\(side.outcome.rawValue)**",
                    MarkdownReport.escaped(FlowHead.grant(flow.grant)), FlowHead.provider(flow.provider),
                    flow.clientID.map { "client \(MarkdownReport.code(FlowHead.name($0)))" },
                ]
                return "- \(letter): " + parts.compactMap { $0 }.joined(separator: ", ")
            }.joined(separator: "\n"),
            "**\(MarkdownReport.escaped(report.headline))**",
        ]
        for (index, pair) in difference.steps.enumerated() {
            blocks += section("\(index + 1). \(pair.kind.rawValue)", pair.differences, pair, showsAll)
        }
        blocks += section("The flows as a whole", difference.overall, nil, showsAll)
        return blocks.joined(separator: "\n\n")
    }

    private static func section(
        _ title: String,
        _ differences: [ValueDifference],
        _ pair: StepPair?,
        _ showsAll: Bool
    ) -> [String] {
        let shown = differences.filter { showsAll || $0.weight == .difference }
        if shown.isEmpty {
            return showsAll && pair != nil ? ["## \(MarkdownReport.escaped(title)): the same"] : []
        }
        var blocks = ["## \(MarkdownReport.escaped(title))"]
        if let pair {
            let entries = [("A", pair.expected), ("B", pair.seen)].map { letter, exchange in
                exchange.map { "\(letter) entry \($0)" } ?? "\(letter) has none"
            }
            blocks.append("\(MarkdownReport.code(pair.summary)), \(entries.joined(separator: ", "))")
        }
        let rows = shown.map { difference in
            let cells = [difference.expected, difference.seen].map {
                $0.map(MarkdownReport.codeInTable) ?? ""
            }
            let note = MarkdownReport.escaped(difference.note) + (difference.weight == .note ? " (note)" : "")
            return "| \(MarkdownReport.escaped(difference.label)) | \(cells[0]) | \(cells[1]) | \(note) |"
        }
        blocks.append((["| what | A | B | |", "| --- | --- | --- | --- |"] + rows).joined(separator: "\n"))
        return blocks
    }
}
