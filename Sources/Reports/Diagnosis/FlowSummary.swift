import Captures
import Diagnosis
import Flows

/// What stands below the flows of a capture that has many: how they ended, and a line for each that is not as it should be.
struct FlowSummary {
    /// What is kept of a flow.
    struct Line: Sendable {
        var id: String
        var outcome: Outcome
        /// Severity and name of the first finding, with the flow that it is an effect of; of a login that went well, notes aside.
        var finding: (severity: Severity, name: String)?
        /// Id of the later flow of its client that went well.
        var later: String?

        init(_ item: Report.DiagnosedFlow) {
            id = item.flow.id
            outcome = item.diagnosis.outcome
            later = item.later?.flow
            let findings = item.diagnosis.findings
            guard
                let told = findings.first(where: \.isPrimary)
                    ?? findings.first(where: { $0.effectOfFlow != nil }),
                told.severity != .note || outcome != .success
            else { return }
            finding = (told.severity, told.name + (told.effectOfFlow.map { ", effect of \($0)" } ?? ""))
        }
    }

    /// Fewer are seen at a glance.
    static let fewest = 4

    var lines: [Line]
    var style: TextStyle
    /// Whether the capture is the only one that is told: `--flow` names a flow of one.
    var isAlone = true

    /// Nil where the flows are few.
    var text: String? {
        guard lines.count >= Self.fewest else { return nil }
        let listed = lines.filter { $0.outcome != .success || $0.finding != nil }
        let width = listed.map(\.id.count).max() ?? 0
        let choice =
            isAlone ? "--flow ID for one of them" : "with this capture alone, --flow ID for one of them"
        let head = style.bold(Self.counted(lines)) + style.dim(" · \(choice)")
        return ([head] + listed.map { text(of: $0, width) }).joined(separator: "\n")
    }

    private func text(of line: Line, _ width: Int) -> String {
        let start = "  \(line.id.padded(to: width))  \(style.outcome(line.outcome))"
        guard let finding = line.finding else { return start }
        let margin = "".padded(to: Self.widthOfOutcomes - line.outcome.rawValue.count)
        let later = line.later.map { style.dim(" · \($0) went well") } ?? ""
        return "\(start)\(margin)  \(style.severity(finding.severity)) \(finding.name)\(later)"
    }

    /// How many there are, and how many of them ended in each way: `30 flows: 23 failure, 7 success`.
    static func counted(_ lines: [Line]) -> String {
        let ends = Outcome.allCases.compactMap { outcome in
            let count = lines.count { $0.outcome == outcome }
            return count > 0 ? "\(count) \(outcome.rawValue)" : nil
        }
        return "\(lines.count.counted("flow")): \(ends.joined(separator: ", "))"
    }

    private static let widthOfOutcomes = Outcome.allCases.map(\.rawValue.count).max() ?? 0
}
