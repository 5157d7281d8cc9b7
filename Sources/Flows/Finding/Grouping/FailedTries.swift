import Captures
import OAuth

/// Token requests without a code or token of their own that came to nothing, by what a further try has in common with them.
///
/// A request that says by its own values whose it is, is none of them.
struct FailedTries {
    /// What two tries of one request have in common: all but what is made anew for each.
    struct Values: Hashable {
        private let values: [String?]

        /// Nil for requests that say by their own values whose they are.
        init?(_ request: TokenRequest) {
            guard !request.isCodeExchange, !request.isRefresh, request.polledCode == nil,
                !request.parameters.isEmpty
            else { return nil }
            let sent = request.parameters.items.filter { $0.name != "client_assertion" }
                .map { "\($0.name)=\($0.value)" }
            values = [request.endpoint.text, request.clientID] + sent.sorted()
        }
    }

    private var failed: [Values: (flow: FlowBuilder, at: Timestamp)] = [:]

    /// Keeps the flow for a further try of a request where this one came to nothing.
    mutating func note(_ request: TokenRequest, _ values: Values, of flow: FlowBuilder) {
        let isForLater = request.answer.status.map { $0 >= 500 || $0 == 429 } ?? true
        failed[values] = isForLater ? (flow, request.startedAt) : nil
    }

    /// The flow of a try within the last half minute that was not answered, or told to come later.
    func flow(triedAgainBy request: TokenRequest, _ values: Values) -> FlowBuilder? {
        guard let failed = failed[values], request.startedAt - failed.at <= .seconds(30) else { return nil }
        return failed.flow
    }
}
