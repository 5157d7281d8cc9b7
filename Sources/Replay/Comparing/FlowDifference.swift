import Captures
package import Flows

/// Two flows side by side: what is not the same, volatile values aside.
///
/// A value that is made anew in each run is not compared; what it is to its flow is: whether `state` came back as it
/// was sent, whether the verifier fits the challenge, whether the nonce of the ID token is the one that was asked for.
/// A pure function of the flows.
package struct FlowDifference: Sendable {
    /// Ids of the two flows.
    package let expectedID: String
    package let seenID: String
    /// What differs between the flows as a whole.
    package private(set) var overall: [ValueDifference]
    /// In order: a step of the first flow with one of the second, or one of the two missing.
    package let steps: [StepPair]
    /// The difference that comes first in the course of the login, with the step it is in (nil: the flow as a whole).
    package private(set) var first: (step: StepPair?, difference: ValueDifference)?

    /// Whether there is no difference of weight ``DifferenceWeight/difference``.
    package var isSame: Bool { first == nil }

    /// `expected`: as it ought to be; `seen` is compared with it.
    package init(_ expected: Flow, _ seen: Flow, options: ComparisonOptions = ComparisonOptions()) {
        let isOther = options.isOtherProvider
        let redactions = [expected, seen].compactMap(\.capture.redaction)
        let passwordFields = PasswordFields(in: [expected, seen])
        let left = FlowReading(
            expected,
            passwordFields: passwordFields,
            leavingOut: options.leavingOut,
            isOtherProvider: isOther,
            redactions: redactions
        )
        let right = FlowReading(
            seen,
            passwordFields: passwordFields,
            isOtherProvider: isOther,
            redactions: redactions
        )
        var comparison = FlowComparison(left, right, redactions: redactions, options: options)
        comparison.run()
        expectedID = expected.id
        seenID = seen.id
        overall = comparison.overall
        steps = comparison.pairs.map(\.pair)
        first = comparison.first
    }

    /// The same, with what became of the flows by their findings, where nothing else tells them apart: what stands beside their
    /// steps (an app that hands its code to its own server) is not compared.
    package func judged(_ expected: Outcome, _ seen: Outcome) -> FlowDifference {
        guard isSame, expected != seen else { return self }
        var judged = self
        let difference = ValueDifference.ofFlows("outcome", expected.rawValue, seen.rawValue, .difference)
        judged.overall.append(difference)
        judged.first = (nil, difference)
        return judged
    }
}
