import Captures
package import Flows
import OAuth

/// Derives the plan of a replay from a flow.
///
/// Reads the recording only; the same flow gives the same plan.
package struct PlanBuilder {
    private let flow: Flow
    private let options: PlanOptions
    private let origins: ProviderOrigins
    /// Exchanges at the app's redirect URI.
    private let callbacks: Set<Int>
    /// The step of an exchange, responses aside, which are seen in the answer of another step.
    private let stepsByExchange: [Int: Step]
    /// The app is driven, too: its server sends what it has to send.
    private let isAppDriven: Bool
    private let index: PlanningIndex
    private let answered: AnsweredCalls
    /// From the first authorization request to the last response, by position in the order of time; nil without a request.
    private let login: ClosedRange<Int>?
    /// Exchanges that another plan drives before, in the same browser.
    private let drivenBefore: Set<Int>
    /// Clients that were registered, by the exchange of the registration.
    private let registeredClients: [Int: String]
    /// Clients that log in.
    private let clients: Set<String>

    private var capture: Capture { flow.capture }

    /// Reads the flow.
    ///
    /// `siblings`: the flows of the capture, this one among them.
    package init(_ flow: Flow, siblings: [Flow], options: PlanOptions = PlanOptions()) {
        self.init(flow, PlanningIndex(siblings), options: options)
    }

    /// `index`: of the flows of the capture, this one among them; `drivenBefore`: exchanges that the flows drive from whose
    /// session this one goes on.
    init(_ flow: Flow, _ index: PlanningIndex, drivenBefore: Set<Int> = [], options: PlanOptions) {
        self.drivenBefore = drivenBefore
        self.flow = flow
        self.index = index
        self.options = options
        origins = ProviderOrigins(of: flow)
        answered = AnsweredCalls(of: flow)
        login = Self.login(of: flow)
        clients = Set(flow.tokenRequests.compactMap(\.clientID) + [flow.clientID].compactMap(\.self))
        registeredClients = flow.registrations.reduce(into: [:]) {
            $0[$1.exchange] = $0[$1.exchange] ?? $1.registeredClient
        }
        callbacks = Set(flow.authorizationResponses.compactMap(\.callback))
        stepsByExchange = flow.steps.reduce(into: [:]) { steps, step in
            if step.kind != .authorizationResponse, steps[step.exchange] == nil {
                steps[step.exchange] = step
            }
        }
        let capture = flow.capture
        isAppDriven = callbacks.contains { callback in
            let url = capture[callback].request.url
            return url.origin.map { options.allows($0, host: url.host) } ?? false
        }
    }

    /// The steps in the order in which they were recorded, and what is left out of the recording, with the reason.
    package func plan() -> ReplayPlan {
        let (own, leftOut) = ownExchanges()
        let position = flow.surroundings.position
        let driven = (own + companions(of: own)).sorted { position[$0] < position[$1] }
        let steps = steps(of: driven)
        return ReplayPlan(
            flow: flow,
            steps: steps,
            leftOut: leftOut,
            origins: steps.compactMap { capture[$0.exchange].request.url.origin }.eachOnce(),
            secrets: SecretNeeds.of(steps, in: flow, options: options),
            challenges: plannedChallenges(),
            cookies: earlierCookies(driven),
            sent: index.sent
        )
    }

    /// The flow's own exchanges: those that are driven, and those that are not.
    private func ownExchanges() -> (driven: [Int], leftOut: [ReplayPlan.LeftOut]) {
        var leftOut: [ReplayPlan.LeftOut] = []
        var driven: [Int] = []
        for exchange in flow.exchanges {
            if let reason = reasonToLeaveOut(exchange) {
                leftOut.append(ReplayPlan.LeftOut(exchange: exchange, reason: reason))
            } else {
                driven.append(exchange)
            }
        }
        return (driven, leftOut)
    }

    /// What the flow rests on without having it.
    private func companions(of driven: [Int]) -> [Int] {
        let codes = driven.compactMap {
            stepsByExchange[$0]?.kind == .deviceAuthorizationRequest
                ? Answer(of: capture[$0], at: $0).parameters["user_code"] : nil
        }
        return CompanionFinder(flow, origins: origins.provider, index: index, drivenBefore: drivenBefore)
            .companions(of: driven, userCodes: Set(codes.filter { $0.utf8.count >= 4 }))
    }

    /// The requests in order, each with how the driver comes to it and where its values come from.
    private func steps(of driven: [Int]) -> [PlannedStep] {
        let planner = ParameterPlanner(flow: flow, driven: driven, options: options)
        let actions = ActionPlanner(flow: flow, driven: driven)
        let pages = SignInPages(driven, of: flow)
        var ownClients = OwnClients()
        return driven.map { exchange in
            let kind = stepsByExchange[exchange]?.kind
            let lost = lostSignIn(exchange, kind, pages)
            let action = lost.map { .submit(page: $0.page) } ?? actions.action(of: exchange)
            let request = lost?.request ?? capture[exchange].request
            let parameters = planner.parameters(of: request, at: exchange, kind: kind, action: action)
            let isOwn = ownClients.areMeant(by: kind, parameters, at: exchange)
            return PlannedStep(
                exchange: exchange,
                request: request,
                kind: kind,
                action: action,
                isBrowser: isBrowser(exchange),
                isNavigation: actions.isNavigation(exchange),
                parameters: parameters,
                wait: wait(before: exchange, parameters),
                hasSideEffect: hasSideEffect(exchange, kind, isOfOwnClient: isOwn)
            )
        }
    }

    /// A sign-in that has to be put together.
    private func lostSignIn(_ exchange: Int, _ kind: StepKind?, _ pages: SignInPages) -> LostSignIn? {
        guard kind == nil || kind == .userInteraction, isBrowser(exchange) else { return nil }
        return LostSignIn(exchange, of: flow, pages: pages)
    }

    // MARK: - What is driven

    private func reasonToLeaveOut(_ exchange: Int) -> ReplayPlan.LeftOut.Reason? {
        let recorded = capture[exchange]
        let url = recorded.request.url
        guard recorded.request.method != "CONNECT", let origin = url.origin else { return .connection }
        if recorded.request.method == "OPTIONS" { return .preflight }
        if Asset.isAsset(recorded) { return .asset }
        if recorded.wasNeverSent { return .neverSent }
        if recorded.response == nil, isRepeated(exchange) { return .repeated }
        let isAllowed = options.allows(origin, host: url.host)
        if callbacks.contains(exchange), !isAllowed { return .app(origin: origin) }
        let step = stepsByExchange[exchange]
        switch step?.kind {
        case .backChannelLogoutRequest, .frontChannelLogoutRequest, .clientNotification:
            return .sentByProvider
        default: break
        }
        if isAppDriven, !isBrowser(exchange) { return .sentByApp }
        if step?.kind.isOfRegistration ?? false {
            if drivenBefore.contains(exchange) { return .drivenBefore }
            if !isUsed(registration: exchange) { return .unusedRegistration }
        }
        if isAllowed { return nil }
        guard origins.provider.contains(origin) else {
            return origins.app.contains(origin) || step?.kind != .resourceRequest
                ? .app(origin: origin) : .stranger(origin: origin)
        }
        // On an origin that both share, the app's pages are those before the request and after the response.
        if step == nil, !isDuringLogin(exchange) { return .app(origin: origin) }
        return nil
    }

    /// Whether the same request was sent again later, and answered.
    private func isRepeated(_ exchange: Int) -> Bool {
        answered.isMade(capture[exchange].request, after: flow.surroundings.position[exchange])
    }

    /// Whether the client that was registered is the one that logs in.
    private func isUsed(registration exchange: Int) -> Bool {
        // A refused registration is what the flow is about.
        guard let client = registeredClients[exchange] else { return true }
        return flow.grant == "registration" || clients.contains(client)
    }

    private func isDuringLogin(_ exchange: Int) -> Bool {
        let place = flow.surroundings.position[exchange]
        return login.map { place > $0.lowerBound && place <= $0.upperBound } ?? false
    }

    private static func login(of flow: Flow) -> ClosedRange<Int>? {
        let position = flow.surroundings.position
        let requests = flow.sentAuthorizationRequests.map { position[$0.exchange] }
        let responses = flow.authorizationResponses.map { position[$0.exchange] }
        return requests.min().map { first in first...max(first, responses.max() ?? Int.max) }
    }

    private func isBrowser(_ exchange: Int) -> Bool {
        stepsByExchange[exchange].map { $0.from.role == .browser } ?? true
    }

    private func hasSideEffect(_ exchange: Int, _ kind: StepKind?, isOfOwnClient: Bool) -> Bool {
        switch kind {
        case .resourceRequest: !["GET", "HEAD"].contains(capture[exchange].request.method.uppercased())
        // A client that logs in is part of the login.
        case .clientRegistration: flow.grant == "registration"
        case .clientUpdateRequest, .clientDeleteRequest: !isOfOwnClient
        default: false
        }
    }

    /// What a run is told of the clients that it registered itself.
    private struct OwnClients {
        /// Exchanges whose answers name such a client's address and token.
        private var told: Set<Int> = []

        /// Whether a request is about such a client's registration: by the address or the token of an earlier answer about it, each of
        /// which may be another one with every answer (RFC 7592, section 3).
        mutating func areMeant(by kind: StepKind?, _ parameters: [PlannedParameter], at exchange: Int) -> Bool
        {
            guard kind?.isOfRegistration ?? false else { return false }
            let areOwn =
                kind == .clientRegistration
                || parameters.contains { parameter in
                    guard [.requestURL, .requestHeader].contains(parameter.part),
                        case .issued(let place) = parameter.source
                    else { return false }
                    return place.exchange.map(told.contains) ?? false
                }
            if areOwn { told.insert(exchange) }
            return areOwn
        }
    }

    // MARK: - Time

    /// A code that was spent too late, a token that had run out: time was why the request was refused, or may
    /// have been.
    private func wait(before exchange: Int, _ parameters: [PlannedParameter]) -> Duration? {
        let recorded = capture[exchange]
        guard let response = recorded.response else { return nil }
        let isRefused = response.status >= 400 || Answer(of: recorded, at: exchange).error != nil
        let isPoll = parameters.contains { PlannedStep.pollNames.contains($0.name) }
        let origins = parameters.compactMap { parameter -> Int? in
            guard case .issued(let place) = parameter.source else { return nil }
            return place.exchange
        }
        guard isRefused || isPoll, let latest = origins.max(by: { capture[$0].endedAt < capture[$1].endedAt })
        else { return nil }
        let gap = recorded.startedAt - capture[latest].endedAt
        return gap >= .seconds(2) ? gap : nil
    }

    // MARK: - Values

    private func plannedChallenges() -> [PlannedChallenge] {
        let verifiers = flow.tokenRequests.compactMap(\.codeVerifier)
        let challenges = flow.sentAuthorizationRequests.compactMap(\.codeChallenge)
        return challenges.eachOnce().map { challenge in
            for verifier in verifiers {
                if let making = CodeChallenge.making(challenge, from: verifier) {
                    return PlannedChallenge(challenge: challenge, verifier: verifier, making: making)
                }
            }
            return PlannedChallenge(challenge: challenge, verifier: nil, making: .s256)
        }
    }

    /// Cookies that requests carried before any answer of the capture had set one of that name.
    private func earlierCookies(_ driven: [Int]) -> [ReplayPlan.EarlierCookie] {
        var known = index.cookieNames
        let redaction = options.sendsStandIns ? nil : capture.redaction
        var cookies: [ReplayPlan.EarlierCookie] = []
        for exchange in driven where isBrowser(exchange) {
            let request = capture[exchange].request
            for cookie in request.cookies
            where SecretNames.isUsable(cookie.value) && !(redaction?.concerns(cookie.name) ?? false)
                && known.insert(cookie.name).inserted
            {
                cookies.append(ReplayPlan.EarlierCookie(url: request.url, cookie: cookie))
            }
        }
        return cookies
    }
}
