import Captures
import Flows
import OAuth

/// A step that only one of two flows has.
struct MissingStep {
    let step: ComparedStep
    /// The first flow has it, the second has not.
    let isExpected: Bool
    /// Nothing behind it has a counterpart either.
    let isBehind: Bool
    let seen: FlowReading

    func difference(isOtherProvider: Bool) -> ValueDifference {
        let status = step.exchange.response.map { "\($0.status)" } ?? "no answer"
        let error = step.answer?.error.map { " \($0.error)" } ?? ""
        return ValueDifference(
            place: Place(exchange: step.index, part: .requestURL, name: ""),
            name: "",
            aspect: "step",
            expected: isExpected ? status : nil,
            seen: isExpected ? nil : status + error,
            weight: isNote || isOtherProvider && Requirement.mayBeMissing(step.kind) ? .note : .difference,
            note: words
        )
    }

    /// Pages come as they come, and documents are read once and kept, or every time; one that was not there is no such.
    private var isNote: Bool { step.kind == .userInteraction || step.isDocument && !step.isFailed }

    private var words: String {
        if isExpected { return isBehind ? "the second flow ends before it" : "not in the second flow" }
        return "not in the first flow" + (why.map { ": \($0)" } ?? "")
    }

    /// Why it may have come in addition.
    private var why: String? {
        let position = seen.flow.surroundings.position
        let before = seen.steps.filter {
            $0.kind == step.kind && position[$0.index] < position[step.index]
        }
        guard !before.isEmpty else { return nil }
        switch step.kind {
        case .tokenRequest where isRepeated("code", before): return "the same code is sent again"
        case .authorizationRequest where !isRepeated("state", before): return "the login begins anew"
        case .authorizationResponse where isRepeated("code", before): return "the same response arrives again"
        default: return "one more than there"
        }
    }

    private func isRepeated(_ name: String, _ before: [ComparedStep]) -> Bool {
        guard let value = step.step.parameters[name] else { return false }
        return before.contains { $0.step.parameters[name] == value }
    }
}
