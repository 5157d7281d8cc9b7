import Diagnosis
package import Flows
package import Replay

/// Two flows compared, as every printed form of `diff` and of a replay's verdict has it.
package struct DifferenceReport: Sendable {
    /// One of the two.
    package struct Side: Sendable {
        /// The capture's name as the user wrote it.
        package var capture: String
        package var flow: Flow
        /// As `diagnose` has it: an answer that a client has to reject is no success.
        package var outcome: Outcome { Diagnostician.diagnose(flow, rules: RuleCatalog.rules).outcome }

        package init(capture: String, flow: Flow) {
            self.capture = capture
            self.flow = flow
        }

        /// `login.har#flow-1`, as `diff` reads it.
        package var name: String { "\(capture)#\(flow.id)" }
    }

    package var expected: Side
    package var seen: Side
    package var difference: FlowDifference

    /// `areJudged`: whether what became of them by their findings counts where their steps are the same.
    package init(expected: Side, seen: Side, options: ComparisonOptions, areJudged: Bool = true) {
        self.expected = expected
        self.seen = seen
        let difference = FlowDifference(expected.flow, seen.flow, options: options)
        self.difference =
            areJudged && difference.isSame ? difference.judged(expected.outcome, seen.outcome) : difference
    }

    /// The verdict in one line.
    package var headline: String { headline { $0.note } }

    /// The same with a note of one's own.
    func headline(_ note: (ValueDifference) -> String) -> String {
        guard let first = difference.first else { return "the same" }
        let place = first.step.map { $0.kind.rawValue } ?? "the flow"
        var noted = first.difference
        noted.note = note(noted)
        return "first difference: \(place): \(Self.words(for: noted))"
    }

    /// Name and explanation of a difference.
    static func words(for difference: ValueDifference) -> String {
        difference.aspect == "step" ? difference.note : "\(difference.label): \(difference.note)"
    }

    /// How many differences and notes there are.
    var counts: (differences: Int, notes: Int) {
        let all = difference.steps.flatMap(\.differences) + difference.overall
        let count = all.count { $0.weight == .difference }
        return (count, all.count - count)
    }
}
