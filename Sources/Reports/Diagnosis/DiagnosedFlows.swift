import Captures
import Diagnosis
import Flows

/// The flows of a capture, each diagnosed when it is asked for, in their order; of one that failed it is looked ahead whether the next
/// ones went well.
///
/// Keeps the few flows that were looked at ahead of their turn, and no other.
struct DiagnosedFlows {
    let flows: FoundFlows
    let rules: [any Rule]
    /// Whether to look ahead at all.
    let looksAhead: Bool
    private var ahead: [Int: Report.DiagnosedFlow] = [:]
    private var comparisons = 0

    init(_ flows: FoundFlows, rules: [any Rule], looksAhead: Bool) {
        self.flows = flows
        self.rules = rules
        self.looksAhead = looksAhead
    }

    /// A comparison takes longer than a diagnosis, and nobody reads hundreds.
    private static let mostComparisons = 16

    /// The flow at a place, which is behind that of the last call.
    mutating func item(at place: Int) -> Report.DiagnosedFlow {
        var item = judged(place)
        ahead = ahead.filter { $0.key > place }
        guard looksAhead, LaterSuccess.isSought(after: item) else { return item }
        for next in flows.indices.dropFirst(place + 1).prefix(LaterSuccess.farthest) {
            let other = judged(next)
            ahead[next] = other
            let later = LaterSuccess(
                of: other,
                after: item,
                isCompared: comparisons < Self.mostComparisons
            )
            guard let later else { continue }
            comparisons += 1
            item.later = later
            break
        }
        return item
    }

    private func judged(_ place: Int) -> Report.DiagnosedFlow {
        ahead[place] ?? ReportBuilder.diagnosed(flows[place], rules: rules)
    }
}
