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
        guard !flow.isOfAppAlone(host), !isOpenedOfApp(exchange, in: flow) else { return }
        attach(exchange, to: flow)
        flow.interactions.insert(exchange)
        flow.lastPage[host] = exchange
        know(host, of: flow)
        carried.learn(recorded, page: index.page(exchange), of: flow)
    }

    /// Whether a page of the app's is opened where nothing of the provider's leads to it: on a machine of a developer's the two differ by
    /// their ports.
    private func isOpenedOfApp(_ exchange: Int, in flow: FlowBuilder) -> Bool {
        let request = capture[exchange].request
        guard request.method == "GET", let hostAndPort = request.url.hostAndPort,
            // Nearly always: no page of a loop looks through its requests.
            flow.requests.last?.endpoint.hostAndPort != hostAndPort
        else { return false }
        return flow.requests.contains {
            $0.redirectURI.map { RecordedURL($0).hostAndPort == hostAndPort } ?? false
        }
            && !flow.requests.contains { $0.endpoint.hostAndPort == hostAndPort }
            && leader(of: exchange) == nil
    }

    /// The page by which a broker answers the login that it asked for elsewhere is one of the login that it was itself asked for: what it
    /// says there, that it does not let the user in for one, it says to that one's user.
    ///
    /// A page that is headed by an error is known for the end of both, and behind an error of the other provider, which is in its
    /// address, the user may choose another way in.
    mutating func joinPage(ofBroker exchange: Int) {
        let recorded = capture[exchange]
        guard let inner = byExchange[exchange], let host = recorded.request.url.host,
            let status = recorded.response?.status, (200..<300).contains(status),
            !inner.providerHosts.contains(host)
        else { return }
        guard let outer = login(around: inner, at: host, in: exchange), !outer.exchanges.contains(exchange),
            !outer.isOfAppAlone(host),
            !ErrorHeading.isShown(at: exchange, of: nil, redeemed: [:], in: index)
        else { return }
        attach(exchange, to: outer)
        outer.interactions.insert(exchange)
    }

    /// The login that a host was asked for and has not answered, out of which it asked for another one: the one that a redirect led out
    /// of or, where a script did, the browser's latest that was there before it.
    private mutating func login(around inner: FlowBuilder, at host: String, in exchange: Int) -> FlowBuilder?
    {
        // On a machine of a developer's the app and the provider differ by their ports.
        let hostAndPort = capture[exchange].request.url.hostAndPort
        let isAsked = { (flow: FlowBuilder) in
            flow.requests.contains { $0.endpoint.hostAndPort == hostAndPort }
        }
        let source = inner.requests.first.flatMap { index.redirectedFrom[$0.exchange] }
        if let outer = source.flatMap({ byExchange[$0] }), outer !== inner, isAsked(outer) {
            return outer.isOpen ? outer : nil
        }
        let isLikely = { [index] (flow: FlowBuilder) in
            flow.number < inner.number && isAsked(flow) && flow.mayBeOfBrowser(in: exchange, index)
        }
        return open.last(at: host, preferring: isLikely).flatMap { isLikely($0) ? $0 : nil }
    }

    /// The open flow whose request or page redirected to an exchange.
    func leader(of exchange: Int) -> FlowBuilder? {
        guard let source = index.redirectedFrom[exchange], let flow = byExchange[source], flow.isOpen,
            flow.interactions.contains(source) || flow.requests.contains(where: { $0.exchange == source })
        else { return nil }
        return flow
    }
}
