import Diagnosis
import Flows

/// What `diagnose` says at the end of several captures: one line each, then how many are broken.
package enum SummaryText {
    package static func text(of reports: [Report], style: TextStyle) -> String {
        let names = reports.map { $0.name.printable }
        let width = min(names.map(\.count).max() ?? 0, 60)
        var lines = [style.bold("\(reports.count) captures")]
        for (report, name) in zip(reports, names) {
            lines.append("  \(name.padded(to: width))  \(verdict(report, style))")
        }
        let broken = reports.count(where: \.hasErrors)
        let unread = reports.count { $0.failure != nil }
        let bad = [(broken, "broken"), (unread, "not read")].filter { $0.0 > 0 }.map { "\($0.0) \($0.1)" }
        lines.append(
            bad.isEmpty ? style.green("none is broken") : style.red(bad.joined(separator: ", "))
        )
        return lines.joined(separator: "\n")
    }

    private static func verdict(_ report: Report, _ style: TextStyle) -> String {
        guard report.failure == nil else { return style.red("not read") }
        guard !report.flows.isEmpty else { return style.dim("no login") }
        let lines = report.flows.map(FlowSummary.Line.init)
        if lines.count >= FlowSummary.fewest { return FlowSummary.counted(lines) }
        return report.flows.map { item in
            let outcome = style.outcome(item.diagnosis.outcome)
            guard let primary = item.diagnosis.findings.first(where: \.isPrimary) else { return outcome }
            return "\(outcome) \(primary.name)"
        }.joined(separator: ", ")
    }
}
