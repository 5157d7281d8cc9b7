import Captures
import JOSE
import OAuth

/// Token requests, each put into the flow that it is tied to, or into a new one.
extension FlowGrouping {
    mutating func join(_ request: TokenRequest, _ message: OAuthMessage, _ host: String?) {
        let tried = triedValues(of: request)
        let known = flow(tiedTo: request, tried, host)
        if known == nil, saysNothing(request), isBehindTokens(at: host) { return }
        let flow = known ?? new(grant: request.grantType, request.exchange)
        // Whom an app was given its token for, its server's client need not be.
        if flow.grant != Self.credential { flow.clientID = flow.clientID ?? request.clientID }
        add(message, to: flow, host)
        if known == nil, let stray = request.code.flatMap({ strays.removeValue(forKey: $0) }) {
            join(stray, to: flow)
        }
        if let tried { note(request, trying: tried, of: flow) }
        noteValues(of: request, in: flow)
        if request.polledCode != nil, request.isDecided { flow.isConfirming = false }
    }

    /// Whether a request was cut off before it said anything, and nothing came back.
    ///
    /// That is where a recording ends or a tab is closed; a connection that failed is another matter.
    private func saysNothing(_ request: TokenRequest) -> Bool {
        request.answer.status == nil && request.parameters.isEmpty && request.clientID == nil
            && capture[request.exchange].failure.flatMap { TransportFailure($0) } == nil
    }

    /// Whether a login of the host has its tokens, and no other one awaits them.
    private func isBehindTokens(at host: String?) -> Bool {
        guard let host else { return false }
        return builders.suffix(Self.mostLoginsAtATime).contains {
            $0.hasTokens && $0.providerHosts.contains(host)
        }
            && !awaitingTokens.suffix(Self.mostLoginsAtATime).contains {
                $0.awaitsToken && $0.providerHosts.contains(host)
            }
    }

    /// Keeps the flow for a further try of a request where this one came to nothing.
    private mutating func note(_ request: TokenRequest, trying tried: [String?], of flow: FlowBuilder) {
        let isForLater = request.answer.status.map { $0 >= 500 || $0 == 429 } ?? true
        failedTries[tried] = isForLater ? (flow, request.startedAt) : nil
    }

    /// Notes the values of a request and its answer that later messages of the flow will carry.
    private mutating func noteValues(of request: TokenRequest, in flow: FlowBuilder) {
        if let code = request.code { byCode[code] = byCode[code] ?? flow }
        for value in [request.continuation, request.nextContinuation].compactMap(\.self) {
            byContinuation[value] = byContinuation[value] ?? flow
        }
        let issued = [request.accessToken, request.issuedRefreshToken, request.answer.parameters["id_token"]]
        for token in issued.compactMap(\.self) { byToken[token] = flow }
        noteUser(of: request.answer.parameters["id_token"], in: flow)
        // The polls of a device are one flow, also where what began them was not recorded.
        if let code = request.polledCode, byDeviceCode[code] == nil { byDeviceCode[code] = flow }
        // A reused refresh token goes with the flow that saw it first.
        if let token = request.refreshToken, byToken[token] == nil { byToken[token] = flow }
    }

    // MARK: - Ties

    /// The flow that a token request is tied to, by the surest tie there is; nil where it begins one.
    ///
    /// `tried`: what it has in common with other tries of it.
    private mutating func flow(tiedTo request: TokenRequest, _ tried: [String?]?, _ host: String?)
        -> FlowBuilder?
    {
        if let flow = request.code.flatMap({ byCode[$0] }) { return flow }
        if let code = request.code, strays[code] != nil { return nil }
        if let flow = request.continuation.flatMap({ byContinuation[$0] }) { return flow }
        if let flow = flow(redirectedTo: request) { return flow }
        if let flow = flow(tryingAgain: request, tried) { return flow }
        if lacksItsValue(request) { return flow(ofRequestWithoutValue: request, host) }
        if let token = request.refreshToken ?? request.exchangedToken {
            return byToken[token] ?? (Placeholder.isOne(token) ? likelyFlow(of: request, host) : nil)
        }
        if let code = request.polledCode {
            return byDeviceCode[code]
                ?? (Placeholder.isOne(code)
                    ? likelyFlow(of: request, host) : unnamedDevice(polledBy: request, host))
        }
        let unsaved = UnsavedRequests(index)
        if let flow = flow(ofAnswerTo: unsaved.retry(of: request) ?? request, host) { return flow }
        if let flow = flow(atWorkDuring: request, host) { return flow }
        if let flow = unsaved.flow(
            goingOnWith: request,
            at: host,
            among: builders.suffix(Self.mostLoginsAtATime)
        ) {
            return flow
        }
        return request.isCodeExchange ? login(ofUnknownCodeIn: request, host) : nil
    }

    /// The flow of a request that the token endpoint redirected to this one, mostly without its form.
    private func flow(redirectedTo request: TokenRequest) -> FlowBuilder? {
        guard let source = index.redirectedFrom[request.exchange], case .token = index.messages[source] else {
            return nil
        }
        return byExchange[source]
    }

    /// What two tries of one request have in common: all but what is made anew for each; nil for those that say by their own values
    /// whose they are.
    private func triedValues(of request: TokenRequest) -> [String?]? {
        guard !request.isCodeExchange, !request.isRefresh, request.polledCode == nil,
            !request.parameters.isEmpty
        else { return nil }
        let values = request.parameters.items.filter { $0.name != "client_assertion" }
            .map { "\($0.name)=\($0.value)" }
        return [request.endpoint.text, request.clientID] + values.sorted()
    }

    /// The flow of a try within the last half minute that was not answered, or told to come later.
    private func flow(tryingAgain request: TokenRequest, _ tried: [String?]?) -> FlowBuilder? {
        guard let failed = tried.flatMap({ failedTries[$0] }),
            request.startedAt - failed.at <= .seconds(30)
        else { return nil }
        return failed.flow
    }

    /// The login that the ID token of an answer belongs to: by its nonce, and where the request was saved without its body by
    /// its client, too.
    private mutating func flow(ofAnswerTo request: TokenRequest, _ host: String?) -> FlowBuilder? {
        guard request.isCodeExchange || request.parameters.isEmpty,
            let token = request.idToken.map(index.readable)
        else { return nil }
        if let flow = token.nonce.flatMap({ byNonce[$0] }) { return flow }
        guard request.parameters.isEmpty, let host else { return nil }
        return builders.last { flow in
            flow.providerHosts.contains(host) && flow.clientID.map(token.token.audience.contains) ?? false
        }
    }

    /// The login whose callback its app had not answered yet when it sent a request that was saved without its body: a server
    /// that answers a request before it has read it leaves none.
    ///
    /// Nil where it may be one of several.
    private func flow(atWorkDuring request: TokenRequest, _ host: String?) -> FlowBuilder? {
        guard request.parameters.isEmpty, let host else { return nil }
        let flows = awaitingTokens.suffix(Self.mostLoginsAtATime).filter { flow in
            guard flow.awaitsToken, flow.providerHosts.contains(host),
                flow.mayBe(ofClient: request.clientID),
                let callback = flow.responses.last?.callback
            else { return false }
            return capture[callback].startedAt <= request.startedAt
                && request.startedAt < capture[callback].endedAt
        }
        return flows.count == 1 ? flows.first : nil
    }

    /// Of more at the same time nobody can tell which one a request belongs to.
    private static let mostLoginsAtATime = 50

    /// The login that a code is likely to be of which no answer in the capture has: one with the request's client and redirect URI
    /// that awaits its tokens, else the last.
    private mutating func login(ofUnknownCodeIn request: TokenRequest, _ host: String?) -> FlowBuilder? {
        while let first = awaitingTokens.first, !first.awaitsToken { awaitingTokens.removeFirst() }
        let isTiedByProviderAlone = Self.isTiedByProviderAlone(request)
        let isCandidate = { (flow: FlowBuilder) in
            !flow.requests.isEmpty && (!isTiedByProviderAlone || Self.isProvider(host, of: flow))
                && flow.mayBe(ofClient: request.clientID) && Self.isRedirected(flow, asIn: request)
        }
        return awaitingTokens.suffix(Self.mostLoginsToTry).first { isCandidate($0) && $0.awaitsToken }
            // A login that has its tokens gets no more of them for another code.
            ?? builders.suffix(Self.mostLoginsToTry).last {
                isCandidate($0) && !($0.hasTokens && request.answer.isSuccess)
            }
            ?? sameClient(request, host)
    }

    /// Of the logins before a code that nobody knows only so many are looked at: a capture of a load test has thousands of both.
    private static let mostLoginsToTry = 1000

    /// Whether a code exchange names neither its client nor where the login came back to.
    ///
    /// GoTrue's, which does so as well, is sent to another server than the provider of the login.
    private static func isTiedByProviderAlone(_ request: TokenRequest) -> Bool {
        request.clientID == nil && request.redirectURI == nil && !GoTrueRequest.isExchange(request)
    }

    /// Whether a login may have come back to where a code exchange says that it did.
    private static func isRedirected(_ flow: FlowBuilder, asIn request: TokenRequest) -> Bool {
        guard let uri = request.redirectURI else { return true }
        return flow.requests.contains { $0.redirectURI == uri || $0.isRelayed }
    }

    /// A code that was changed on the way, with a redirect URI that was changed, too: the client is what is
    /// left.
    private func sameClient(_ request: TokenRequest, _ host: String?) -> FlowBuilder? {
        guard let host else { return nil }
        return awaitingTokens.suffix(Self.mostLoginsToTry).last { flow in
            flow.awaitsToken && flow.providerHosts.contains(host)
                && flow.mayBe(ofClient: request.clientID)
        }
    }

    /// The flow of a request whose own value was taken out of the capture: the client's last, or the last at its provider.
    private func likelyFlow(of request: TokenRequest, _ host: String?) -> FlowBuilder? {
        if let client = request.clientID, !Placeholder.isOne(client) { return flow(ofClient: client, host) }
        return lastFlow(at: host)
    }

    /// Whether a refresh or a poll has nothing that says whose it is.
    private func lacksItsValue(_ request: TokenRequest) -> Bool {
        if request.isRefresh { return FlowsByValue.isMissing(request.refreshToken) }
        return GrantType.decoupled.contains(request.grantType) && FlowsByValue.isMissing(request.polledCode)
    }

    /// The only flow of its client at a provider, else that of an earlier request of the kind.
    private func flow(ofRequestWithoutValue request: TokenRequest, _ host: String?) -> FlowBuilder? {
        let own = builders.suffix(Self.mostLoginsToTry).filter { flow in
            flow.clientID == request.clientID && host.map(flow.providerHosts.contains) ?? false
        }
        return own.count == 1 ? own.first : own.last { $0.grant == request.grantType && !$0.hasTokens }
    }

    /// Whether a host is one of a flow's provider, or of the same site.
    private static func isProvider(_ host: String?, of flow: FlowBuilder) -> Bool {
        guard let host else { return true }
        let site = Site.of(host)
        return flow.providerHosts.contains { $0 == host || Site.of($0) == site }
    }
}

extension TokenRequest {
    /// What the polls for one consent on another device have in common (RFC 8628, section 3.4; OpenID Connect CIBA, section
    /// 10.1).
    ///
    /// So do the tries with a pre-authorized code, which an issuer may have the wallet wait for, and which takes another PIN after a wrong
    /// one (OpenID for Verifiable Credential Issuance, section 6).
    fileprivate var polledCode: String? {
        ["device_code", "auth_req_id", "pre-authorized_code"].lazy.compactMap { parameters[$0] }.first
    }

    /// Whether the answer ends the polls; one that went wrong says nothing of the user (RFC 8628, section 3.5).
    fileprivate var isDecided: Bool {
        answer.error.map { !["authorization_pending", "slow_down"].contains($0.error) } ?? answer.isSuccess
    }
}
