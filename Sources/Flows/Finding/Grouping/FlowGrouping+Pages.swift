import Captures
import OAuth

/// What the user sees at the provider, between request and response, and when logging out.
extension FlowGrouping {
    mutating func joinPage(_ exchange: Int) {
        let recorded = capture[exchange]
        let url = recorded.request.url
        guard url.isWeb, let host = url.host, recorded.response != nil, recorded.request.method != "OPTIONS",
            !Asset.isAsset(recorded), !joinNotification(exchange)
        else { return }
        let isAtHost = { (flow: FlowBuilder) in flow.isOpen && flow.providerHosts.contains(host) }
        let known =
            leader(of: exchange) ?? confirmed(by: exchange) ?? carried.nearest(to: recorded, where: isAtHost)
        if known == nil, let flow = logoutPages.flow(goingOnWith: exchange, in: index) {
            attach(exchange, to: flow)
            flow.interactions.insert(exchange)
            logoutPages.insert(exchange, of: flow, in: index)
            return
        }
        let isLikely = { [index] (flow: FlowBuilder) in flow.mayBeOfBrowser(in: exchange, index) }
        guard let flow = known ?? open.last(at: host, preferring: isLikely) else { return }
        // A redirect to the app's own pages does not make it a provider.
        guard !flow.isOfAppAlone(host) else { return }
        attach(exchange, to: flow)
        flow.interactions.insert(exchange)
        flow.lastPage[host] = exchange
        know(host, of: flow)
        carried.learn(recorded, page: index.page(exchange), of: flow)
    }

    /// The open flow whose request or page redirected to an exchange.
    func leader(of exchange: Int) -> FlowBuilder? {
        guard let source = index.redirectedFrom[exchange], let flow = byExchange[source], flow.isOpen,
            flow.interactions.contains(source) || flow.requests.contains(where: { $0.exchange == source })
        else { return nil }
        return flow
    }
}
