import Captures
import JOSE
import OAuth

/// Puts the messages of a capture into flows, one after the other in the order of time, and then what is left.
struct FlowGrouping {
    let index: CaptureIndex
    private(set) var builders: [FlowBuilder] = []
    var byCode = FlowsByValue()
    var byToken = FlowsByValue()
    /// Of UserInfo whose login is not in the capture.
    var byLoneToken = FlowsByValue()
    var byDeviceCode = FlowsByValue()
    var devices = WaitingDevices()
    var byNonce = FlowsByValue()
    var byUser = FlowsByUser()
    var failedTries = FailedTries()
    /// By what the steps of a sign-in at the token endpoint go on with.
    var byContinuation = FlowsByValue()
    var byExchange: [Int: FlowBuilder] = [:]
    /// By what makes two authorization requests the same one; the latest flows that have such a request, the last one last.
    var bySignature: [String: [FlowBuilder]] = [:]
    var byState: [String: [FlowBuilder]] = [:]
    var open = OpenFlows()
    var targets = RedirectTargets()
    var carried = CarriedValues()
    var logoutPages = LogoutPages()
    var sessionCookies = SessionCookies()
    var awaiting = AwaitingLogins()
    var silent = SilentLogins()
    var pushed: PushedRequests
    /// Answers to requests that are not in the capture, by their codes.
    var strays: [String: AuthorizationResponse] = [:]
    /// All of those, in order.
    var unrequested: [AuthorizationResponse] = []
    /// What all answers of the capture tell before the first is put into its flow.
    let ahead: AnswersAhead
    /// Answers that stand before their requests: by the clock of another recorder.
    var earlyAnswers = EarlyAnswers()
    /// Token requests whose code is delivered behind them only, by the clock of another recorder, and what hangs on their tokens.
    var early = EarlyMessages()

    private let areOne: Bool

    var capture: Capture { index.capture }

    init(_ index: CaptureIndex, areOne: Bool) {
        self.index = index
        self.areOne = areOne
        pushed = PushedRequests(index)
        ahead = AnswersAhead(index)
    }

    mutating func run() {
        for exchange in index.order {
            var isWaiting = false
            if let message = index.messages[exchange] {
                isWaiting = waits(message)
                if !isWaiting { join(message, at: exchange) }
            }
            for response in ahead.answers(at: exchange) {
                join(response)
                joinEarly(to: response)
            }
            if byExchange[exchange] == nil, !isWaiting, !isJoinedLater(exchange) { joinPage(exchange) }
            if ahead.callbacks.contains(exchange) { joinPage(ofBroker: exchange) }
        }
        joinWhatWaits()
        joinUnrequested()
        redeemedPushes()
        pushesThatCameToNothing()
        joinLoneRefusals()
        joinRefusedJourneys()
        joinRefusedInitiations()
        failedConnections()
        sharedDocuments()
    }

    // MARK: - Messages

    mutating func join(_ message: OAuthMessage, at exchange: Int) {
        let host = capture[exchange].request.url.host
        switch message {
        // A page of the provider's, like those around it.
        case .authorizationRequest(let request) where isStepOfDevice(request): break
        case .authorizationRequest(let request):
            join(request, request.isUnseen ? request.endpoint.host : host)
        case .token(let request): join(request, message, host)
        case .pushedRequest(let call): pushed.insert(call)
        case .identityAssertion(let call): join(assertion: call, host)
        case .userInfo(let call), .resource(let call), .introspection(let call), .revocation(let call):
            join(call: call, message, host)
        case .endSession(let call): join(logout: call, message, host)
        case .backChannelLogout(let delivery): join(logoutToken: delivery, message, host)
        case .frontChannelLogout(let call): join(frontChannelLogout: call, message, host)
        case .deviceAuthorization(let call): join(device: call, message, host)
        case .backchannelAuthentication(let call): join(backchannelAuthentication: call, message, host)
        case .discovery, .keySet, .registration, .clientConfiguration, .authorizationResponse: break
        }
    }

    /// Whether an exchange has a message that is put into its flows when all logins are known: whichever login is open at its time
    /// has no part in it.
    private func isJoinedLater(_ exchange: Int) -> Bool {
        switch index.messages[exchange] {
        case .pushedRequest, .discovery, .keySet, .registration, .clientConfiguration: true
        default: false
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
        learnCookies(of: message.exchange, flow)
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

    /// Notes whom a token signs in that was given to a flow.
    mutating func noteUser(of text: String?, in flow: FlowBuilder) {
        guard let token = text.flatMap({ JSONWebToken.parse($0) }) else { return }
        flow.note(token)
        byUser.note(token, of: flow)
    }

    private mutating func learnCookies(of exchange: Int, _ flow: FlowBuilder) {
        guard !flow.exchanges.contains(exchange) else { return }
        sessionCookies.learn(capture[exchange], of: flow)
    }

    mutating func attach(_ exchange: Int, to flow: FlowBuilder) {
        learnCookies(of: exchange, flow)
        flow.exchanges.insert(exchange)
        if byExchange[exchange] == nil { byExchange[exchange] = flow }
    }
}
