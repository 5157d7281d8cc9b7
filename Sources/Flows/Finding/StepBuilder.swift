import Captures
import JOSE
import OAuth

/// Lays the messages of a flow out as steps, with who spoke to whom.
struct StepBuilder {
    let index: CaptureIndex
    let builder: FlowBuilder
    let messages: [OAuthMessage]
    private let sharedProcesses: Set<String>
    /// Whether the client is an app on a device: its redirect URI is one that only the system can follow, or that the system gave to it.
    private let isNative: Bool
    /// Whether such an app hands its code to a server of its own, which asks for the tokens.
    private let hasBackEnd: Bool

    init(index: CaptureIndex, builder: FlowBuilder, messages: [OAuthMessage]) {
        self.index = index
        self.builder = builder
        self.messages = messages
        sharedProcesses = Self.sharedProcesses(builder.exchanges, index.capture)
        isNative =
            builder.requests.contains { $0.redirectURI.map { !RecordedURL($0).isWeb } ?? false }
            || Self.isClaimed(builder, messages, index.capture)
        hasBackEnd = isNative && Self.isHandedOn(builder, messages, index)
    }

    /// Whether no browser loaded the redirect URI, and an app on a device asked for the tokens.
    private static func isClaimed(_ builder: FlowBuilder, _ messages: [OAuthMessage], _ capture: Capture)
        -> Bool
    {
        !builder.responses.isEmpty && builder.responses.allSatisfy { $0.callback == nil }
            && messages.contains { isTokenRequest($0, ofApp: true, capture) }
    }

    /// Whether an app on a device brought the code to a host that is none of the provider's, and somebody else asked for the tokens.
    private static func isHandedOn(
        _ builder: FlowBuilder,
        _ messages: [OAuthMessage],
        _ index: CaptureIndex
    ) -> Bool {
        guard let response = builder.responses.last(where: { $0.code != nil }),
            let code = response.parameter("code"), code.value.utf8.count >= shortestCode,
            messages.contains(where: { isTokenRequest($0, ofApp: false, index.capture) })
        else { return false }
        let carried = CarriedCode(code)
        let start = index.capture[response.exchange].startedAt
        let behind = index.order[(index.position[response.exchange] + 1)...].prefix(mostBetween)
            .prefix { index.capture[$0].startedAt - start <= .seconds(300) }
        return behind.contains {
            let request = index.capture[$0].request
            guard index.messages[$0] == nil, isOfApp(request),
                let host = request.url.host, !builder.providerHosts.contains(host)
            else { return false }
            return carried.isCarried(by: request) == true
        }
    }

    private static let shortestCode = 8
    private static let mostBetween = 300

    private static func isTokenRequest(_ message: OAuthMessage, ofApp: Bool, _ capture: Capture) -> Bool {
        guard case .token(let request) = message else { return false }
        return isOfApp(capture[request.exchange].request) == ofApp
    }

    private static func isOfApp(_ request: RecordedRequest) -> Bool {
        UserAgentName.isNativeApp(request.headers.first("user-agent") ?? "")
    }

    private var capture: Capture { index.capture }

    func steps(_ position: [Int]) -> [Step] {
        var steps = messages.map(step)
        for exchange in builder.interactions where isInteraction(capture[exchange]) {
            let recorded = capture[exchange]
            var parameters = Parameters(recorded.request.url.queryItems, of: exchange, in: .requestQuery)
            if let form = FormBody.items(of: recorded.request.body) {
                parameters.items += Parameters(form, of: exchange, in: .requestBody).items
            }
            steps.append(make(.userInteraction, exchange, parameters, to: .provider, isBrowser: true))
        }
        steps += builder.notifications.filter(isOfProvider).map(step)
        // What a page sent is answered by the response to the app, which may have been seen in the redirect only.
        let key = { (step: Step) in (position[step.exchange], step.kind == .authorizationResponse ? 1 : 0) }
        return steps.enumerated().sorted { left, right in
            let (first, second) = (key(left.element), key(right.element))
            return (first.0, first.1, left.offset) < (second.0, second.1, right.offset)
        }.map(\.element)
    }

    /// Whether it comes of the provider itself: an app's page may ask its server for the same request.
    private func isOfProvider(_ notification: BackchannelNotification) -> Bool {
        messages.contains { message in
            if case .backchannelAuthentication(let call) = message {
                notification.isAnswer(to: call)
            } else {
                false
            }
        }
    }

    /// What the user meets: pages, and what is sent from them.
    ///
    /// Scripts, styles and the data a page fetches belong to the flow, but are no step.
    private func isInteraction(_ exchange: Exchange) -> Bool {
        let method = exchange.request.method.uppercased()
        // Some proxies record how the tunnel was opened, too.
        if method == "CONNECT" { return exchange.response?.status != 200 }
        guard ["GET", "HEAD"].contains(method) else { return true }
        guard let response = exchange.response else { return exchange.failure != nil }
        return response.location != nil || response.body?.isPage ?? false
            || !response.setCookies.isEmpty
    }

    private func step(_ message: OAuthMessage) -> Step {
        switch message {
        case .discovery(let document): return make(message, document.answer.parameters, to: .provider)
        case .keySet(let document):
            let host = document.url.host ?? ""
            guard !builder.providerHosts.contains(host),
                FlowHosts(of: builder.messages, in: index).app.contains(host)
            else { return make(message, Parameters(), to: .provider) }
            return fromProvider(make(message, Parameters(), to: .backend))
        // The redirect that alone tells of it is the app's.
        case .authorizationRequest(let request) where request.isUnseen:
            return make(.userInteraction, request.exchange, request.parameters, to: .backend, isBrowser: true)
        case .authorizationRequest(let request):
            return make(message, request.parameters, to: .provider, isBrowser: true)
        case .authorizationResponse(let response): return step(response)
        case .token(let request):
            var step = make(message, request.parameters, to: .provider)
            step.tokens = tokens(request.answer.parameters)
            return step
        case .identityAssertion(let call), .endSession(let call):
            return make(message, call.parameters, to: .provider, isBrowser: true)
        case .registration(let call), .pushedRequest(let call), .userInfo(let call), .introspection(let call),
            .revocation(let call), .deviceAuthorization(let call), .clientConfiguration(let call),
            .backchannelAuthentication(let call):
            return make(message, call.parameters, to: .provider)
        case .backChannelLogout(let delivery):
            return fromProvider(make(message, Parameters([delivery.parameter]), to: .backend))
        case .frontChannelLogout(let call):
            return make(message, call.parameters, to: .backend, isBrowser: true)
        case .resource(let call): return make(message, call.parameters, to: .resource)
        }
    }

    private func step(_ notification: BackchannelNotification) -> Step {
        var step = make(.clientNotification, notification.exchange, notification.parameters, to: .backend)
        step.tokens = tokens(notification.parameters)
        return fromProvider(step)
    }

    private func fromProvider(_ step: Step) -> Step {
        var step = step
        step.from = Participant(role: .provider)
        return step
    }

    /// At the callback where it is recorded; else at the redirect, from the provider to an app that only the
    /// system can reach.
    private func step(_ response: AuthorizationResponse) -> Step {
        let exchange = response.callback ?? response.exchange
        var step = make(.authorizationResponse, exchange, response.parameters, to: .app, isBrowser: true)
        if response.callback == nil {
            step.from = Participant(role: .provider)
            step.to = Participant(role: .app)
            step.at = capture[exchange].endedAt
        } else {
            step.to = Participant(role: builder.clientHosts.isEmpty ? .app : .backend)
        }
        step.tokens = tokens(response.parameters)
        return step
    }

    private func make(
        _ message: OAuthMessage,
        _ parameters: Parameters,
        to role: Participant.Role,
        isBrowser: Bool = false
    ) -> Step {
        make(StepKind(of: message), message.exchange, parameters, to: role, isBrowser: isBrowser)
    }

    private func make(
        _ kind: StepKind,
        _ exchange: Int,
        _ parameters: Parameters,
        to role: Participant.Role,
        isBrowser: Bool = false
    ) -> Step {
        Step(
            kind: kind,
            exchange: exchange,
            at: capture[exchange].startedAt,
            from: sender(exchange, isBrowser: isBrowser),
            to: Participant(role: role),
            parameters: parameters,
            tokens: []
        )
    }

    // MARK: - Who

    private func sender(_ exchange: Int, isBrowser: Bool) -> Participant {
        let recorded = capture[exchange]
        let agent = recorded.request.userAgent ?? ""
        let looksLikeBrowser = agent.hasPrefix("Mozilla/")
        let isApp = isNative && !(hasBackEnd && !Self.isOfApp(recorded.request))
        let role: Participant.Role = isBrowser || looksLikeBrowser ? .browser : isApp ? .app : .backend
        if let process = recorded.client.process, !sharedProcesses.contains(process) {
            return Participant(role: role, name: process)
        }
        let product = Self.product(agent, role)
        // Our recorder looked for the process, and the system did not tell: what the client calls itself may be anything.
        let isClaimed = recorded.client.address != nil && recorded.client.process == nil
        return Participant(role: role, name: isClaimed ? product.map { "\($0) (user agent)" } : product)
    }

    /// Processes that send under several user agents: browser and backend in one test program, say.
    ///
    /// Their name tells nobody apart. A connection that failed has no user agent, and says nothing.
    private static func sharedProcesses(_ exchanges: Set<Int>, _ capture: Capture) -> Set<String> {
        var agents: [String: Set<String>] = [:]
        for exchange in exchanges {
            let recorded = capture[exchange]
            guard let process = recorded.client.process,
                let agent = recorded.request.userAgent
            else { continue }
            agents[process, default: []].insert(agent)
        }
        return Set(agents.filter { $0.value.count > 1 }.keys)
    }

    /// The product of a user agent that is no browser's: `Java-http-client/21.0.5` is `Java-http-client`.
    private static func product(_ agent: String, _ role: Participant.Role) -> String? {
        guard role != .browser,
            let product = agent.utf8.split(whereSeparator: { $0 == 0x2f || $0 == 0x20 }).first
        else { return nil }
        return String(product)
    }

    // MARK: - Tokens

    private func tokens(_ parameters: Parameters) -> [StepToken] {
        parameters.items.compactMap { parameter in
            guard ["id_token", "access_token", "refresh_token", "response"].contains(parameter.name),
                let token = JSONWebToken.parse(parameter.value)
            else { return nil }
            let inner = index.opened[token]?.token
            let verification = index.verification(of: inner ?? token, providerHosts: builder.providerHosts)
            return StepToken(
                name: parameter.name,
                token: inner ?? token,
                envelope: inner == nil ? nil : token,
                signature: verification.outcome,
                checks: verification.checks
            )
        }
    }
}
