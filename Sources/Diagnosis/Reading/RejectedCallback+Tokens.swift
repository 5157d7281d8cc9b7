import Captures
import Flows
import OAuth

extension RejectedCallback {
    /// That the app had exchanged the code when it refused, and what it had to judge by.
    ///
    /// The algorithm of the ID token, and the last of what its server fetched after that; nil where it got no tokens.
    func tokens(in flow: Flow) -> [Evidence]? {
        let refused = flow.capture[place]
        guard
            let request = flow.tokenRequests.last(where: {
                $0.code != nil && $0.code == response.code && $0.answer.isSuccess
                    && $0.startedAt >= refused.startedAt && $0.startedAt <= refused.endedAt
            })
        else { return nil }
        let last = lastCall(after: request, until: refused.endedAt, in: flow)
        var evidence = [
            request.answer.statusEvidence(
                note: "the code was exchanged"
                    + (last == nil ? ", and nothing fetched after it, neither keys nor user data" : "")
            )
        ]
        let token = flow.deliveredIDTokens.first { $0.tokenRequest?.exchange == request.exchange }
        if let token { evidence.append(token.evidence(ofHeader: "alg")) }
        if let last {
            evidence.append(
                Evidence(
                    place: Place(exchange: last, part: .requestURL, name: ""),
                    value: Masking.shown(flow.capture[last].request.url.withoutQuery, of: "url"),
                    note: "the last that the app's server fetched before it refused"
                )
            )
        }
        return evidence
    }

    /// By the client that exchanged the code.
    private func lastCall(after request: TokenRequest, until end: Timestamp, in flow: Flow) -> Int? {
        let agent = flow.capture[request.exchange].request.headers.first("user-agent")
        return flow.exchanges.last { exchange in
            let call = flow.capture[exchange]
            return exchange != request.exchange && exchange != place
                && call.request.headers.first("user-agent") == agent
                && call.startedAt >= request.startedAt && call.startedAt <= end
        }
    }
}
