import Captures
import Flows
import JOSE
import OAuth

extension Flow {
    /// Whether a later exchange shows that the client used an answer with an ID token instead of refusing it.
    func wentOn(after delivered: DeliveredIDToken) -> Bool {
        if derived.value({ TokenUses(of: self) }).isHint(delivered.idToken) { return true }
        guard let request = delivered.tokenRequest else { return false }
        return wentOn(after: request, callback: delivered.login?.response?.callback)
    }

    /// The callback of an ID token's login, where the app refused it; nil where it did not, or none is known.
    func refusedCallback(of delivered: DeliveredIDToken) -> Int? {
        guard let callback = delivered.login?.response?.callback,
            RejectedCallback.all(in: self).contains(where: { $0.exchange == callback })
        else { return nil }
        return callback
    }

    /// Whether a later exchange shows that the client used an answer of the token endpoint: its tokens, or the
    /// callback that sends the browser on.
    ///
    /// A server that refuses the callback has not, whatever it fetched first: many ask UserInfo before they look at the ID
    /// token.
    func wentOn(after request: TokenRequest, callback: Int?) -> Bool {
        let refused = callback.flatMap { refusal(ofCallback: $0, after: request) }
        let uses = derived.value { TokenUses(of: self) }
        let last = uses.last(of: request)
        let isUsed = last.map { last in refused.map { last > $0 } ?? true } ?? false
        if isUsed { return true }
        // A back end that sends the browser on to a page of its own has taken the answer.
        guard let callback, isBackEnd(request, callback: callback) else { return false }
        return fate(ofCallback: callback) == .sentOn
    }

    /// When a server that brought the code away while it was at work on the callback refused that callback; nil where it did not.
    private func refusal(ofCallback callback: Int, after request: TokenRequest) -> Timestamp? {
        guard isBackEnd(request, callback: callback), case .rejected = fate(ofCallback: callback),
            capture[callback].startedAt <= request.startedAt, request.startedAt <= capture[callback].endedAt
        else { return nil }
        return capture[callback].endedAt
    }

    private func isBackEnd(_ request: TokenRequest, callback: Int) -> Bool {
        let agent = capture[request.exchange].request.userAgent
        return agent != capture[callback].request.userAgent
            && !capture[request.exchange].request.headers.contains("origin")
    }

    /// Whether the app threw away what the token endpoint gave it: it used none of it, and asked for a login again.
    func isBegunAnew(after exchange: Int?) -> Bool {
        guard let exchange, !surroundings.mayLackCredentials(at: exchange),
            let request = tokenRequests.first(where: { $0.exchange == exchange && $0.isCodeExchange }),
            request.answer.isSuccess,
            let login = logins.first(where: { login in
                login.tokenRequests.contains { $0.exchange == exchange }
            }), !wentOn(after: request, callback: login.response?.callback)
        else { return false }
        let start = capture[exchange].startedAt
        return surroundings.authorizationRequests(after: start, within: .seconds(120)).contains { again in
            again.clientID == login.request.clientID && !again.isSilent && again.state != login.request.state
        }
    }
}

/// What was done with the tokens of a flow, and when last, read once for all of them.
private struct TokenUses: Sendable {
    private var calls: [String: Timestamp] = [:]
    private var refreshes: [String: Timestamp] = [:]
    private var hints: Set<String> = []

    init(of flow: Flow) {
        for message in flow.messages {
            switch message {
            case .userInfo(let call), .resource(let call), .introspection(let call):
                if let token = call.token?.value { Self.note(token, flow.capture[call.exchange], in: &calls) }
            case .token(let later) where later.isRefresh:
                if let token = later.refreshToken {
                    Self.note(token, flow.capture[later.exchange], in: &refreshes)
                }
            case .endSession(let call):
                if let hint = call.parameters["id_token_hint"] { hints.insert(hint) }
            default: break
            }
        }
    }

    private static func note(_ token: String, _ exchange: Exchange, in uses: inout [String: Timestamp]) {
        uses[token] = max(uses[token] ?? exchange.startedAt, exchange.startedAt)
    }

    /// When what the answer to a token request brought was used last; nil where it was not.
    func last(of request: TokenRequest) -> Timestamp? {
        [
            request.accessToken.flatMap { calls[$0] },
            request.issuedRefreshToken.flatMap { refreshes[$0] },
        ].compactMap(\.self).max()
    }

    /// Whether a logout brought the token as its hint.
    func isHint(_ token: IDToken) -> Bool { hints.contains(token.token.text) }
}
