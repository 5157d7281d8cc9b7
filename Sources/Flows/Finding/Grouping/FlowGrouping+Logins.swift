import Captures
import JOSE
import OAuth

/// Authorization requests: which of them begins a login, and which goes on with one.
extension FlowGrouping {
    mutating func join(_ request: AuthorizationRequest, _ host: String?) {
        let continued = flowContinued(by: request)
        let mended = continued == nil ? flowMended(by: request) : nil
        let flow = continued ?? mended ?? new(grant: Self.grant(of: request), request.exchange)
        flow.goOn(with: request.exchange, index)
        let signatures = request.signatures
        if !flow.isOpen || !isKnown(request, signatures, in: flow) {
            // Nobody answers the one that was refused any more.
            if mended != nil { flow.requests.removeLast() }
            flow.requests.append(request)
            targets.insert(request, of: flow)
            for signature in signatures { note(flow, having: signature) }
            if let state = request.state, !Placeholder.isOne(state) {
                byState[state, default: []].append(flow)
            }
            if let nonce = request.nonce { byNonce[nonce] = flow }
            if flow.requests.count == 1, mended == nil { awaiting.append(flow) }
            if request.isSilent { silent.insert(flow) }
            for host in flow.providerHosts { open.insert(flow, at: host) }
        } else if let last = flow.requests.last, NonceChallenge.isAnswer(to: capture[last.exchange]) {
            // Sent again with the nonce, it is the one that the provider looks at.
            flow.requests[flow.requests.count - 1] = request
        }
        flow.clientID = flow.clientID ?? request.clientID
        if let uri = request.redirectURI.map({ RecordedURL($0) }), let host = uri.host, uri.isWeb {
            flow.clientHosts.insert(host)
        }
        add(.authorizationRequest(request), to: flow, host)
        carried.learn(capture[request.exchange], page: index.page(request.exchange), of: flow)
        if let exchange = request.pushed, let call = pushed[exchange] { join(pushed: call, to: flow) }
        for response in request.state.map({ earlyAnswers.take($0) }) ?? [] {
            join(response, to: flow)
            joinEarly(to: response)
        }
        // The app's answer that sent the browser here: its cookies and its `state` are half of the evidence.
        if let source = index.redirectedFrom[request.exchange], byExchange[source] == nil,
            index.messages[source] == nil
        {
            attach(source, to: flow)
        }
    }

    private mutating func note(_ flow: FlowBuilder, having signature: String) {
        var flows = bySignature[signature, default: []].filter { $0 !== flow }
        if flows.count == Self.mostBrowsers { flows.removeFirst() }
        bySignature[signature] = flows + [flow]
    }

    /// Of more that make the same request nobody looks at the first.
    private static let mostBrowsers = 8

    /// Whether a request that a flow has is made once more, and not the next login's, which is the same: where the client makes up nothing for
    /// each, or always the same, or that was taken out of the capture.
    private func isAgain(_ request: AuthorizationRequest, in flow: FlowBuilder) -> Bool {
        if request.isSanitized || request.isBare { return flow.isOpen && !isSentByApp(request) }
        return !(flow.hasTokens && !flow.isOpen && isSentByApp(request))
    }

    /// Whether a request is not that of another browser than a flow's last one, or its user went on with the login there: what a client
    /// made up for one login alone says whose it is.
    private func mayGoOn(_ request: AuthorizationRequest, _ flow: FlowBuilder) -> Bool {
        if flow.mayBeOfBrowser(in: request.exchange, index) { return true }
        return !request.isBare && !(request.state.map(ahead.repeatedStates.contains) ?? false)
    }

    /// Whether a flow has the request already.
    private func isKnown(_ request: AuthorizationRequest, _ signatures: Set<String>, in flow: FlowBuilder)
        -> Bool
    {
        flow.requests.contains {
            !signatures.isDisjoint(with: $0.signatures) || request.carriesOn($0)
                || request.goesOn(with: $0)
        }
    }

    /// The flow that a request goes on with: the same request again, a circle of redirects, or the
    /// interactive try after a silent one.
    private mutating func flowContinued(by request: AuthorizationRequest) -> FlowBuilder? {
        for signature in request.signatures {
            // Of one browser the latest alone: those before it were left.
            guard let same = bySignature[signature]?.last(where: { mayGoOn(request, $0) }) else { continue }
            if isAgain(request, in: same) { return same }
        }
        if let state = request.state, let flow = byState[state]?.last, flow.isOpen,
            flow.requests.last.map(request.carriesOn) ?? false, mayGoOn(request, flow)
        {
            return flow
        }
        // Back along the redirects, without a page in between: to a callback (a loop), or to a flow's own
        // pages.
        for source in index.redirects(leadingTo: request.exchange, atMost: 20) {
            if let flow = byExchange[source], flow.responses.contains(where: { $0.callback == source }) {
                return flow
            }
            if let flow = byExchange[source], flow.isOpen,
                flow.requests.last.map({ request.goesOn(with: $0) }) ?? false
            {
                return flow
            }
        }
        return silent.flow(before: request, in: index)
    }

    /// The flow whose last request the provider refused at once, on a page, where the same login, by its state, is asked for again with
    /// something else in it, and answered.
    private func flowMended(by request: AuthorizationRequest) -> FlowBuilder? {
        guard let state = request.state, ahead.grantedStates.contains(state),
            !ahead.repeatedStates.contains(state),
            let flow = byState[state]?.last, flow.isOpen, let last = flow.requests.last,
            last.state == state, last.clientID == request.clientID,
            last.endpoint.origin == request.endpoint.origin,
            let status = capture[last.exchange].response?.status, status >= 400,
            capture[request.exchange].startedAt - capture[last.exchange].endedAt <= .seconds(3600),
            // A client that has one state for all of its logins has it in every browser.
            flow.mayBeOfBrowser(in: request.exchange, index)
        else { return nil }
        return flow
    }

    /// Whether a redirect of another host, or of another port of it, led to a request: a login begins there.
    private func isSentByApp(_ request: AuthorizationRequest) -> Bool {
        guard let source = index.redirectedFrom[request.exchange] else { return false }
        return capture[source].request.url.server != capture[request.exchange].request.url.server
    }

    private static func grant(of request: AuthorizationRequest) -> String {
        let types = Set((request.responseType ?? "code").spaceDelimited)
        guard types.contains("code") else { return "implicit" }
        return types.count > 1 ? "hybrid" : "authorization_code"
    }
}
