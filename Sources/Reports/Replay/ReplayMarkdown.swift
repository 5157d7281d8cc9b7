import Flows
import Replay

/// Replays for a ticket or a job's summary.
package enum ReplayMarkdown {
    package static func text(of reports: [ReplayReport], showsAll: Bool) -> String {
        var blocks = ["# Login replay", "\(reports.count) replayed, \(verdict(on: reports))"]
        let rows = reports.map { report in
            let result = report.isSame ? "same" : report.foundNobody ? "**not reached**" : "**differs**"
            let words = report.foundNobody ? report.unreachable ?? "" : report.headline
            return
                "| \(MarkdownReport.codeInTable("\(report.capture)#\(report.flow.id)")) | \(MarkdownReport.escaped(report.flow.grant)) | \(result) | \(MarkdownReport.escaped(words)) |"
        }
        blocks.append(
            (["| flow | grant | result | |", "| --- | --- | --- | --- |"] + rows).joined(separator: "\n")
        )
        for report in reports where showsAll || !report.isSame {
            if let difference = report.difference {
                blocks.append(DifferenceMarkdown.text(of: difference, showsAll: showsAll))
            }
            let notSent = report.notSent.map { step, reason in
                "- entry \(step.exchange), \(MarkdownReport.code(PlanText.name(of: step))): \(MarkdownReport.escaped(reason))"
            }
            if !notSent.isEmpty { blocks.append((["Not sent:", ""] + notSent).joined(separator: "\n")) }
        }
        return blocks.joined(separator: "\n\n")
    }

    /// How many differ, and how many found nobody.
    private static func verdict(on reports: [ReplayReport]) -> String {
        let failing = reports.count { !$0.isSame }
        guard failing > 0 else { return "all the same" }
        let missed = reports.count(where: \.foundNobody)
        let different = failing - missed
        let words = [(different, different == 1 ? "differs" : "differ"), (missed, "not reached")]
        return words.filter { $0.0 > 0 }.map { "**\($0.0) \($0.1)**" }.joined(separator: ", ")
    }
}
