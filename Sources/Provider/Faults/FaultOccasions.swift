import Captures
import OAuth

/// The faults of one answer: makes it wrong, and takes down which of them found something to make wrong.
///
/// Faults that are only asked about change a copy.
struct FaultOccasions {
    let kind: AnswerKind
    private(set) var broken: Set<String> = []
    private(set) var found: Set<String> = []
    private let faults: [Fault]
    private let probes: [Fault]
    private let context: FaultContext

    init(_ policy: ProviderPolicy, kind: AnswerKind, context: FaultContext) {
        faults = policy.faults
        probes = policy.probes
        self.kind = kind
        self.context = context
    }

    mutating func alter(_ answer: inout BuiltAnswer) {
        for fault in probes {
            guard case .answer(let alter) = fault.alteration else { continue }
            var copy = answer
            alter(&copy, context)
            if Self.isOccasion(fault, answer, copy) { found.insert(fault.id) }
        }
        for fault in faults {
            guard case .answer(let alter) = fault.alteration else { continue }
            let before = answer
            alter(&answer, context)
            if Self.isOccasion(fault, before, answer) { broken.insert(fault.id) }
        }
    }

    mutating func alter(_ response: inout RecordedResponse) {
        for fault in probes {
            guard case .response(let alter) = fault.alteration else { continue }
            var copy = response
            alter(&copy, context)
            if !copy.isSame(as: response) { found.insert(fault.id) }
        }
        for fault in faults {
            guard case .response(let alter) = fault.alteration else { continue }
            let before = response
            alter(&response, context)
            if !response.isSame(as: before) { broken.insert(fault.id) }
        }
    }

    /// The same of tokens that are sent to a client: no status and no fields of an answer come with them, so that nothing but their
    /// members can be wrong.
    mutating func alterPushed(_ answer: inout BuiltAnswer, in context: FaultContext) {
        for fault in probes {
            guard let changed = Self.pushed(answer, by: fault, context) else { continue }
            if Self.isOccasion(fault, answer, changed) { found.insert(fault.id) }
        }
        for fault in faults {
            guard let changed = Self.pushed(answer, by: fault, context) else { continue }
            if Self.isOccasion(fault, answer, changed) { broken.insert(fault.id) }
            answer = changed
        }
    }

    /// What a fault makes of tokens that are sent; nil where that is none any more, but a page, say.
    private static func pushed(_ answer: BuiltAnswer, by fault: Fault, _ context: FaultContext)
        -> BuiltAnswer?
    {
        guard case .answer(let alter) = fault.alteration else { return nil }
        var changed = answer
        alter(&changed, context)
        guard case .tokens(_, isForm: false) = changed.content else { return nil }
        changed.headers = answer.headers
        return changed
    }

    /// What was wrong with a request, and would have been refused.
    mutating func note(_ missed: Fault.Check?) {
        guard let missed else { return }
        for fault in probes where fault.omission == missed { found.insert(fault.id) }
        for fault in faults where fault.omission == missed { broken.insert(fault.id) }
    }

    /// Those of the way back, which whoever serves the answer carries out.
    mutating func note(_ request: RecordedRequest) {
        guard Fault.Delivery.concerns(request) else { return }
        for fault in probes where fault.delivery != nil { found.insert(fault.id) }
        for fault in faults where fault.delivery != nil { broken.insert(fault.id) }
    }

    private static func isOccasion(_ fault: Fault, _ before: BuiltAnswer, _ after: BuiltAnswer) -> Bool {
        (fault.need?.isMet(before) ?? true) && !after.isSame(as: before)
    }
}
