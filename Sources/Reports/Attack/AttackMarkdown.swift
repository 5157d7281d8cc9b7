import Diagnosis

/// Attack suites for a ticket or a job's summary.
package enum AttackMarkdown {
    package static func text(of report: AttackReport) -> String {
        var blocks = ["# Attack suite", MarkdownReport.escaped(report.headline)]
        if let stopped = report.stopped { blocks.append("**Stopped:** \(MarkdownReport.escaped(stopped))") }
        if !report.failures.isEmpty {
            blocks.append("## Let through")
            blocks.append(report.failures.map(item).joined(separator: "\n"))
        }
        let attacks = report.rows.filter { $0.mustBeRejected && $0.verdict != .notExercised }
        if !attacks.isEmpty {
            let rows = attacks.map { row in
                let verdict =
                    row.isFailure ? "**let through**" : row.isDoubtful ? "unconfirmed" : row.verdict.rawValue
                return "| \(MarkdownReport.codeInTable(row.fault)) | \(verdict) | \(course(row)) |"
            }
            blocks.append("## What a correct client must reject")
            blocks.append((["| fault | | then |", "| --- | --- | --- |"] + rows).joined(separator: "\n"))
        }
        let others = report.rows.filter { !$0.mustBeRejected && $0.verdict != .notExercised }
        if !others.isEmpty {
            let rows = others.map { row in
                let verdict = row.verdict == .letThrough ? "went through" : "failed"
                return "| \(MarkdownReport.codeInTable(row.fault)) | \(verdict) | \(course(row)) |"
            }
            blocks.append("## For information")
            blocks.append(
                (["| fault | login | then |", "| --- | --- | --- |"] + rows).joined(separator: "\n")
            )
        }
        if !report.skipped.isEmpty {
            blocks.append("## Not exercised")
            blocks.append(
                report.skipped.map { reason, faults in
                    "- \(MarkdownReport.escaped(reason)): \(faults.map(MarkdownReport.code).joined(separator: ", "))"
                }.joined(separator: "\n")
            )
        }
        return blocks.joined(separator: "\n\n")
    }

    /// What came of it, and behind that the condition where the login may go through.
    private static func course(_ row: AttackReport.Row) -> String {
        MarkdownReport.escaped(
            [AttackText.course(row), row.reason].compactMap(\.self).joined(separator: "; ")
        )
    }

    private static func item(_ row: AttackReport.Row) -> String {
        let sections = row.specifications.map { section in
            section.url.map { "[\(MarkdownReport.escaped(section.text))](\($0))" }
                ?? MarkdownReport.escaped(section.text)
        }.joined(separator: ", ")
        return "- \(MarkdownReport.code(row.fault)): \(MarkdownReport.escaped(row.summary)) "
            + "*Must:* \(MarkdownReport.escaped(row.duty ?? "reject it.")) \(sections)"
    }
}
