import Captures
import OAuth

/// How a flow ended by its answers alone (the catalogue's "Outcome", findings aside).
struct Ending {
    let index: CaptureIndex
    let builder: FlowBuilder
    let messages: [OAuthMessage]
    let tokens: [TokenRequest]
    private let redeemed: [String: Timestamp]
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

    var outcome: Outcome {
        if let login = loginOutcome, login != .success || tokens.isEmpty { return later(than: login) }
        if let login = outcomeWithoutRequest, login != .success || tokens.isEmpty {
            return later(than: login)
        }
        let credential = credentialOutcome
        // Another window's refresh, by which it learns that its user has signed out.
        var counted = tokens.filter {
            !($0.isRefresh && $0.answer.isRefusal && isSignedOut(before: $0.exchange))
        }
        // Told to ask its user, the app did so.
        let unanswered = counted.filter { !index.isAnsweredByLogin($0) }
        if unanswered.isEmpty, !counted.isEmpty { return later(than: .success) }
        counted = unanswered
        if let last = (counted.isEmpty ? tokens : counted).last(where: { $0.answer.status != nil }) {
            let outcome = outcome(of: last)
            return later(than: outcome == .success ? credential ?? outcome : outcome)
        }
        if !tokens.isEmpty { return .incomplete }
        return later(than: credential ?? otherOutcome)
    }

    // MARK: - The login itself

    /// Nil for flows without an authorization request.
    private var loginOutcome: Outcome? {
        guard let request = builder.requests.last else { return nil }
        let exchanges = tokens.filter { !$0.isRefresh }
        if let seen = builder.responses.last,
            isAnswer(seen, to: request) || request.isSilent || !exchanges.isEmpty
        {
            let response = exchanges.isEmpty ? withoutReload(seen) : seen
            return outcome(of: response, to: request, exchanges)
        }
        if let last = exchanges.last(where: { $0.answer.status != nil }) { return outcome(of: last) }
        if isRefusedByPost(request), index.isAnsweredByLogin(request) { return .success }
        guard let status = index.capture[request.exchange].response?.status else { return .incomplete }
        return status >= 400 ? .failure : .incomplete
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

    /// Whether the app came to a stop at its callback, whatever the token endpoint answered it.
    private func isStopped(at callback: Int, _ response: AuthorizationResponse, _ last: TokenRequest?) -> Bool
    {
        if isRefused(callback, response.code) || isSentToAnErrorOfItsOwn(callback),
            last?.answer.isSuccess != true || !hasSucceededElsewhere(than: callback, response)
        {
            return true
        }
        if isSentRound(callback) { return true }
        guard let last, index.isHungUp(callback, during: last.exchange) else { return false }
        return !hasSucceededElsewhere(than: callback, response)
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
        guard (200..<400).contains(status), !isSentToAnError(callback), !isLeft, !isTurnedAway
        else { return .failure }
        return isLeftByItsPage(response) || isLeftByItsProgram(response, request) ? .incomplete : .success
    }

    /// Whether the recording ends where a program on this machine has told its browser that it is done: the code is exchanged then, and
    /// that would be in the capture, as is what the program asked the provider before.
    private func isLeftByItsProgram(_ response: AuthorizationResponse, _ request: AuthorizationRequest)
        -> Bool
    {
        guard response.code != nil, !response.parameters.contains("id_token"),
            let callback = response.callback,
            LoopbackHost.isLoopback(index.capture[callback].request.url.host ?? ""),
            let answer = index.capture[callback].response, answer.location == nil
        else { return false }
        return index.backChannel.witness(of: response, to: request, in: index.capture) != nil
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

    /// Whether a page that speaks to the provider itself was loaded at the redirect URI, and nobody was brought the code from
    /// there.
    private func isLeftByItsPage(_ response: AuthorizationResponse) -> Bool {
        response.code != nil && !response.parameters.contains("id_token")
            // What stands behind a # no server sees: the page has it, or nobody.
            && (response.mode == .fragment && !isLeftForAnotherPage(response)
                || HandedOnCode.isForPage(response, of: messages, in: index.capture))
            && HandedOnCode.isCarried(response, in: index) == false
    }

    /// Whether the app's server refused what the page at the redirect URI handed to it.
    private func isRefusedToItsPage(
        _ response: AuthorizationResponse,
        _ request: AuthorizationRequest,
        _ exchanges: [TokenRequest]
    ) -> Bool {
        HandedOnCode.refusal(of: response, to: request, exchangedBy: exchanges, in: index) != nil
    }

    /// Whether the browser went on to another page of the app, which may know its user by then.
    private func isLeftForAnotherPage(_ response: AuthorizationResponse) -> Bool {
        guard let callback = response.callback else { return false }
        let page = index.capture[callback].request.url
        return index.withoutAssets(after: callback).prefix(200).contains { exchange in
            let later = index.capture[exchange]
            return later.request.url.origin == page.origin && later.request.url.path != page.path
                && later.response?.status == 200 && later.response?.body?.essence == "text/html"
        }
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

    /// Whether the app answers its callback with an error, or with a page headed by one, or leads on to a page that says so, or never
    /// got the answer.
    func isRefused(_ callback: Int, _ code: String?) -> Bool {
        guard let response = index.capture[callback].response else { return false }
        return response.status >= 400
            && !TakenCode.isTaken(code, behind: callback, by: tokens, in: index.capture)
            || ErrorHeading.isShown(at: callback, of: code, redeemed: redeemed, in: index)
            || FailedLoginNotice.page(behind: callback, in: index) != nil
            || !tokens.contains { $0.code != nil && $0.code == code }
                && LostAnswer.refusal(behind: callback, in: index) != nil
    }

    /// Whether the app answers its callback with a redirect that names an error, or to its page for errors.
    func isSentToAnError(_ callback: Int) -> Bool {
        ErrorRedirect.isAnswer(to: callback, in: index)
    }

    /// The same at a page of the app's own site: what a broker tells the client that it signs in for is judged there.
    private func isSentToAnErrorOfItsOwn(_ callback: Int) -> Bool {
        let exchange = index.capture[callback]
        guard isSentToAnError(callback), let location = exchange.response?.location else { return false }
        let page = exchange.request.url.resolving(location)
        // An app on a device, for which its server signed in.
        if !page.isWeb {
            return !index.redirectURIs.contains(page.withoutQuery) && !index.isServedAfter(callback)
        }
        guard let host = exchange.request.url.host, let other = page.host, Site.of(other) == Site.of(host),
            page.withoutQuery == exchange.request.url.withoutQuery
                || !index.redirectURIs.contains(page.withoutQuery)
        else { return false }
        return other == host
            || !(page.queryItems.items + page.fragmentItems.items).contains { $0.name == "state" }
    }

    /// Whether the app sends its callback where it had sent an earlier one, which came back to the provider by redirects alone:
    /// the recording ends in a circle.
    private func isSentRound(_ callback: Int) -> Bool {
        guard let target = sentTo(callback), builder.responses.count > 2 else { return false }
        var circle: Set<Int> = []
        for request in builder.requests {
            var exchange = request.exchange
            for _ in 0..<10 {
                guard let source = index.redirectedFrom[exchange] else { break }
                circle.insert(source)
                exchange = source
            }
        }
        return builder.responses.contains { response in
            response.callback.map { $0 != callback && circle.contains($0) && sentTo($0) == target } ?? false
        }
    }

    private func sentTo(_ callback: Int) -> String? {
        let exchange = index.capture[callback]
        return exchange.response?.location.map { exchange.request.url.resolving($0).withoutQuery }
    }

    /// The answer whose code the app had taken already, where it was loaded again and refused: nothing is lost by that, whether
    /// its token request is in the capture or not.
    private func withoutReload(_ response: AuthorizationResponse) -> AuthorizationResponse {
        guard let callback = response.callback,
            isRefused(callback, response.code) || isSentToAnError(callback)
        else { return response }
        return taken(before: callback, response) ?? response
    }

    /// Whether a later try went well, or the same response had been taken already: loaded again it is refused, and nothing is lost.
    private func hasSucceededElsewhere(than callback: Int, _ response: AuthorizationResponse) -> Bool {
        hasSucceededAfter(callback) || taken(before: callback, response) != nil
    }

    private func taken(before callback: Int, _ response: AuthorizationResponse) -> AuthorizationResponse? {
        guard let code = response.code else { return nil }
        return builder.responses.last { earlier in
            guard let other = earlier.callback, other != callback, earlier.code == code,
                index.position[other] < index.position[callback], index.capture[other].response != nil,
                !index.isDetour(from: other, to: callback)
            else { return false }
            return !isRefused(other, code) && !isSentToAnError(other)
        }
    }

    /// A later try of the same callback went well (a reload, a second response).
    private func hasSucceededAfter(_ callback: Int) -> Bool {
        builder.responses.contains { response in
            guard let other = response.callback, other != callback, index.capture[other].response != nil
            else { return false }
            return !isRefused(other, response.code) && !isSentToAnError(other)
                && index.capture[other].startedAt >= index.capture[callback].startedAt
        }
    }

    private func outcome(of request: TokenRequest) -> Outcome {
        if request.answer.isSuccess { return isReadable(request.answer) ? .success : outcomeInBrowser }
        switch request.answer.error?.error {
        case "authorization_pending", "slow_down", "use_dpop_nonce", "mfa_required": return .incomplete
        // The user's own no is asked for here by a device and by CIBA alone.
        case "access_denied",
            "authorization_declined"
        where GrantType.decoupled.contains(request.grantType):
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
