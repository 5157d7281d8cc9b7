import Captures
import JSON
import OAuth

/// How a flow ended by its answers alone (the catalogue's "Outcome", findings aside).
struct Ending {
    let index: CaptureIndex
    let builder: FlowBuilder
    let messages: [OAuthMessage]
    let tokens: [TokenRequest]
    /// When each code was exchanged with success.
    let redeemed: [String: Timestamp]
    let sessionEnds: SessionEnds
    /// Questions about tokens that were refused to whoever asked them.
    ///
    /// In order of their beginnings, each with the earliest end of those from it on.
    let refusedIntrospections: [(start: Timestamp, end: Timestamp)]

    init(index: CaptureIndex, builder: FlowBuilder, messages: [OAuthMessage]) {
        self.index = index
        self.builder = builder
        self.messages = messages
        tokens = messages.compactMap { if case .token(let request) = $0 { request } else { nil } }
        redeemed = ErrorHeading.redemptions(of: tokens)
        sessionEnds = SessionEnds(among: messages, in: index)
        var refused = messages.compactMap { message -> (start: Timestamp, end: Timestamp)? in
            guard case .introspection(let call) = message, call.answer.isRefusal else { return nil }
            let exchange = index.capture[call.exchange]
            return (exchange.startedAt, exchange.endedAt)
        }.sorted { $0.start < $1.start }
        for place in refused.indices.dropLast().reversed() {
            refused[place].end = min(refused[place].end, refused[place + 1].end)
        }
        refusedIntrospections = refused
    }

    /// Without the findings, which may show a failure that no answer says.
    var outcome: Outcome {
        if let login = loginOutcome, login != .success || tokens.isEmpty { return later(than: login) }
        if let login = outcomeWithoutRequest, login != .success || tokens.isEmpty {
            return later(than: login)
        }
        return tokens.isEmpty ? later(than: credentialOutcome ?? otherOutcome) : outcomeByTokens
    }

    /// By the last token request that was answered, those aside whose refusal is none of the flow's.
    private var outcomeByTokens: Outcome {
        // Another window's refresh, by which it learns that its user has signed out.
        let own = tokens.filter {
            !($0.isRefresh && $0.answer.isRefusal && isSignedOut(before: $0.exchange))
        }
        // Told to ask its user, the app did so.
        let unrepaired = own.filter { !index.isAnsweredByLogin($0) }
        if unrepaired.isEmpty, !own.isEmpty { return later(than: .success) }
        let counted = unrepaired.isEmpty ? tokens : unrepaired
        guard let last = counted.last(where: { $0.answer.status != nil }) else { return .incomplete }
        if isCutOff(counted) { return .failure }
        let outcome = outcome(of: last)
        return later(than: outcome == .success ? credentialOutcome ?? outcome : outcome)
    }

    /// Whether the client asked for new tokens in the end, could not reach the provider, and got nothing with the old ones afterwards.
    private func isCutOff(_ tokens: [TokenRequest]) -> Bool {
        guard let last = tokens.last, last.isRefresh, last.answer.status == nil,
            let failure = last.answer.failure.flatMap({ TransportFailure($0) }), failure != .unanswered,
            index.unseenRetry(of: last.exchange) == nil
        else { return false }
        let place = index.position[last.exchange]
        let goesOn = messages.contains { message in
            switch message {
            case .userInfo(let call), .resource(let call), .endSession(let call):
                index.position[call.exchange] > place && call.answer.status.map { $0 < 400 } ?? false
            default: false
            }
        }
        return !goesOn && !isReachedLater(than: last) && !mayGoOnUnseen(after: last.exchange)
    }

    /// Whether the client got tokens of the provider later, in a login of its own.
    private func isReachedLater(than request: TokenRequest) -> Bool {
        let place = index.position[request.exchange]
        return index.tokenRequests.contains {
            $0.answer.isSuccess && index.position[$0.exchange] > place
                && $0.endpoint.origin == request.endpoint.origin && $0.clientID == request.clientID
        }
    }

    /// Whether something went well later that may have had a token, which was left out of the capture.
    private func mayGoOnUnseen(after exchange: Int) -> Bool {
        let agent = index.capture[exchange].request.userAgent
        return index.withoutAssets(after: exchange).prefix(200).contains { other in
            let later = index.capture[other]
            return index.messages[other] == nil && index.mayLackCredentials(at: other)
                && later.request.userAgent == agent
                && later.response.map { $0.status < 400 } ?? false
        }
    }

    // MARK: - The login itself

    /// Nil for flows without an authorization request.
    private var loginOutcome: Outcome? {
        guard let request = builder.requests.last(where: { !isShownAgain($0) }) ?? builder.requests.last
        else { return nil }
        let exchanges = tokens.filter { !$0.isRefresh }
        if let seen = builder.responses.last,
            isAnswer(seen, to: request) || request.isSilent || !exchanges.isEmpty
        {
            let response = exchanges.isEmpty ? withoutReload(seen) : seen
            return outcome(of: response, to: request, exchanges)
        }
        if let last = exchanges.last(where: { $0.answer.status != nil }) { return outcome(of: last) }
        if isRefusedByPost(request), index.isAnsweredByLogin(request) { return .success }
        let asked = index.capture[request.exchange]
        guard let status = asked.response?.status, status >= 400, !BrowserChallenge.isAnswer(to: asked),
            !isServedAgain(request)
        else { return .incomplete }
        return .failure
    }

    /// Whether the very request was made once more, and the provider did not refuse it then: a failure of its own that was over.
    private func isServedAgain(_ request: AuthorizationRequest) -> Bool {
        let call = index.capture[request.exchange].request.methodAndURL
        let tries = builder.exchanges.filter { index.capture[$0].request.methodAndURL == call }
        let last = tries.max { index.position[$0] < index.position[$1] }
        return last.flatMap { index.capture[$0].response }.map { $0.status < 400 } ?? false
    }

    /// Whether the browser's history showed the page of a request that was answered once more, out of its cache: the provider was not asked.
    private func isShownAgain(_ request: AuthorizationRequest) -> Bool {
        guard let state = request.state, index.capture[request.exchange].foreign["_fromCache"]?.string != nil
        else { return false }
        return builder.responses.contains { $0.state == state }
    }

    /// Whether the last response came behind the last request: sent to the provider once more, and nothing came back, is where a login
    /// ended.
    private func isAnswer(_ response: AuthorizationResponse, to request: AuthorizationRequest) -> Bool {
        index.capture[response.exchange].startedAt >= index.capture[request.exchange].startedAt
    }

    private func outcome(
        of response: AuthorizationResponse,
        to request: AuthorizationRequest,
        _ exchanges: [TokenRequest]
    ) -> Outcome {
        if let error = response.error { return outcome(of: error, to: request) }
        let last = exchanges.last { $0.answer.status != nil }
        if let callback = response.callback, isStopped(at: callback, response, last) { return .failure }
        if let last {
            let outcome = outcome(of: last)
            // The app's server, at work for a page, was not content with its tokens.
            return outcome == .success && isRefusedToItsPage(response, request, exchanges)
                ? .failure : outcome
        }
        if !exchanges.isEmpty { return .incomplete }
        if response.parameters.contains("access_token") || response.parameters.contains("id_token"),
            response.code == nil
        {
            return isRefusedToItsPage(response, request, []) ? .failure : .success
        }
        return outcomeAtCallback(of: response, to: request)
    }

    private func outcome(of error: ErrorResponse, to request: AuthorizationRequest) -> Outcome {
        if PostedMessage.silentErrors.contains(error.error), index.isAnsweredByLogin(request) {
            return .success
        }
        return AccessPolicy.isCancellation(error) ? .cancelled : .failure
    }

    /// How a login whose token request is not in the capture went: the back channel is a server's own affair; what the browser is told
    /// next shows it.
    private func outcomeAtCallback(of response: AuthorizationResponse, to request: AuthorizationRequest)
        -> Outcome
    {
        guard let callback = response.callback, let status = index.capture[callback].response?.status
        else { return .incomplete }
        let isLeft =
            DeadEnd.witness(of: response, to: request, exchanged: [], in: index) != nil
            || isRefusedToItsPage(response, request, [])
        let isTurnedAway = TurnedAway.sign(of: response, to: request, exchanged: [], in: index) != nil
        guard (200..<400).contains(status), !isSentToAnError(callback), !isLeft, !isTurnedAway,
            UnreachedLanding.of(callback, in: index) == nil,
            IdentityAwareProxy.refusal(behind: callback, in: index) == nil
        else { return .failure }
        return isLeftByItsPage(response) || isLeftByItsProgram(response, request)
            || isLeftByItsApp(response) ? .incomplete : .success
    }

    /// Whether a page told the app's window that a silent request came to nothing.
    private func isRefusedByPost(_ request: AuthorizationRequest) -> Bool {
        request.isSilent && builder.responses.isEmpty
            && request.parameters["response_mode"].map(PostedMessage.modes.contains) ?? false
            && builder.exchanges.contains { PostedMessage.silentError(on: index.capture[$0]) != nil }
    }

    /// Of a login that began before the recording: what the app made of its answer in the end; nil of any other flow.
    private var outcomeWithoutRequest: Outcome? {
        guard builder.requests.isEmpty,
            let response = builder.responses.last(where: { $0.mode != .credential })
        else { return nil }
        if let error = response.error { return AccessPolicy.isCancellation(error) ? .cancelled : .failure }
        guard let callback = response.callback, let status = index.capture[callback].response?.status else {
            return tokens.isEmpty ? .incomplete : nil
        }
        if hasSucceededElsewhere(than: callback, response) { return .success }
        if isRefused(callback, response.code) { return .failure }
        guard tokens.isEmpty else { return nil }
        guard (200..<400).contains(status), !isSentToAnError(callback) else { return .failure }
        return isLeftByItsPage(response) ? .incomplete : .success
    }

    /// Of a login without redirects; nil for other flows.
    ///
    /// What the app's server says to the token is how it ended.
    private var credentialOutcome: Outcome? {
        let assertion = messages.last { if case .identityAssertion = $0 { true } else { false } }
        guard let response = builder.responses.last(where: { $0.mode == .credential }) else {
            guard case .identityAssertion(let call) = assertion else { return nil }
            return call.answer.isRefusal ? .failure : .incomplete
        }
        // Whoever says no in the browser's own window stops before anything is asked: `access_denied` is the provider's word.
        if response.error != nil { return .failure }
        guard let callback = response.callback, let status = index.capture[callback].response?.status else {
            return .incomplete
        }
        return status < 400 && !isSentToAnError(callback) ? .success : .failure
    }

    private func outcome(of request: TokenRequest) -> Outcome {
        if request.answer.isSuccess {
            if isReadable(request.answer) { return .success }
            // What became of a refresh is not seen at the callback, which was answered before.
            return request.isRefresh ? .failure : outcomeInBrowser
        }
        if index.unseenRetry(of: request.exchange) != nil || request.mayBePending { return .incomplete }
        switch request.answer.error?.error {
        case "authorization_pending", "slow_down", "use_dpop_nonce", "mfa_required": return .incomplete
        // The user's own no is asked for here by a device and by CIBA alone, and 401 is for the client's credentials.
        case "access_denied",
            "authorization_declined"
        where GrantType.decoupled.contains(request.grantType) && request.answer.status != 401:
            return AccessPolicy.words(in: request.answer) == nil ? .cancelled : .failure
        default: return .failure
        }
    }

    /// Whether the answer holds tokens, as far as it was saved: a page instead of them ends a login.
    private func isReadable(_ answer: Answer) -> Bool {
        !answer.isBodyWhole && !answer.isBrokenOff || answer.json != nil
            || answer.parameters.contains("access_token")
    }

    /// How the login went on at the app's callback.
    private var outcomeInBrowser: Outcome {
        guard let callback = builder.responses.last?.callback,
            let status = index.capture[callback].response?.status
        else { return .failure }
        return (300..<400).contains(status) && !isSentToAnError(callback) ? .success : .failure
    }
}
