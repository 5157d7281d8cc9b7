package import Captures
package import OAuth

/// The app's own server, as far as its calls to the provider are in the capture.
///
/// Where they are, a code that it never sends to the token endpoint is a code that it did not want.
package struct BackChannel: Sendable {
    /// The first call of each sender to each origin of a provider, senders being those that are no browser.
    private let calls: [String: [String: Int]]
    private let tokenOrigins: EndpointTable<String>
    /// Where a token was used that no answer of the capture brought, by the provider's origin: it was fetched unseen.
    private let unseenTokens: [String: [Timestamp]]
    /// Where connections went that could not be read: any request may have been among them.
    private let unread: Unread

    private struct Unread {
        var origins: Set<String> = []
        var addresses: Set<String> = []
        /// Whether there are entries that do not say what was asked.
        var isAnywhere = false
    }

    init(_ capture: Capture, order: [Int], messages: [Int: OAuthMessage], metadata: [MetadataDocument]) {
        var calls: [String: [String: Int]] = [:]
        var unread = Unread()
        var addresses: [String: Set<String>] = [:]
        var issued: Set<String> = []
        var uses: [(origin: String, token: String, time: Timestamp)] = []
        for index in order {
            let exchange = capture[index]
            if exchange.tunnel.reason != nil {
                if let origin = exchange.request.url.origin { unread.origins.insert(origin) }
                if let address = exchange.connection.serverAddress { unread.addresses.insert(address) }
            } else if exchange.request.url.text.isEmpty, exchange.failure == nil {
                unread.isAnywhere = true
            }
            switch messages[index] {
            case .discovery, .keySet, .token, .userInfo, .introspection, .revocation, .pushedRequest: break
            default: continue
            }
            guard exchange.isAnswered, let origin = exchange.request.url.origin,
                !UserAgentName.isOnDevice(exchange.request.headers.first("user-agent") ?? "")
            else { continue }
            if let address = exchange.connection.serverAddress {
                addresses[origin, default: []].insert(address)
            }
            if case .token(let request) = messages[index], request.answer.isSuccess {
                issued.formUnion(
                    ["access_token", "refresh_token"].compactMap { request.answer.parameters[$0] }
                )
            }
            if let token = messages[index].flatMap(Self.acceptedToken) {
                uses.append((origin, token, exchange.startedAt))
            }
            let sender = Self.sender(of: exchange)
            if calls[origin]?[sender] == nil { calls[origin, default: [:]][sender] = index }
        }
        for (origin, known) in addresses where !known.isDisjoint(with: unread.addresses) {
            unread.origins.insert(origin)
        }
        self.unread = unread
        self.calls = calls
        unseenTokens = Dictionary(grouping: uses.filter { !issued.contains($0.token) }, by: \.origin)
            .mapValues { $0.map(\.time) }
        tokenOrigins = metadata.reduce(into: EndpointTable()) { origins, document in
            guard let authorization = document.endpoint("authorization_endpoint"),
                let token = document.endpoint("token_endpoint").flatMap({ RecordedURL($0).origin })
            else { return }
            origins.update(RecordedURL(authorization), default: token) { $0 = token }
        }
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

    private static func sender(of exchange: Exchange) -> String {
        exchange.request.headers.first("user-agent") ?? exchange.client.process ?? ""
    }

    /// An exchange that shows the app's server asking the provider of a login something else; nil where none does, so that
    /// its token request may have passed by the recorder, or be on a connection that could not be read, and where it used a
    /// token soon afterwards that must have come by such a request.
    package func witness(
        of response: AuthorizationResponse,
        to request: AuthorizationRequest,
        in capture: Capture
    ) -> Int? {
        guard let callback = response.callback,
            let origin = tokenOrigins[request.endpoint]
        else {
            return nil
        }
        guard !unread.isAnywhere, !unread.origins.contains(origin) else { return nil }
        let start = capture[callback].startedAt
        guard !(unseenTokens[origin]?.contains { $0 >= start && $0 - start <= .seconds(60) } ?? false) else {
            return nil
        }
        let browser = Self.sender(of: capture[callback])
        return calls[origin]?.filter { $0.key != browser }.values.min()
    }
}
