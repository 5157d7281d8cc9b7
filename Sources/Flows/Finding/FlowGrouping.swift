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

    private let areOne: Bool

    var capture: Capture { index.capture }

    init(_ index: CaptureIndex, areOne: Bool) {
        self.index = index
        self.areOne = areOne
        for (number, response) in index.responses.enumerated() {
            // Told at the place where it is seen first.
            responsesAt[response.exchange, default: []].append(number)
        }
    }

    mutating func run() {
        for exchange in index.order {
            if let message = index.messages[exchange] { join(message, at: exchange) }
            for number in responsesAt[exchange] ?? [] { join(index.responses[number]) }
            if byExchange[exchange] == nil { joinPage(exchange) }
        }
        redeemedPushes()
        pushesThatCameToNothing()
        failedConnections()
        sharedDocuments()
    }

    // MARK: - Messages

    mutating func join(_ message: OAuthMessage, at exchange: Int) {
        let host = capture[exchange].request.url.host
        switch message {
        case .authorizationRequest(let request): join(request, host)
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
        case .discovery, .keySet, .registration, .authorizationResponse: break
        }
    }

    /// UserInfo is asked after a login: the last one, where headers were stripped or the token's answer was not saved.
    func lastLogin(before call: EndpointCall) -> FlowBuilder? {
        var hosts = Set([call.endpoint.host].compactMap(\.self))
        // The provider may have it at a host of its own.
        for document in index.metadata where document.endpoint("userinfo_endpoint") == call.endpoint.text {
            for name in ["authorization_endpoint", "token_endpoint"] {
                if let host = document.endpoint(name).flatMap({ RecordedURL($0).host }) { hosts.insert(host) }
            }
        }
        return builders.last { !$0.requests.isEmpty && !$0.providerHosts.isDisjoint(with: hosts) }
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
