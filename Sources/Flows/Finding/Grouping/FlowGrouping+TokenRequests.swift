import Captures
import JOSE
import OAuth

/// Token requests, each put into the flow that it is tied to, or into a new one.
extension FlowGrouping {
    mutating func join(_ request: TokenRequest, _ message: OAuthMessage, _ host: String?) {
        let tried = FailedTries.Values(request)
        let known = flow(tiedTo: request, tried, host)
        if known == nil, saysNothing(request), isBehindTokens(at: host) { return }
        let flow = known ?? new(grant: request.grantType, request.exchange)
        // Whom an app was given its token for, its server's client need not be.
        if flow.grant != Self.credential { flow.clientID = flow.clientID ?? request.clientID }
        add(message, to: flow, host)
        if known == nil, let stray = request.code.flatMap({ strays.removeValue(forKey: $0) }) {
            join(stray, to: flow)
        }
        if let tried { failedTries.note(request, tried, of: flow) }
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
        return builders.suffix(AwaitingLogins.mostAtATime).contains {
            $0.hasTokens && $0.providerHosts.contains(host)
        }
            && !awaiting.areAny(at: host)
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
    private mutating func flow(tiedTo request: TokenRequest, _ tried: FailedTries.Values?, _ host: String?)
        -> FlowBuilder?
    {
        if let flow = request.code.flatMap({ byCode[$0] }) { return flow }
        if let code = request.code, strays[code] != nil { return nil }
        if let flow = request.continuation.flatMap({ byContinuation[$0] }) { return flow }
        if let flow = flow(redirectedTo: request) { return flow }
        if let flow = tried.flatMap({ failedTries.flow(triedAgainBy: request, $0) }) { return flow }
        if lacksItsValue(request) { return flow(ofRequestWithoutValue: request, host) }
        if let token = request.refreshToken ?? request.exchangedToken {
            return byToken[token] ?? (Placeholder.isOne(token) ? likelyFlow(of: request, host) : nil)
        }
        if let code = request.polledCode {
            return byDeviceCode[code]
                ?? (Placeholder.isOne(code)
                    ? likelyFlow(of: request, host) : devices.takeUnnamed(polledBy: request, host))
        }
        let unsaved = UnsavedRequests(index)
        if let flow = flow(ofAnswerTo: unsaved.retry(of: request) ?? request, host) { return flow }
        if let flow = awaiting.login(atWorkDuring: request, host, in: capture) { return flow }
        if let flow = unsaved.flow(
            goingOnWith: request,
            at: host,
            among: builders.suffix(AwaitingLogins.mostAtATime)
        ) {
            return flow
        }
        return request.isCodeExchange
            ? awaiting.login(ofUnknownCodeIn: request, host, among: builders) : nil
    }

    /// The flow of a request that the token endpoint redirected to this one, mostly without its form.
    private func flow(redirectedTo request: TokenRequest) -> FlowBuilder? {
        guard let source = index.redirectedFrom[request.exchange], case .token = index.messages[source] else {
            return nil
        }
        return byExchange[source]
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
        let own = builders.suffix(AwaitingLogins.mostToTry).filter { flow in
            flow.clientID == request.clientID && host.map(flow.providerHosts.contains) ?? false
        }
        return own.count == 1 ? own.first : own.last { $0.grant == request.grantType && !$0.hasTokens }
    }
}
