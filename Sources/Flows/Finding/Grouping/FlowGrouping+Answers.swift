import Captures
import OAuth

/// Authorization responses: which login each is the answer to.
extension FlowGrouping {
    mutating func join(_ response: AuthorizationResponse) {
        if response.mode == .credential { return join(credential: response) }
        guard let flow = flow(answeredBy: response) else {
            if let state = response.state, ahead.requestedStates.contains(state), byState[state] == nil {
                earlyAnswers.insert(response, of: state)
            } else {
                unrequested.append(response)
                if let code = response.code { strays[code] = strays[code] ?? response }
            }
            return
        }
        join(response, to: flow)
    }

    mutating func join(_ response: AuthorizationResponse, to flow: FlowBuilder) {
        flow.responses.append(response)
        flow.messages.append(.authorizationResponse(response))
        for exchange in [response.deliveredBy].compactMap({ $0 }) + response.sentOnBy
            + [response.callback].compactMap({ $0 })
        {
            attach(exchange, to: flow)
        }
        // Mostly the form with the password: its answer is the redirect.
        if let page = response.deliveredBy, page != response.callback, index.messages[page] == nil {
            flow.interactions.insert(page)
        }
        if let code = response.code { byCode[code] = byCode[code] ?? flow }
        for name in ["access_token", "id_token"] {
            if let token = response.parameters[name] { byToken[token] = flow }
        }
        noteUser(of: response.parameters["id_token"], in: flow)
    }

    mutating func flow(answeredBy response: AuthorizationResponse) -> FlowBuilder? {
        if let code = response.code, let flow = byCode[code] { return flow }
        if let exchange = response.deliveredBy, let flow = byExchange[exchange], flow.isOpen,
            accepts(flow, response)
        {
            return flow
        }
        // Where the state is always the same, all logins have it: the latest are looked at first.
        let stated = response.state.flatMap { byState[$0] } ?? []
        let latest = stated.lastIndex { accepts($0, response) }
        if let latest, !stated[..<latest].contains(where: { accepts($0, response) }) { return stated[latest] }
        // Of two logins at once without a state, or with one that is always the same, the page knows whose it is.
        if let flow = sender(of: response), latest == nil || stated.lastIndex(where: { $0 === flow }) != nil {
            return flow
        }
        let isLikely = { [index] (flow: FlowBuilder) in
            [response.deliveredBy, response.callback].compactMap(\.self).allSatisfy {
                flow.mayBeOfBrowser(in: $0, index)
            }
        }
        if let latest {
            return stated[...latest].last { accepts($0, response) && isLikely($0) } ?? stated[latest]
        }
        guard let flow = targets.flow(answeredAt: response.target, preferring: isLikely),
            !StrayAnswers(index, ahead).isOne(response, at: flow)
        else { return nil }
        return flow
    }

    /// The open login whose page delivered a response.
    private func sender(of response: AuthorizationResponse) -> FlowBuilder? {
        guard let exchange = response.deliveredBy, byExchange[exchange] == nil,
            index.messages[exchange] == nil,
            let host = capture[exchange].request.url.host
        else { return nil }
        let isCandidate = { (flow: FlowBuilder) in
            flow.isOpen && flow.providerHosts.contains(host) && accepts(flow, response)
        }
        return leader(of: exchange).flatMap { isCandidate($0) ? $0 : nil }
            ?? carried.nearest(to: capture[exchange], where: isCandidate)
    }

    func accepts(_ flow: FlowBuilder, _ response: AuthorizationResponse) -> Bool {
        flow.requests.contains { request in
            // A request object that nobody can read may name any redirect URI.
            guard let uri = request.redirectURI else { return true }
            return RecordedURL(uri).normalizedWithoutQuery == response.target.normalizedWithoutQuery
        }
    }
}
