import Captures
import OAuth

/// What the user sees at the provider, between request and response.
extension FlowGrouping {
    /// What the user sees at the provider, between request and response.
    mutating func joinPage(_ exchange: Int) {
        let recorded = capture[exchange]
        let url = recorded.request.url
        guard url.isWeb, let host = url.host, recorded.response != nil, recorded.request.method != "OPTIONS",
            !Asset.isAsset(recorded)
        else { return }
        open.removeAll { !$0.isOpen }
        let candidates = open.filter { $0.providerHosts.contains(host) || isLed(exchange, by: $0) }
        guard !candidates.isEmpty else { return }
        let flow: FlowBuilder
        if candidates.count == 1 {
            flow = candidates[0]
        } else {
            let related = candidates.map { ($0, isLed(exchange, by: $0) ? 1000 : $0.kinship(recorded)) }
            flow =
                related.max { ($0.1, $0.0.number) < ($1.1, $1.0.number) }?.0
                ?? candidates[candidates.count - 1]
        }
        // A redirect to the app's own pages does not make it a provider.
        guard !flow.clientHosts.contains(host) || flow.providerHosts.contains(host) else { return }
        attach(exchange, to: flow)
        flow.interactions.insert(exchange)
        flow.providerHosts.insert(host)
        flow.learn(recorded)
    }

    func isLed(_ exchange: Int, by flow: FlowBuilder) -> Bool {
        guard let source = index.redirectedFrom[exchange], let owner = byExchange[source] else {
            return false
        }
        return owner === flow
            && (flow.interactions.contains(source) || flow.requests.contains { $0.exchange == source })
    }
}
