package import Flows

/// A step of one flow beside its counterpart in another.
package struct StepPair: Sendable {
    package var kind: StepKind
    /// The exchange in the first flow; nil where it has no such step.
    package var expected: Int?
    package var seen: Int?
    /// Method and address, of the second flow where it has the step.
    package var summary: String
    /// Status of the answers; nil where there is none.
    package var expectedStatus: Int?
    package var seenStatus: Int?
    /// What was asked before what was answered.
    package var differences: [ValueDifference]

    /// Whether nothing differs; notes do not count.
    package var isSame: Bool { differences.allSatisfy { $0.weight == .note } }
}
