package import Captures
import JOSE
import JSON
import OAuth

/// Puts the exchanges of a capture together into flows.
///
/// Requests interleaved in time are told apart by the values they carry (`state`, `nonce`, code, tokens,
/// `client_id`, redirect URI), never by their order. One pass over the messages in order of time, then one
/// over what is left.
package enum FlowFinder {
    /// `areOne`: the exchanges are known to be one flow, and what would join two of them was not recorded.
    package static func flows(in capture: Capture, areOne: Bool = false) -> [Flow] {
        let index = CaptureIndex(capture)
        var grouping = Grouping(index, areOne: areOne)
        grouping.run()
        let builders = grouping.builders.sorted { left, right in
            let (a, b) = (first(of: left, index), first(of: right, index))
            return (a.nanoseconds, left.startedAt.nanoseconds, left.number) < (
                b.nanoseconds, right.startedAt.nanoseconds, right.number
            )
        }
        return builders.enumerated().map { FlowAssembly(index: index, builder: $1, number: $0 + 1).flow() }
    }

    private static func first(of builder: FlowBuilder, _ index: CaptureIndex) -> Timestamp {
        builder.exchanges.map { index.capture[$0].startedAt }.min() ?? builder.startedAt
    }
}

/// The grouping itself.
private struct Grouping {
    private let index: CaptureIndex
    private(set) var builders: [FlowBuilder] = []
    private var byCode: [String: FlowBuilder] = [:]
    private var byToken: [String: FlowBuilder] = [:]
    private var byDeviceCode: [String: FlowBuilder] = [:]
    private var byExchange: [Int: FlowBuilder] = [:]
    /// By what makes two authorization requests the same one; the latest flow that has such a request.
    private var bySignature: [String: FlowBuilder] = [:]
    private var byState: [String: [FlowBuilder]] = [:]
    /// Flows that may await an answer; those that do not any more are dropped when they are met.
    private var open: [FlowBuilder] = []
    private var pushed: [Int: EndpointCall] = [:]
    private var responsesAt: [Int: [Int]] = [:]

    private let areOne: Bool

    private var capture: Capture { index.capture }

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
        refusedPushes()
        failedConnections()
        sharedDocuments()
    }

    // MARK: - Messages

    private mutating func join(_ message: OAuthMessage, at exchange: Int) {
        let host = capture[exchange].request.url.host
        switch message {
        case .authorizationRequest(let request): join(request, host)
        case .token(let request): join(request, message, host)
        case .pushedRequest(let call): pushed[exchange] = call
        case .userInfo(let call), .resource(let call), .introspection(let call), .revocation(let call):
            let token = call.token?.value ?? call.parameters["token"]
            guard
                let flow = token.flatMap({ byToken[$0] })
                    ?? (isResource(message) ? nil : flow(ofClient: call.authentication.clientID?.value, host))
                    ?? (isUserInfo(message) ? lastLogin(at: host) : nil)
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
            let flow = new(grant: "urn:ietf:params:oauth:grant-type:device_code", exchange)
            flow.clientID = call.parameters["client_id"]
            add(message, to: flow, host)
            if let code = call.answer.parameters["device_code"] { byDeviceCode[code] = flow }
        case .discovery, .keySet, .registration, .authorizationResponse: break
        }
    }

    /// UserInfo is asked after a login: the last one, where headers were stripped or the token's answer was not saved.
    private func lastLogin(at host: String?) -> FlowBuilder? {
        guard let host else { return nil }
        return builders.last { !$0.requests.isEmpty && $0.providerHosts.contains(host) }
    }

    private func isUserInfo(_ message: OAuthMessage) -> Bool {
        if case .userInfo = message { true } else { false }
    }

    private func isResource(_ message: OAuthMessage) -> Bool {
        if case .resource = message { true } else { false }
    }

    private mutating func join(_ request: AuthorizationRequest, _ host: String?) {
        let flow = flowContinued(by: request) ?? new(grant: grant(of: request), request.exchange)
        let signatures = signatures(of: request)
        if !flow.isOpen
            || !flow.requests.contains(where: { !signatures.isDisjoint(with: self.signatures(of: $0)) })
        {
            flow.requests.append(request)
            for signature in signatures { bySignature[signature] = flow }
            if let state = request.state { byState[state, default: []].append(flow) }
            if !open.contains(where: { $0 === flow }) { open.append(flow) }
        }
        flow.clientID = flow.clientID ?? request.clientID
        if let uri = request.redirectURI.map({ RecordedURL($0) }), let host = uri.host, uri.isWeb {
            flow.clientHosts.insert(host)
        }
        add(.authorizationRequest(request), to: flow, host)
        flow.learn(capture[request.exchange])
        if let exchange = request.pushed, let call = pushed.removeValue(forKey: exchange) {
            for earlier in refusedTries(of: call) {
                pushed[earlier.exchange] = nil
                add(.pushedRequest(earlier), to: flow, capture[earlier.exchange].request.url.host)
            }
            add(.pushedRequest(call), to: flow, capture[exchange].request.url.host)
        }
        // The app's answer that sent the browser here: its cookies and its `state` are half of the evidence.
        if let source = index.redirectedFrom[request.exchange], byExchange[source] == nil,
            index.messages[source] == nil
        {
            attach(source, to: flow)
        }
    }

    /// The flow that a request goes on with: the same request again, a circle of redirects, or the
    /// interactive try after a silent one.
    private func flowContinued(by request: AuthorizationRequest) -> FlowBuilder? {
        for signature in signatures(of: request) { if let same = bySignature[signature] { return same } }
        // Back along the redirects, without a page in between: to a callback (a loop), or to a flow's own
        // pages.
        var exchange = request.exchange
        var steps = 0
        while let source = index.redirectedFrom[exchange], steps < 20 {
            if let flow = byExchange[source], flow.responses.contains(where: { $0.callback == source }) {
                return flow
            }
            exchange = source
            steps += 1
        }
        let time = capture[request.exchange].startedAt
        return builders.last { flow in
            guard let silent = flow.requests.last, silent.isSilent, silent.clientID == request.clientID,
                isSameApp(silent.redirectURI, request.redirectURI), isRefused(silent, in: flow)
            else { return false }
            return time - capture[silent.exchange].startedAt <= .seconds(60)
        }
    }

    /// Silent probes are often answered at a page of their own, beside the one of the login.
    private func isSameApp(_ one: String?, _ other: String?) -> Bool {
        if one == other { return true }
        guard let one = one.flatMap({ RecordedURL($0).origin }) else { return false }
        return one == other.flatMap { RecordedURL($0).origin }
    }

    /// Whether a silent request came to nothing: by its answer, or by what its page posts to the app's window.
    private func isRefused(_ silent: AuthorizationRequest, in flow: FlowBuilder) -> Bool {
        if flow.responses.last?.error != nil { return true }
        guard flow.responses.isEmpty,
            silent.parameters["response_mode"].map(PostedMessage.modes.contains) ?? false
        else { return false }
        return flow.exchanges.contains { PostedMessage.silentError(on: capture[$0]) != nil }
    }

    /// What a reload, or the provider's own continuation that carries the request along, has in common with
    /// it: two requests with a signature in common are the same.
    private func signatures(of request: AuthorizationRequest) -> Set<String> {
        let client = request.clientID ?? ""
        // U+0000 cannot be told apart from itself, but no two fields run into one another.
        func joined(_ values: [String?]) -> String {
            values.map { $0.map { "=" + $0 } ?? "" }.joined(separator: "\0")
        }
        let own = [request.state, request.nonce, request.codeChallenge]
        // Without any value of its own, only the very same parameters are the same request.
        let all = own.contains { $0 != nil } ? [] : request.parameters.items.map { Optional($0.value) }
        var signatures: Set = ["r" + joined([client, request.redirectURI] + own + all)]
        if let uri = request.parameters["request_uri"] { signatures.insert("u" + joined([client, uri])) }
        return signatures
    }

    private mutating func join(_ response: AuthorizationResponse) {
        guard let flow = flow(answeredBy: response) else { return }
        flow.responses.append(response)
        flow.messages.append(.authorizationResponse(response))
        for exchange in [response.deliveredBy, response.callback].compactMap({ $0 }) {
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
    }

    private func flow(answeredBy response: AuthorizationResponse) -> FlowBuilder? {
        if let code = response.code, let flow = byCode[code] { return flow }
        if let exchange = response.deliveredBy, let flow = byExchange[exchange], flow.isOpen,
            accepts(flow, response)
        {
            return flow
        }
        if let state = response.state, let flow = byState[state]?.last(where: { accepts($0, response) }) {
            return flow
        }
        let candidates = builders.filter { accepts($0, response) }
        return candidates.last(where: \.isOpen) ?? candidates.last
    }

    private func accepts(_ flow: FlowBuilder, _ response: AuthorizationResponse) -> Bool {
        flow.requests.contains { request in
            // A request object that nobody can read may name any redirect URI.
            guard let uri = request.redirectURI else { return true }
            return RecordedURL(uri).withoutQuery == response.target.text
        }
    }

    private mutating func join(_ request: TokenRequest, _ message: OAuthMessage, _ host: String?) {
        let flow = existingFlow(for: request, host) ?? new(grant: request.grantType, request.exchange)
        flow.clientID = flow.clientID ?? request.clientID
        add(message, to: flow, host)
        if let code = request.code { byCode[code] = byCode[code] ?? flow }
        for token in [request.accessToken, request.issuedRefreshToken, request.answer.parameters["id_token"]]
            .compactMap({ $0 })
        {
            byToken[token] = flow
        }
        // The polls of a device are one flow, also where what began them was not recorded.
        if let code = request.parameters["device_code"], byDeviceCode[code] == nil {
            byDeviceCode[code] = flow
        }
        // A reused refresh token goes with the flow that saw it first.
        if let token = request.refreshToken, byToken[token] == nil { byToken[token] = flow }
    }

    private func existingFlow(for request: TokenRequest, _ host: String?) -> FlowBuilder? {
        if let code = request.code, let flow = byCode[code] { return flow }
        if let token = request.refreshToken { return byToken[token] }
        if let token = request.parameters["subject_token"] { return byToken[token] }
        if let code = request.parameters["device_code"] { return byDeviceCode[code] }
        guard request.isCodeExchange else { return nil }
        let candidates = builders.filter { flow in
            guard !flow.requests.isEmpty else { return false }
            let isClient = request.clientID == nil || flow.clientID == request.clientID
            let isTarget =
                request.redirectURI == nil || flow.requests.contains { $0.redirectURI == request.redirectURI }
            return isClient && isTarget
        }
        let isWaiting: (FlowBuilder) -> Bool = { flow in
            !flow.messages.contains { if case .token = $0 { true } else { false } }
        }
        return candidates.first(where: isWaiting) ?? candidates.last ?? sameClient(request, host, isWaiting)
    }

    /// A code that was changed on the way, with a redirect URI that was changed, too: the client is what is
    /// left.
    private func sameClient(_ request: TokenRequest, _ host: String?, _ isWaiting: (FlowBuilder) -> Bool)
        -> FlowBuilder?
    {
        let candidates = builders.filter { flow in
            guard !flow.requests.isEmpty, let host, flow.providerHosts.contains(host) else { return false }
            return request.clientID == nil || flow.clientID == request.clientID
        }
        return candidates.last(where: isWaiting)
    }

    private mutating func join(_ call: EndpointCall, _ message: OAuthMessage, _ host: String?) {
        let hint = call.parameters["id_token_hint"]
        let flow =
            hint.flatMap { byToken[$0] } ?? hint.flatMap { hinted($0) }
            ?? flow(ofClient: call.parameters["client_id"], host)
            ?? builders.last { flow in
                host.map { flow.providerHosts.contains($0) } ?? false && !flow.requests.isEmpty
            }
            ?? new(grant: "logout", call.exchange)
        add(message, to: flow, host)
        if let source = index.redirectedFrom[call.exchange], byExchange[source] == nil {
            attach(source, to: flow)
        }
    }

    /// An ID token of a refresh that is not in the capture still names its subject's login.
    private func hinted(_ hint: String) -> FlowBuilder? {
        guard let audience = JSONWebToken.parse(hint)?.audience else { return nil }
        return builders.last { flow in flow.clientID.map { audience.contains($0) } ?? false }
    }

    private func flow(ofClient client: String?, _ host: String?) -> FlowBuilder? {
        guard let client else { return nil }
        return builders.last { flow in
            flow.clientID == client
                && (host.map { flow.providerHosts.isEmpty || flow.providerHosts.contains($0) } ?? true)
        }
    }

    // MARK: - Pages

    /// What the user sees at the provider, between request and response.
    private mutating func joinPage(_ exchange: Int) {
        let recorded = capture[exchange]
        let url = recorded.request.url
        guard url.isWeb, let host = url.host, recorded.response != nil, recorded.request.method != "OPTIONS",
            !Asset.isAsset(recorded)
        else { return }
        open.removeAll { !$0.isOpen }
        let candidates = open.filter { $0.providerHosts.contains(host) || isLed(exchange, by: $0) }
        guard !candidates.isEmpty else { return }
        let flow: FlowBuilder
        if candidates.count == 1 {
            flow = candidates[0]
        } else {
            let related = candidates.map { ($0, isLed(exchange, by: $0) ? 1000 : $0.kinship(recorded)) }
            flow =
                related.max { ($0.1, $0.0.number) < ($1.1, $1.0.number) }?.0
                ?? candidates[candidates.count - 1]
        }
        // A redirect to the app's own pages does not make it a provider.
        guard !flow.clientHosts.contains(host) || flow.providerHosts.contains(host) else { return }
        attach(exchange, to: flow)
        flow.interactions.insert(exchange)
        flow.providerHosts.insert(host)
        flow.learn(recorded)
    }

    private func isLed(_ exchange: Int, by flow: FlowBuilder) -> Bool {
        guard let source = index.redirectedFrom[exchange], let owner = byExchange[source] else {
            return false
        }
        return owner === flow
            && (flow.interactions.contains(source) || flow.requests.contains { $0.exchange == source })
    }

    /// Refused tries of a pushed request that was then taken: the same request again within a minute, with the
    /// nonce that the provider asked for, say.
    private func refusedTries(of call: EndpointCall) -> [EndpointCall] {
        let time = capture[call.exchange].startedAt
        return pushed.values.filter { earlier in
            let age = time - capture[earlier.exchange].startedAt
            return earlier.answer.isRefusal && age >= .zero && age <= .seconds(60)
                && earlier.endpoint.text == call.endpoint.text
                && earlier.authentication.clientID?.value == call.authentication.clientID?.value
                && ["redirect_uri", "state", "nonce"].allSatisfy {
                    earlier.parameters[$0] == call.parameters[$0]
                }
        }.sorted { $0.exchange < $1.exchange }
    }

    // MARK: - What is left

    private mutating func refusedPushes() {
        for (exchange, call) in pushed.sorted(by: { $0.key < $1.key }) {
            let flow = new(grant: "authorization_code", exchange)
            flow.clientID = call.authentication.clientID?.value
            add(.pushedRequest(call), to: flow, capture[exchange].request.url.host)
        }
    }

    private mutating func failedConnections() {
        var byHost: [String: FlowBuilder] = [:]
        let hadFlows = !builders.isEmpty
        for exchange in index.order where byExchange[exchange] == nil && index.messages[exchange] == nil {
            let recorded = capture[exchange]
            let isRefusal = RecorderRefusal.isOne(recorded)
            guard isRefusal || recorded.response == nil && recorded.failure != nil,
                let host = recorded.request.url.host
            else { continue }
            let near = builders.filter {
                $0.grant != "connection" && ($0.providerHosts.contains(host) || $0.clientHosts.contains(host))
            }
            if let flow = near.last(where: { $0.startedAt <= recorded.startedAt }) ?? near.first {
                attach(exchange, to: flow)
                continue
            }
            let kind = ProviderRecognizer.kind(ofHost: host)
            let isProvider = kind != nil && !index.openedHosts.contains(host)
            // Nothing of any login was seen, and the recorder was refused: that is what its user has to know,
            // unless it is some service of the system that calls home.
            let isAllThereIs = !hadFlows && isRefusal && RecorderRefusal.mayBeOfALogin(host)
            guard isProvider || isAllThereIs || !hadFlows && isBehindAFailure(exchange) else { continue }
            let name = kind?.rawValue ?? host
            let flow = byHost[name] ?? new(grant: "connection", exchange)
            byHost[name] = flow
            flow.providerHosts.insert(host)
            attach(exchange, to: flow)
        }
    }

    /// Whether a connection failed while a server was at work on another's request, and that came to nothing: the app
    /// could not reach whom it needed to begin a login.
    private func isBehindAFailure(_ exchange: Int) -> Bool {
        let failed = capture[exchange]
        guard let sender = failed.client.process else { return false }
        let place = index.position[exchange]
        let before = index.order[..<place].suffix(50)
        return before.contains { other in
            let asked = capture[other]
            return asked.client.process.map { $0 != sender } ?? false
                && asked.startedAt <= failed.startedAt && asked.endedAt >= failed.endedAt
                && (asked.response?.status ?? 0) >= 500
        }
    }

    /// Discovery, keys, registration: they belong to every flow of their issuer; alone they are a flow of
    /// their own.
    private mutating func sharedDocuments() {
        let documents = DocumentOwners(index, builders)
        var alone: [String: FlowBuilder] = [:]
        for exchange in index.order {
            guard let message = index.messages[exchange],
                let owners = documents.owners(of: message, at: exchange)
            else { continue }
            if owners.isEmpty {
                // Documents that lead from one to the next stay together: resource, server, keys.
                let hosts =
                    [capture[exchange].request.url.host ?? ""] + DocumentOwners.hostsNamed(by: message)
                let grant = if case .registration = message { "registration" } else { "discovery" }
                let flow = hosts.lazy.compactMap { alone[$0] }.first ?? new(grant: grant, exchange)
                for host in hosts where alone[host] == nil { alone[host] = flow }
                add(message, to: flow, hosts[0])
            } else {
                for flow in owners { add(message, to: flow, nil) }
            }
        }
    }

    // MARK: - Bookkeeping

    private mutating func new(grant: String, _ exchange: Int) -> FlowBuilder {
        if areOne, let only = builders.first { return only }
        let flow = FlowBuilder(grant: grant, startedAt: capture[exchange].startedAt, number: builders.count)
        builders.append(flow)
        return flow
    }

    private mutating func add(_ message: OAuthMessage, to flow: FlowBuilder, _ host: String?) {
        flow.add(message, host: host)
        if byExchange[message.exchange] == nil { byExchange[message.exchange] = flow }
    }

    private mutating func attach(_ exchange: Int, to flow: FlowBuilder) {
        flow.exchanges.insert(exchange)
        if byExchange[exchange] == nil { byExchange[exchange] = flow }
    }

    private func grant(of request: AuthorizationRequest) -> String {
        let types = Set((request.responseType ?? "code").split(separator: " "))
        guard types.contains("code") else { return "implicit" }
        return types.count > 1 ? "hybrid" : "authorization_code"
    }

    private func grantName(of message: OAuthMessage) -> String {
        switch message {
        case .introspection: "introspection"
        case .revocation: "revocation"
        default: "userinfo"
        }
    }
}
