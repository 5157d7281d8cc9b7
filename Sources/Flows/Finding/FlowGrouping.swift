import Captures
import JOSE
import OAuth

/// Puts the messages of a capture into flows, one after the other in the order of time, and then what is left.
struct FlowGrouping {
    let index: CaptureIndex
    private(set) var builders: [FlowBuilder] = []
    var byCode = FlowsByValue()
    var byToken = FlowsByValue()
    var byDeviceCode = FlowsByValue()
    /// What users have to confirm for devices, in order.
    var confirmations: [(DeviceConfirmation, FlowBuilder)] = []
    var byNonce = FlowsByValue()
    /// Token requests without a code or token of their own that came to nothing, by what a further try has in common with them.
    var failedTries: [[String?]: (flow: FlowBuilder, at: Timestamp)] = [:]
    /// By what the steps of a sign-in at the token endpoint go on with.
    var byContinuation = FlowsByValue()
    var byExchange: [Int: FlowBuilder] = [:]
    /// By what makes two authorization requests the same one; the latest flow that has such a request.
    var bySignature: [String: FlowBuilder] = [:]
    var byState: [String: [FlowBuilder]] = [:]
    var open = OpenFlows()
    var targets = RedirectTargets()
    var carried = CarriedValues()
    var logoutPages = LogoutPages()
    /// Logins that may await a token, in order; those that do not any more are dropped when they are met first.
    var awaitingTokens: ArraySlice<FlowBuilder> = []
    /// Logins with a silent request within the last minute, in order.
    var silent: ArraySlice<FlowBuilder> = []
    var pushed: [Int: EndpointCall] = [:]
    /// Those that were refused, by what a further try has in common with them.
    var refusedPushes: [[String?]: [EndpointCall]] = [:]
    private var responsesAt: [Int: [Int]] = [:]
    /// Answers to requests that are not in the capture, by their codes.
    var strays: [String: AuthorizationResponse] = [:]
    /// The states of all answers.
    let answeredStates: Set<String>
    /// The states of all requests.
    let requestedStates: Set<String>
    /// Answers that stand before their requests, by state: by the clock of another recorder.
    var earlyAnswers: [String: [AuthorizationResponse]] = [:]
    /// The codes that came in those.
    var earlyCodes: Set<String> = []
    /// The successful exchange of each code.
    let exchanges: [String: TokenRequest]
    /// Where each code is delivered for the first time, by place in the order of time.
    private(set) var deliveries: [String: Int] = [:]
    /// Token requests whose code is delivered behind them only, by the clock of another recorder, and what hangs on their tokens.
    var early = EarlyMessages()

    private let areOne: Bool

    var capture: Capture { index.capture }

    init(_ index: CaptureIndex, areOne: Bool) {
        self.index = index
        self.areOne = areOne
        answeredStates = Set(index.responses.compactMap(\.state).filter { !Placeholder.isOne($0) })
        requestedStates = Set(
            index.authorizationRequests.compactMap(\.state).filter { !Placeholder.isOne($0) }
        )
        exchanges = Dictionary(
            index.tokenRequests.compactMap { request in
                request.answer.isSuccess ? request.code.map { ($0, request) } : nil
            },
            uniquingKeysWith: { first, _ in first }
        )
        for response in index.responses {
            guard let code = response.code, !Placeholder.isOne(code) else { continue }
            let place = index.position[response.exchange]
            deliveries[code] = min(deliveries[code] ?? place, place)
        }
        for (number, response) in index.responses.enumerated() {
            // Told at the place where it is seen first.
            responsesAt[response.exchange, default: []].append(number)
        }
    }

    mutating func run() {
        for exchange in index.order {
            var isWaiting = false
            if let message = index.messages[exchange] {
                isWaiting = waits(message)
                if !isWaiting { join(message, at: exchange) }
            }
            for number in responsesAt[exchange] ?? [] {
                let response = index.responses[number]
                join(response)
                joinEarly(to: response)
            }
            if byExchange[exchange] == nil, !isWaiting { joinPage(exchange) }
        }
        joinWhatWaits()
        redeemedPushes()
        pushesThatCameToNothing()
        failedConnections()
        sharedDocuments()
    }

    // MARK: - Messages

    mutating func join(_ message: OAuthMessage, at exchange: Int) {
        let host = capture[exchange].request.url.host
        switch message {
        case .authorizationRequest(let request):
            join(request, request.isUnseen ? request.endpoint.host : host)
        case .token(let request): join(request, message, host)
        case .pushedRequest(let call):
            pushed[exchange] = call
            if call.answer.isRefusal { refusedPushes[triedValues(of: call), default: []].append(call) }
        case .identityAssertion(let call): join(assertion: call, host)
        case .userInfo(let call), .resource(let call), .introspection(let call), .revocation(let call):
            let tokens = [call.token?.value, call.parameters["token"]].compactMap(\.self)
            guard
                let flow = tokens.compactMap({ byToken[$0] }).first
                    ?? (isResource(message) ? nil : flow(ofClient: call.authentication.clientID?.value, host))
                    ?? (isUserInfo(message) ? lastLogin(before: call) : nil)
                    ?? (tokens.contains(where: MissingToken.isOne) ? lastGivenTokens(before: exchange) : nil)
                    ?? (tokens.contains(where: Placeholder.isOne) ? lastFlow(of: message, at: host) : nil)
            else {
                if case .resource = message { return }
                return add(message, to: new(grant: grantName(of: message), exchange), host)
            }
            add(message, to: flow, isResource(message) ? nil : host)
        case .endSession(let call): join(call, message, host)
        case .backChannelLogout(let delivery):
            let audience = delivery.token?.audience ?? []
            let flow =
                builders.last { flow in flow.clientID.map(audience.contains) ?? false }
                ?? builders.last { flow in host.map(flow.clientHosts.contains) ?? false }
                ?? new(grant: "logout", exchange)
            add(message, to: flow, nil)
        case .frontChannelLogout(let call):
            let flow =
                builders.last { flow in flow.hasSession(call.parameters["sid"]) }
                ?? builders.last { flow in host.map(flow.clientHosts.contains) ?? false }
                ?? new(grant: "logout", exchange)
            add(message, to: flow, nil)
        case .deviceAuthorization(let call):
            join(device: call, message, host)
        case .backchannelAuthentication(let call):
            let flow = new(grant: GrantType.ciba, exchange)
            flow.clientID = call.authentication.clientID?.value
            add(message, to: flow, host)
            if let request = call.answer.parameters["auth_req_id"] { byDeviceCode[request] = flow }
        case .discovery, .keySet, .registration, .clientConfiguration, .authorizationResponse: break
        }
    }

    /// UserInfo is asked after a login: the last one, where headers were stripped or the token's answer was not saved.
    func lastLogin(before call: EndpointCall) -> FlowBuilder? {
        var hosts = Set([call.endpoint.host].compactMap(\.self))
        // The provider may have it at a host of its own.
        for document in index.metadata where document.names(call.endpoint, as: "userinfo_endpoint") {
            for name in ["authorization_endpoint", "token_endpoint"] {
                if let host = document.endpoint(name).flatMap({ RecordedURL($0).host }) { hosts.insert(host) }
            }
        }
        let isReadable =
            call.token.map { !Placeholder.isOne($0.value) && !MissingToken.isOne($0.value) } ?? false
        return builders.last { flow in
            !flow.requests.isEmpty && !flow.providerHosts.isDisjoint(with: hosts)
                && !(isReadable && flow.knowsItsToken && !isOfItsLogin(call, flow))
        }
    }

    /// Whether a call with a token that a login did not get is its own all the same: the client spoiled it, or has an older one of
    /// the same user, and made no other.
    private func isOfItsLogin(_ call: EndpointCall, _ flow: FlowBuilder) -> Bool {
        guard call.answer.isRefusal || flow.isOfSubject(call.answer.parameters["sub"]) else { return false }
        var given: Timestamp?
        for message in flow.messages {
            switch message {
            case .token(let request) where request.answer.isSuccess: given = capture[request.exchange].endedAt
            case .userInfo, .resource: return false
            default: break
            }
        }
        return given.map { capture[call.exchange].startedAt - $0 <= .seconds(5) } ?? false
    }

    /// The last flow that asked a host of its provider, for what a sanitizer left no value in that leads anywhere; for a
    /// resource, which is anywhere, the last that got tokens.
    func lastFlow(of message: OAuthMessage? = nil, at host: String?) -> FlowBuilder? {
        if let message, isResource(message) { return builders.last { !$0.awaitsToken } ?? builders.last }
        guard let host else { return nil }
        return builders.last { $0.providerHosts.contains(host) }
    }

    /// The flow that got tokens within the last minute and was not logged out since, for a call whose app should have had
    /// one of them and had none.
    func lastGivenTokens(before exchange: Int) -> FlowBuilder? {
        let time = capture[exchange].startedAt
        return builders.suffix(500).last { flow in
            flow.messages.contains { message in
                guard case .token(let request) = message else { return false }
                let age = time - capture[request.exchange].endedAt
                return request.answer.isSuccess && age >= .zero && age <= .seconds(60)
            } && !flow.messages.contains(where: endsSession)
        }
    }

    private func endsSession(_ message: OAuthMessage) -> Bool {
        switch message {
        case .endSession, .revocation, .frontChannelLogout, .backChannelLogout: true
        default: false
        }
    }

    func isUserInfo(_ message: OAuthMessage) -> Bool {
        if case .userInfo = message { true } else { false }
    }

    func isResource(_ message: OAuthMessage) -> Bool {
        if case .resource = message { true } else { false }
    }

    func grantName(of message: OAuthMessage) -> String {
        switch message {
        case .introspection: "introspection"
        case .revocation: "revocation"
        default: "userinfo"
        }
    }

    // MARK: - Bookkeeping

    mutating func new(grant: String, _ exchange: Int) -> FlowBuilder {
        if areOne, let only = builders.first { return only }
        let flow = FlowBuilder(grant: grant, startedAt: capture[exchange].startedAt, number: builders.count)
        builders.append(flow)
        return flow
    }

    mutating func add(_ message: OAuthMessage, to flow: FlowBuilder, _ host: String?) {
        flow.add(message)
        if let host { know(host, of: flow) }
        if byExchange[message.exchange] == nil { byExchange[message.exchange] = flow }
    }

    /// Notes that a host is one of the flow's provider.
    mutating func know(_ host: String, of flow: FlowBuilder) {
        if flow.providerHosts.insert(host).inserted, !flow.requests.isEmpty || flow.isConfirming {
            open.insert(flow, at: host)
        }
    }

    mutating func attach(_ exchange: Int, to flow: FlowBuilder) {
        flow.exchanges.insert(exchange)
        if byExchange[exchange] == nil { byExchange[exchange] = flow }
    }
}
