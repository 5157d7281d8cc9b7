import Diagnosis
import Flows

/// Tells which flows of a capture need not be told whole, since the same was found in enough of those before them: thousands of logins
/// that a test environment broke alike are one story.
struct AlikeFlows {
    /// So many of a sort are told whole; nil: all.
    var most: Int?

    /// What is alike in them: how they ended, and which findings they have in which order.
    private struct Sort: Hashable {
        var outcome: Outcome
        var findings: [String]
    }

    /// Of each sort the first flow, and how many there were.
    private var known: [Sort: (first: String, count: Int)] = [:]

    init(most: Int?) {
        self.most = most
    }

    /// The line of the next flow, with the one that it is like where enough of its sort were told.
    ///
    /// One in which nothing was found is short, and always told.
    mutating func line(of item: Report.DiagnosedFlow) -> FlowSummary.Line {
        var line = FlowSummary.Line(item)
        let findings = item.diagnosis.findings
        guard let most, !findings.isEmpty else { return line }
        let sort = Sort(outcome: item.diagnosis.outcome, findings: findings.map(Self.kind))
        let before = known[sort] ?? (item.flow.id, 0)
        known[sort] = (before.first, before.count + 1)
        if before.count >= most { line.like = before.first }
        return line
    }

    /// A finding without its values.
    private static func kind(of finding: Finding) -> String {
        let cause = finding.effectOf.map { " \($0) \(finding.effectOfFlow == nil ? "here" : "elsewhere")" }
        return "\(finding.severity.rawValue) \(finding.name)\(cause ?? "")"
    }
}
