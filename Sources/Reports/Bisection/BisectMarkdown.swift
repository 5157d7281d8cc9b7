import Diagnosis
import Flows
import Replay

/// A bisection for a ticket.
package enum BisectMarkdown {
    package static func text(of report: BisectReport) -> String {
        var blocks = [
            "# What makes the login fail",
            [("A", report.good), ("B", report.bad)].map { letter, side in
                "- \(letter): \(MarkdownReport.code(side.name)), outcome **\(side.flow.ending.rawValue)**"
            }.joined(separator: "\n"),
            "**\(MarkdownReport.escaped(report.headline))**",
        ]
        let details = [report.lastEnding, report.advice].compactMap { $0 }
        blocks += details.map(MarkdownReport.escaped)
        blocks += section("Cause", report.changes(.cause))
        if let cause = report.cause {
            blocks.append(
                "It fails with \(MarkdownReport.code(cause.rule)): \(MarkdownReport.escaped(cause.title))"
            )
        }
        blocks += section("Not needed for it to fail", report.changes(.notNeeded))
        blocks += section(
            report.result?.ending == .found ? "Not tried on its own" : "Not tried",
            report.changes(.notTried)
        )
        return blocks.joined(separator: "\n\n")
    }

    private static func section(_ title: String, _ changes: [RequestChange]) -> [String] {
        guard !changes.isEmpty else { return [] }
        let rows = changes.map { change in
            let difference = change.difference
            let entries = change.locations.prefix(3).map { location in
                [location.expected, location.seen].map { $0.map { "\($0)" } ?? "–" }.joined(separator: " / ")
            }.joined(separator: ", ")
            let more = change.locations.count > 3 ? ", …" : ""
            let cells = [difference.expected, difference.seen].map {
                $0.map(MarkdownReport.codeInTable) ?? ""
            }
            return
                "| \(change.kind.rawValue) | \(entries)\(more) | \(MarkdownReport.escaped(difference.label)) | \(cells[0]) | \(cells[1]) | \(MarkdownReport.escaped(difference.note)) |"
        }
        let head = ["| request | entries A / B | what | A | B | |", "| --- | --- | --- | --- | --- | --- |"]
        return ["## \(title)", (head + rows).joined(separator: "\n")]
    }
}
