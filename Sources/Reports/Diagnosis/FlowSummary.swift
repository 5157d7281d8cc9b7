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
        var client: String?
        /// The first flow in which the same was found, where that was told of enough flows before this one.
        var like: String?

        init(_ item: Report.DiagnosedFlow) {
            id = item.flow.id
            client = item.flow.clientID
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
    /// How wide a line may be; nil for as wide as it is.
    var columns: Int? = nil

    /// Nil where the flows are few.
    var text: String? {
        guard lines.count >= Self.fewest else { return nil }
        let rows = rows
        let width = rows.map(\.name.count).max() ?? 0
        let one = isAlone ? "--flow ID for one of them" : "with this capture alone, --flow ID for one of them"
        let choice = lines.contains { $0.like != nil } ? one + ", --verbose for each" : one
        let head = style.bold(Self.counted(lines)) + style.dim(" · \(choice)")
        return ([head] + rows.map { text(of: $0, width) }).joined(separator: "\n")
    }

    /// What stands on one line: a flow, or those that are like one before them, where the first of these would stand.
    private struct Row {
        var name: String
        var line: Line
        /// What they are like, and which they are.
        var others: String?
    }

    private var rows: [Row] {
        let untold = Dictionary(grouping: lines.filter { $0.like != nil }) { $0.like ?? "" }
        return lines.compactMap { line in
            guard let like = line.like, let alike = untold[like] else {
                let isListed = line.outcome != .success || line.finding != nil
                return isListed ? Row(name: line.id, line: line) : nil
            }
            guard alike[0].id == line.id else { return nil }
            guard alike.count > 1 else { return Row(name: line.id, line: line, others: "like \(like)") }
            return Row(name: "\(alike.count) more", line: line, others: Self.others(alike, like: like))
        }
    }

    /// The first few by their ids, and the last.
    private static func others(_ alike: [Line], like: String) -> String {
        let ids = alike.map(\.id)
        let few = mostNamed < ids.count ? ids.prefix(mostNamed - 1) + ["… \(ids[ids.count - 1])"] : ids[...]
        let clients = Set(alike.compactMap(\.client)).count
        return "like \(like)" + (clients > 1 ? ", of \(clients) clients" : "") + ": "
            + few.joined(separator: ", ")
    }

    private func text(of row: Row, _ width: Int) -> String {
        let line = row.line
        let start = "  \(row.name.padded(to: width))  \(style.outcome(line.outcome))"
        guard let finding = line.finding else { return row.others.map { behind(start, $0) } ?? start }
        let margin = "".padded(to: Self.widthOfOutcomes - line.outcome.rawValue.count)
        let told = "\(start)\(margin)  \(style.severity(finding.severity)) \(finding.name)"
        // Which later login went well is not said of many at once.
        if let others = row.others { return behind(told, others) }
        return told + (line.later.map { style.dim(" · \($0) went well") } ?? "")
    }

    /// Which others there are, below what is told of them where there is no room beside it.
    private func behind(_ told: String, _ others: String) -> String {
        guard let columns, told[...].styledWidth + 2 + others.count > columns else {
            return told + style.dim("  " + others)
        }
        let below = others.wrapped(to: columns, indent: "    ").map { style.dim($0) }
        return ([told] + below).joined(separator: "\n")
    }

    private static let mostNamed = 4

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
