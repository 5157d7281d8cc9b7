import Flows
import Replay

/// Replays for a ticket or a job's summary.
package enum ReplayMarkdown {
    package static func text(of reports: [ReplayReport], showsAll: Bool) -> String {
        let failing = reports.count { !$0.isSame }
        let verdict =
            failing == 0
            ? "\(reports.count) replayed, all the same" : "\(reports.count) replayed, **\(failing) differ**"
        var blocks = ["# Login replay", verdict]
        let rows = reports.map { report in
            let result = report.isSame ? "same" : "**differs**"
            return
                "| \(MarkdownReport.codeInTable("\(report.capture)#\(report.flow.id)")) | \(MarkdownReport.escaped(report.flow.grant)) | \(result) | \(MarkdownReport.escaped(report.headline)) |"
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
}
