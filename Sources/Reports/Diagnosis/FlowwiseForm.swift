package import Captures
package import Diagnosis
import Flows

/// A printed form that tells one flow after the other, so that a capture of any size can be written while its flows are
/// found, with few of them in memory.
package struct FlowwiseForm: Sendable {
    /// What stands before the first flow, between two, and behind the last.
    let opening: String
    let separator: String
    let closing: String
    /// One flow of a capture, whose name is given, too.
    let text: @Sendable (Report.DiagnosedFlow, Capture, String) -> String
    /// What there is instead of all this where the capture has no flow; its name is given.
    let nothing: @Sendable (String, Capture) -> String
    /// Whether it tells of failed logins which later one went well.
    var looksAhead = false
    /// How many flows are told of those in which the same was found; the ending counts the others, nil: all are told.
    var mostAlike: Int?
    /// What stands at the very end, once all flows are told.
    var ending: @Sendable ([FlowSummary.Line]) -> String = { _ in "" }

    /// The whole of a report that is there already.
    package func text(of report: Report) -> String {
        guard !report.flows.isEmpty else { return nothing(report.name, report.capture) }
        var alike = AlikeFlows(most: mostAlike)
        let lines = report.flows.map { alike.line(of: $0) }
        let told = zip(report.flows, lines).filter { $1.like == nil }.map {
            text($0.0, report.capture, report.name)
        }
        return opening + told.joined(separator: separator) + closing + ending(lines)
    }

    /// Finds the flows of a capture and writes them, the text that ``text(of:)`` gives piece by piece.
    ///
    /// `id`: only this flow; `rules`: those that are asked; `seen`: gets each flow that was written.
    /// - Returns: the ids of all flows; nothing was written where `id` is none of them.
    /// - Throws: what `sink` throws.
    @discardableResult
    package func write(
        _ capture: Capture,
        named name: String,
        flow id: String? = nil,
        rules: [any Rule] = RuleCatalog.rules,
        to sink: (String) throws -> Void,
        seen: (Report.DiagnosedFlow) -> Void = { _ in }
    ) rethrows -> [String] {
        let flows = FlowFinder.found(in: capture)
        guard !flows.isEmpty else {
            if id == nil { try sink(nothing(name, capture)) }
            return []
        }
        let wanted = flows.indices.filter { id == nil || flows.id($0) == id }
        var diagnosed = DiagnosedFlows(flows, rules: rules, looksAhead: looksAhead)
        var alike = AlikeFlows(most: mostAlike)
        var lines: [FlowSummary.Line] = []
        for (place, index) in wanted.enumerated() {
            let item = diagnosed.item(at: index)
            let line = alike.line(of: item)
            if line.like == nil {
                try sink((place == 0 ? opening : separator) + text(item, capture, name))
            }
            seen(item)
            lines.append(line)
        }
        if !wanted.isEmpty { try sink(closing + ending(lines)) }
        return flows.indices.map(flows.id)
    }
}
