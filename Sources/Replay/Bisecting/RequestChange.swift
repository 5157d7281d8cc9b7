package import Flows

/// A difference between the requests of two flows that can be made on its own: the plan of the flow that works, with
/// this one thing done as in the flow that fails.
package struct RequestChange: Sendable {
    /// Where it stands: exchanges of the two flows; nil where one has none.
    package struct Location: Sendable, Hashable {
        package var expected: Int?
        package var seen: Int?

        package init(expected: Int?, seen: Int?) {
            self.expected = expected
            self.seen = seen
        }
    }

    /// Of the first place.
    package var kind: StepKind
    /// A header of every request is one change with many places.
    package var locations: [Location]
    /// In words, both sides masked where they are secret.
    package var difference: ValueDifference
    var edits: [PlanEdit]

    init(
        _ kind: StepKind,
        _ location: Location,
        _ difference: ValueDifference,
        _ edits: [PlanEdit]
    ) {
        self.kind = kind
        locations = [location]
        self.difference = difference
        self.edits = edits
    }

    /// What is told where the change cannot be made in a replay.
    package var isApplicable: Bool { !edits.isEmpty }
}
