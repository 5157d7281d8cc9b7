import Captures
import Flows

extension Violation {
    /// A warning, where it rests on a request that was refused and made again, and the capture lacks the answer to the next try: that one
    /// may have made up for it.
    ///
    /// `severity`: the rule's own.
    func leftOpen(by severity: RuleSeverity, in flow: Flow) -> Violation {
        guard isError(of: severity), flow.ending != .success, let refused = faultyExchange,
            let next = flow.surroundings.unseenRetry(of: refused),
            // Another refusal beside it stands.
            evidence.allSatisfy({ isLeftOpen($0.place.exchange, in: flow) })
        else { return self }
        var violation = self
        violation.severity = .warning
        violation.evidence.append(
            Evidence(
                place: Place(exchange: next, part: .responseStatus, name: ""),
                value: "none",
                note: "the next try: its answer is not in the capture"
            )
        )
        return violation
    }

    private func isLeftOpen(_ exchange: Int?, in flow: Flow) -> Bool {
        guard let exchange, let status = flow.capture[exchange].response?.status, status >= 400 else {
            return true
        }
        return flow.surroundings.unseenRetry(of: exchange) != nil
    }
}
