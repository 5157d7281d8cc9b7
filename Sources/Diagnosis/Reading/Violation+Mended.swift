import Captures
import Flows
import OAuth

extension Violation {
    /// A note, where it is about a request that the provider refused at once, and took when the same login was asked for again.
    ///
    /// `severity`: the rule's own.
    func mended(by severity: RuleSeverity, in flow: Flow) -> Violation {
        guard isError(of: severity), let exchange = faultyExchange,
            let next = flow.mendedRequests[exchange],
            // What the next try met with is another matter.
            evidence.allSatisfy({ $0.place.exchange.map { flow.isMendedOrTaken($0) } ?? true })
        else { return self }
        var violation = self
        violation.severity = .note
        violation.evidence.append(
            flow.urlEvidence(of: next, note: "the next try of this login, which the provider took")
        )
        return violation
    }
}

extension Flow {
    /// The exchanges of tries that the provider refused at once, each with the request by which the same login was then taken.
    fileprivate var mendedRequests: [Int: Int] { derived.value { MendedRequests(of: self) }.next }

    fileprivate func isMendedOrTaken(_ exchange: Int) -> Bool {
        mendedRequests[exchange] != nil || (capture[exchange].response?.status ?? 0) < 400
    }
}

private struct MendedRequests: Sendable {
    private(set) var next: [Int: Int] = [:]

    init(of flow: Flow) {
        let logins = flow.logins
        guard logins.count > 1 else { return }
        let taken = logins.filter { $0.response.map { $0.error == nil } ?? false }
        let byState = Dictionary(taken.map { ($0.request.state ?? "", $0.request.exchange) }) { $1 }
        for login in logins where login.response == nil {
            guard let state = login.request.state, !state.isEmpty, let later = byState[state],
                flow.surroundings.position[later] > flow.surroundings.position[login.request.exchange],
                let status = flow.capture[login.request.exchange].response?.status, status >= 400
            else { continue }
            next[login.request.exchange] = later
            if let source = flow.surroundings.redirectedFrom[login.request.exchange] { next[source] = later }
        }
    }
}
