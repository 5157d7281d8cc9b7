import Captures
import OAuth

/// What servers are seen to ask providers, gathered exchange by exchange in the order of time, and what of it could not be read.
struct ServerCalls {
    /// Where connections went that could not be read.
    struct Unread {
        var origins: Set<String> = []
        fileprivate var addresses: Set<String> = []
        /// Whether there are entries that do not say what was asked.
        var isAnywhere = false
    }

    /// The first call of each sender to each origin of a provider, senders being those that are no browser.
    private(set) var first: [String: [String: Int]] = [:]
    private var unread = Unread()
    /// Of servers, by the origins at them.
    private var addresses: [String: Set<String>] = [:]
    private var issued: Set<String> = []
    /// In the order of time; without a token where one was asked for in a request that was saved without its body.
    private var uses: [(origin: String, token: String?, time: Timestamp)] = []

    /// `message`: that of the exchange, if it is one.
    mutating func add(_ exchange: Exchange, _ message: OAuthMessage?, at index: Int) {
        noteUnread(exchange)
        switch message {
        case .discovery, .keySet, .token, .userInfo, .introspection, .revocation, .pushedRequest: break
        default: return
        }
        guard exchange.isAnswered, let message, let origin = exchange.request.url.origin,
            !UserAgentName.isOnDevice(exchange.request.userAgent ?? "")
        else { return }
        if let address = exchange.connection.serverAddress {
            addresses[origin, default: []].insert(address)
        }
        note(message, at: origin, exchange.startedAt)
        let sender = Self.sender(of: exchange)
        if first[origin]?[sender] == nil { first[origin, default: [:]][sender] = index }
    }

    private mutating func noteUnread(_ exchange: Exchange) {
        if exchange.tunnel.reason != nil {
            if let origin = exchange.request.url.origin { unread.origins.insert(origin) }
            if let address = exchange.connection.serverAddress { unread.addresses.insert(address) }
        } else if exchange.request.url.text.isEmpty, exchange.failure == nil {
            unread.isAnywhere = true
        }
    }

    /// Notes the tokens that a message brings, and the one that it was taken for.
    private mutating func note(_ message: OAuthMessage, at origin: String, _ time: Timestamp) {
        if case .token(let request) = message, request.answer.isSuccess {
            issued.formUnion(["access_token", "refresh_token"].compactMap { request.answer.parameters[$0] })
        }
        if let token = Self.acceptedToken(message) {
            uses.append((origin, token, time))
        } else if case .token(let request) = message, request.parameters.isEmpty {
            uses.append((origin, nil, time))
        }
    }

    // MARK: - What came of it

    /// With the origins at whose addresses there are connections that could not be read.
    var unreadConnections: Unread {
        var unread = unread
        for (origin, known) in addresses where !known.isDisjoint(with: unread.addresses) {
            unread.origins.insert(origin)
        }
        return unread
    }

    /// When tokens were used that no answer brought, or may have been got for whatever code, by the provider's origin.
    var unseenTokens: [String: [Timestamp]] {
        let unseen = uses.filter { use in use.token.map { !issued.contains($0) } ?? true }
        return Dictionary(grouping: unseen, by: \.origin).mapValues { $0.map(\.time) }
    }

    /// The token that the provider took from a caller.
    private static func acceptedToken(_ message: OAuthMessage) -> String? {
        switch message {
        case .userInfo(let call) where call.answer.isSuccess: call.token?.value
        case .token(let request) where request.isRefresh && request.answer.isSuccess:
            request.parameters["refresh_token"]
        default: nil
        }
    }

    /// What tells the senders of a capture apart.
    static func sender(of exchange: Exchange) -> String {
        exchange.request.userAgent ?? exchange.client.process ?? ""
    }
}
