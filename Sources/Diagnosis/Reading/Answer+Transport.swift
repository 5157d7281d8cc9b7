import Captures
import Flows
import OAuth

extension Answer {
    /// Whether a rule of the transport accounts for it: nobody answered, for a reason that is known, or too many requests.
    var isExplainedByTransport: Bool {
        guard status == nil else { return status == 429 }
        let failure = failure.flatMap { TransportFailure($0) }
        return failure != nil && failure != .unanswered
    }

    /// No answer because the client wanted none any more.
    var isCancelled: Bool {
        guard status == nil, let words = failure?.lowercased() else { return false }
        return ["err_aborted", "ns_binding_aborted", "err_blocked_by", "cancelled", "canceled"]
            .contains(where: words.containsBytes) || words.containsBytes("nsurlerrordomain -999")
    }
}
