import Captures
import Flows
import OAuth

/// What a provider says is wrong with how a client proved itself, where the capture has nothing to hold against what was sent, or has it that this
/// is as it should be.
///
/// A rule's finding needs both sides; the refusal's own (``TokenInvalidClient``, ``TokenEndpointError``) says what the provider said.
struct StatedClientRefusal {
    let words: Violation.Words
    /// What was sent and is called wrong.
    let evidence: [Evidence]

    init(words: Violation.Words, evidence: [Evidence]) {
        self.words = words
        self.evidence = evidence
    }

    /// Nil of words that leave the reason open, and of a call that was made once more with success.
    init?(of call: ClientCall, in flow: Flow) {
        guard call.answer.isRefusal, !call.isRepaired,
            let stated = StatedAuthenticationMethod.refusal(of: call, in: flow)
        else { return nil }
        self = stated
    }

    /// What the first of several is told; the others were mostly made by the same client, and are refused alike.
    static func first(of calls: [ClientCall], in flow: Flow) -> StatedClientRefusal? {
        calls.prefix(4).lazy.compactMap { StatedClientRefusal(of: $0, in: flow) }.first
    }
}
