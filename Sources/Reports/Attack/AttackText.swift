import Captures
import Diagnosis

/// An attack suite for people on a terminal: what was let through first, then the rest in a line each.
package struct AttackText {
    private let report: AttackReport
    private let style: TextStyle

    package init(_ report: AttackReport, style: TextStyle) {
        self.report = report
        self.style = style
    }

    package var text: String {
        let blocks = [
            [head], failures, undecided, rejected, information(.letThrough), information(.rejected), skipped,
            [verdict],
        ]
        return blocks.filter { !$0.isEmpty }.map { $0.joined(separator: "\n") }.joined(separator: "\n\n")
    }

    /// A line for a fault that was just tried.
    package static func line(of row: AttackReport.Row, style: TextStyle) -> String {
        let word =
            switch (row.verdict, row.mustBeRejected) {
            case (.rejected, true): style.green("rejected".padded(to: 13))
            case (.rejected, false): "failed".padded(to: 13)
            case (.letThrough, true): style.red("LET THROUGH".padded(to: 13))
            case (.letThrough, false): "went through".padded(to: 13)
            case (.undecided, _): style.yellow("undecided".padded(to: 13))
            case (.notExercised, _): style.dim("not exercised".padded(to: 13))
            }
        let time = row.duration.map { "  " + style.dim(PlanText.seconds($0)) } ?? ""
        return "  \(word)  \(row.fault)\(time)\(row.isTimeout ? "  " + style.yellow("timed out") : "")"
    }

    /// A line for a login without a fault.
    package static func line(ofGoodLogin succeeded: Bool, _ duration: Duration, style: TextStyle) -> String {
        let word = "good login".padded(to: 13)
        let time = style.dim(PlanText.seconds(duration))
        return succeeded ? "  \(style.green(word))  \(time)" : "  \(style.red(word))  failed  \(time)"
    }

    // MARK: - Parts

    private var head: String {
        style.bold("attack suite") + " · \(report.issuer) · ".printable
            + "\(report.rows.count.counted("fault")), \(report.exercised.count) exercised, in \(PlanText.seconds(report.duration))"
    }

    private var failures: [String] {
        details(
            report.failures,
            style.red("let through, although a correct client must reject it:"),
            style.red("✗")
        )
    }

    private var undecided: [String] {
        details(
            report.rows(mustBeRejected: true, .undecided),
            style.yellow("undecided, which is neither passed nor failed; look at the app:"),
            style.yellow("?")
        )
    }

    private func details(_ rows: [AttackReport.Row], _ title: String, _ mark: String) -> [String] {
        guard !rows.isEmpty else { return [] }
        return [title]
            + rows.flatMap { row in
                var lines = ["  \(mark) \(style.bold(row.fault))  \(row.summary)"]
                if let duty = row.duty { lines.append("      must: \(duty)") }
                if let reason = row.reason { lines.append("      " + style.yellow(reason.printable)) }
                let sections = row.specifications.map(\.text).joined(separator: ", ")
                if !sections.isEmpty { lines.append("      " + style.dim(sections)) }
                lines.append("      " + style.dim(Self.course(row)))
                return lines
            }
    }

    private var rejected: [String] {
        list(report.rows(mustBeRejected: true, .rejected), "rejected, as it must be:", style.green("✓"))
    }

    /// Faults that a client need not reject.
    private func information(_ verdict: AttackReport.Verdict) -> [String] {
        list(
            report.rows(mustBeRejected: false, verdict),
            verdict == .letThrough
                ? "for information, the login went through with:"
                : "for information, the login failed with:",
            style.dim("·")
        )
    }

    private func list(_ rows: [AttackReport.Row], _ title: String, _ mark: String) -> [String] {
        guard !rows.isEmpty else { return [] }
        let width = rows.map(\.fault.count).max() ?? 0
        return [title]
            + rows.map { row in
                "  \(mark) \(row.fault.padded(to: width))  " + style.dim(Self.course(row))
                    + (row.isDoubtful ? "  " + style.yellow("unconfirmed") : "")
            }
    }

    private var skipped: [String] {
        guard !report.skipped.isEmpty else { return [] }
        return ["not exercised, which is neither passed nor failed:"]
            + report.skipped.flatMap { reason, faults in
                ["  \(reason.printable):"] + Self.wrapped(faults).map { "    " + style.dim($0) }
            }
    }

    private var verdict: String {
        var lines: [String] = []
        if let stopped = report.stopped { lines.append(style.yellow("stopped: \(stopped.printable)")) }
        let isGood = report.failures.isEmpty && report.provesSomething && report.stop == nil
        lines.append(isGood ? style.green(report.headline) : style.red(report.headline))
        return lines.joined(separator: "\n")
    }

    /// What the app did after the first wrong answer, and how the command ended.
    static func course(_ row: AttackReport.Row) -> String {
        let onward =
            row.wentOn.isEmpty ? "asked for nothing more" : "went on to \(row.wentOn.joined(separator: ", "))"
        if row.isTimeout { return "\(onward), timed out" }
        return row.ending.map { "\(onward), \($0)" } ?? onward
    }

    private static func wrapped(_ words: [String], to columns: Int = 96) -> [String] {
        words.reduce(into: [String]()) { lines, word in
            if let last = lines.last, last.count + word.count + 2 <= columns {
                lines[lines.count - 1] = "\(last), \(word)"
            } else {
                if !lines.isEmpty { lines[lines.count - 1] += "," }
                lines.append(word)
            }
        }
    }
}
