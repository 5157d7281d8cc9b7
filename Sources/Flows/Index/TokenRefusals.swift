import Captures
import OAuth

/// Where an app is seen to turn an ID token away once it had fetched keys for it.
///
/// It refuses its callback, in whose span it did both, or asks for the same sign-in anew at once. What it did well in between shows
/// that it had gone on.
struct TokenRefusals {
    /// A capture of many clients at once tells nobody which of their requests are whose.
    static let mostExchanges = 50
    private static let reach = Duration.seconds(5)

    private let index: CaptureIndex
    private let callbacks: [String: [Int]]
    private let requests: [String: AuthorizationRequest]
    private let states: [String: String]

    init(_ index: CaptureIndex) {
        self.index = index
        var callbacks: [String: [Int]] = [:]
        var states: [String: String] = [:]
        for response in index.responses {
            guard let code = response.code else { continue }
            if let callback = response.callback { callbacks[code, default: []].append(callback) }
            states[code] = response.state
        }
        self.callbacks = callbacks
        self.states = states
        requests = Dictionary(
            index.authorizationRequests.compactMap { request in request.state.map { ($0, request) } },
            uniquingKeysWith: { first, _ in first }
        )
    }

    func isRefused(_ request: TokenRequest, behind keySet: KeySetDocument) -> Bool {
        guard let code = request.code else { return false }
        let fetched = index.capture[keySet.exchange]
        if let callback = callbacks[code]?.first(where: { isRefused($0, spanning: request, fetched) }) {
            return !goesOn(behind: keySet.exchange, until: index.capture[callback].endedAt)
        }
        guard let first = states[code].flatMap({ requests[$0] }),
            let anew = signIn(like: first, behind: keySet.exchange)
        else { return false }
        return !goesOn(behind: keySet.exchange, until: index.capture[anew].startedAt)
    }

    private func isRefused(_ callback: Int, spanning request: TokenRequest, _ fetched: Exchange) -> Bool {
        let exchange = index.capture[callback]
        guard exchange.startedAt <= request.startedAt, fetched.endedAt <= exchange.endedAt,
            let response = exchange.response
        else { return false }
        return response.status >= 400 || ErrorRedirect.isAnswer(to: callback, in: index)
    }

    /// The next request of the same client for the same, where it comes at once and with a page: one without is for the session.
    private func signIn(like first: AuthorizationRequest, behind keySet: Int) -> Int? {
        let end = index.capture[keySet].endedAt
        return following(keySet).first { exchange in
            guard case .authorizationRequest(let request) = index.messages[exchange] else { return false }
            let start = index.capture[exchange].startedAt
            return start >= end && start - end <= Self.reach && !request.isSilent
                && request.clientID == first.clientID
                && request.parameters["scope"] == first.parameters["scope"]
                && request.parameters["redirect_uri"] == first.parameters["redirect_uri"]
        }
    }

    /// Whether the program did anything well in the meantime, or more came than can be told apart.
    private func goesOn(behind keySet: Int, until end: Timestamp) -> Bool {
        let fetched = index.capture[keySet]
        let following = following(keySet)
        if let last = following.last, following.count == Self.mostExchanges,
            index.capture[last].startedAt < end
        {
            return true
        }
        return following.contains { exchange in
            let other = index.capture[exchange]
            guard other.startedAt < end, other.request.method != "OPTIONS",
                Self.isOfOneProgram(other, fetched), let status = other.response?.status,
                (200..<300).contains(status)
            else { return false }
            switch index.messages[exchange] {
            case .keySet, .discovery, .userInfo: return false
            default: return true
            }
        }
    }

    private func following(_ exchange: Int) -> ArraySlice<Int> {
        index.order[(index.position[exchange] + 1)...].prefix(Self.mostExchanges)
    }

    static func isOfOneProgram(_ one: Exchange, _ other: Exchange) -> Bool {
        if let process = one.client.processID, let its = other.client.processID { return process == its }
        guard let agent = one.request.userAgent else { return false }
        return agent == other.request.userAgent
    }
}
