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
    /// It was asked for again, and nothing in the second flow tells what it is.
    let isRepeated: Bool
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
    private var isNote: Bool {
        isRepeated || step.kind == .userInteraction || step.isDocument && !step.isFailed
    }

    private var words: String {
        if isRepeated { return "asked for again, and not known as such without the metadata" }
        if isExpected { return isBehind ? "the second flow ends before it" : "not in the second flow" }
        return "not in the first flow" + (why.map { ": \($0)" } ?? "")
    }

    /// Why it may have come in addition.
    private var why: String? {
        guard seen.hasEarlier(than: step) else { return nil }
        switch step.kind {
        case .tokenRequest where seen.hasEarlier(than: step, with: "code"):
            return "the same code is sent again"
        case .authorizationRequest where !seen.hasEarlier(than: step, with: "state"):
            return "the login begins anew"
        case .authorizationResponse where seen.hasEarlier(than: step, with: "code"):
            return "the same response arrives again"
        default: return "one more than there"
        }
    }
}
