package import Captures
package import OAuth

/// The app's own server, as far as its calls to the provider are in the capture.
///
/// Where they are, a code that it never sends to the token endpoint is a code that it did not want.
package struct BackChannel: Sendable {
    /// The first call of each sender to each origin of a provider, senders being those that are no browser.
    private let calls: [String: [String: Int]]
    private let tokenOrigins: [String: String]

    init(_ capture: Capture, order: [Int], messages: [Int: OAuthMessage], metadata: [MetadataDocument]) {
        var calls: [String: [String: Int]] = [:]
        for index in order {
            switch messages[index] {
            case .discovery, .keySet, .token, .userInfo, .introspection, .revocation, .pushedRequest: break
            default: continue
            }
            let exchange = capture[index]
            guard exchange.response != nil, let origin = exchange.request.url.origin,
                !UserAgentName.isOnDevice(exchange.request.headers.first("user-agent") ?? "")
            else { continue }
            let sender = Self.sender(of: exchange)
            if calls[origin]?[sender] == nil { calls[origin, default: [:]][sender] = index }
        }
        self.calls = calls
        tokenOrigins = metadata.reduce(into: [:]) { origins, document in
            guard let authorization = document.endpoint("authorization_endpoint").map({ RecordedURL($0) }),
                let token = document.endpoint("token_endpoint").map({ RecordedURL($0).origin })
            else { return }
            origins[authorization.withoutQuery] = token
        }
    }

    private static func sender(of exchange: Exchange) -> String {
        exchange.request.headers.first("user-agent") ?? exchange.client.process ?? ""
    }

    /// An exchange that shows the app's server asking the provider of a login something else; nil where none does, so that
    /// its token request may have passed by the recorder.
    package func witness(
        of response: AuthorizationResponse,
        to request: AuthorizationRequest,
        in capture: Capture
    ) -> Int? {
        guard let callback = response.callback, let origin = tokenOrigins[request.endpoint.text] else {
            return nil
        }
        let browser = Self.sender(of: capture[callback])
        return calls[origin]?.filter { $0.key != browser }.values.min()
    }
}
