import Captures
import OAuth

/// Logins of which the capture has the provider's answer alone, or nothing but calls with their tokens: the recording began in the
/// middle of them, or behind them.
extension FlowGrouping {
    /// Beside other logins, what somebody brings to the callback says nothing (an old address, a scanner's), nor does the answer
    /// to a silent request; an error that the provider is seen to give is the end of a login all the same, and so is
    /// one that a wallet posts.
    mutating func joinUnrequested() {
        let isAllThereIs = builders.allSatisfy { $0.grant == Self.resource }
        var found: [[String?]: FlowBuilder] = [:]
        for response in unrequested {
            let own = [response.code, response.error?.error, response.state]
            if let flow = found[own] {
                join(response, to: flow)
                continue
            }
            if let code = response.code, byCode[code] != nil { continue }
            guard isAllThereIs || endsLogin(response) else { continue }
            let flow = new(grant: grant(of: response), response.exchange)
            found[own] = flow
            if let host = response.target.host { flow.clientHosts.insert(host) }
            if let page = response.deliveredBy, page != response.callback,
                let host = capture[page].request.url.host
            {
                know(host, of: flow)
            }
            join(response, to: flow)
        }
    }

    /// Of a capture that has nothing else of any login, the page at which its provider refused one; shown twice, it is one.
    mutating func joinLoneRefusals() {
        guard builders.isEmpty else { return }
        var found: [String: FlowBuilder] = [:]
        for exchange in index.order where LoneRefusal.isOne(capture[exchange]) {
            let url = capture[exchange].request.url
            guard index.messages[exchange] == nil, let host = url.host else { continue }
            let flow = found[url.text] ?? new(grant: "authorization_code", exchange)
            found[url.text] = flow
            flow.clientID = flow.clientID ?? url.queryItems.first("client_id")
            know(host, of: flow)
            attach(exchange, to: flow)
            flow.interactions.insert(exchange)
        }
    }

    /// Logins that another party asked an app to begin, and that the app did not begin: nothing else of them is there.
    mutating func joinRefusedInitiations() {
        let others = index.order.filter { index.messages[$0] == nil }
        var found: [String: FlowBuilder] = [:]
        for (exchange, parameters, key) in ThirdPartyInitiation.refused(among: others, in: index)
        where byExchange[exchange] == nil {
            // A launch of a learning platform's asks for an ID token (1EdTech Security Framework, section 5.1.1.2).
            let grant = parameters.contains("lti_message_hint") ? "implicit" : "authorization_code"
            let flow = found[key] ?? new(grant: grant, exchange)
            found[key] = flow
            flow.clientID = flow.clientID ?? parameters["client_id"]
            if let host = capture[exchange].request.url.host { flow.clientHosts.insert(host) }
            attach(exchange, to: flow)
        }
    }

    private func endsLogin(_ response: AuthorizationResponse) -> Bool {
        guard let error = response.error, !PostedMessage.silentErrors.contains(error.error) else {
            return false
        }
        guard let host = response.deliveredBy.flatMap({ capture[$0].request.url.host }) else {
            return response.mode == .formPost
                && response.callback.flatMap { LoneAnswers.postedByWallet(capture[$0]) } != nil
        }
        return builders.contains { $0.providerHosts.contains(host) }
    }

    /// By what came in (OAuth 2.0 Multiple Response Type Encoding Practices, section 3).
    private func grant(of response: AuthorizationResponse) -> String {
        let hasTokens = ["id_token", "access_token"].contains(where: response.parameters.contains)
        guard hasTokens else { return "authorization_code" }
        return response.code == nil ? "implicit" : "hybrid"
    }

    /// The call of an API with a token that no login of the capture got: those with the same token are one flow; beside logins those
    /// alone of clients that have no part in them.
    mutating func join(lone call: EndpointCall) {
        guard let token = call.token?.value,
            index.loneTokens.contains(token)
                || index.authorizationRequests.isEmpty && index.tokenRequests.isEmpty
        else { return }
        let flow = byToken[token] ?? new(grant: Self.resource, call.exchange)
        byToken[token] = flow
        add(.resource(call), to: flow, nil)
    }

    static let resource = "resource"
}

extension Flow {
    /// Whether it is nothing but calls of APIs: the login that got their token is not in the capture.
    package var isOfCallsAlone: Bool { grant == FlowGrouping.resource }
}
