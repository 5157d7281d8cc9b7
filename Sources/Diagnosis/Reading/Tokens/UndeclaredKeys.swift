import Captures
import Flows
import OAuth

/// The provider's keys, asked for where nothing is, at an address that its metadata do not name.
///
/// Looked for behind an ID token, by who got that: a client that asks ahead may try several. Who was refused with its access
/// token behind it did not stop there.
enum UndeclaredKeys {
    /// Nil where keys were read, or were asked for where they are to be.
    static func violation(in flow: Flow) -> Violation? {
        guard flow.keySets.isEmpty,
            let token = flow.tokenRequests.last(where: {
                $0.answer.isSuccess && $0.answer.parameters.contains("id_token")
            }), let asked = request(behind: token, in: flow), !isTokenRefused(after: asked, in: flow),
            // Which address that is has to be known.
            flow.capture[asked].askedURL != nil
        else { return nil }
        let declared = flow.serverMetadata.lazy.compactMap { $0.answer.parameters.parameter("jwks_uri") }.last
        return Violation(
            [
                flow.urlEvidence(of: asked), flow.statusEvidence(of: asked),
                declared.map { Evidence($0, note: "where the provider has its keys") },
            ].compactMap(\.self),
            explanation: declared == nil ? unknown : elsewhere,
            fix: fix,
            title: "The signing keys were asked for where the provider has none",
            exchange: asked
        )
    }

    /// Whether the client asked for something with its access token afterwards, in vain: it had gone on without the keys.
    private static func isTokenRefused(after asked: Int, in flow: Flow) -> Bool {
        flow.messages.contains { message in
            switch message {
            case .userInfo(let call), .resource(let call):
                call.token != nil && call.answer.isRefusal
                    && flow.surroundings.position[call.exchange] > flow.surroundings.position[asked]
            default: false
            }
        }
    }

    private static func request(behind token: TokenRequest, in flow: Flow) -> Int? {
        let granted = flow.capture[token.exchange]
        return flow.surroundings.withoutAssets(after: token.exchange).prefix(most).first { index in
            let exchange = flow.capture[index]
            guard exchange.request.method == "GET", [404, 410].contains(exchange.response?.status),
                flow.surroundings.messages[index] == nil,
                exchange.startedAt - granted.endedAt <= longestWait
            else { return false }
            return exchange.request.url.origin == token.endpoint.origin
                && Endpoints.conventionalRole(of: exchange.request.url) == .keys
                && exchange.request.userAgent == granted.request.userAgent
        }
    }

    private static let most = 50
    private static let longestWait = Duration.seconds(30)

    private static let elsewhere = """
        The client had an ID token to check, and asked for the provider's keys at an address at which nothing is. The provider's metadata name another one.
        """
    private static let unknown = """
        The client had an ID token to check, and asked for the provider's keys at an address at which nothing is. Where they are stands in the provider's metadata, \
        which nobody asked for in this capture.
        """
    private static let fix = """
        Take jwks_uri out of the provider's metadata (ISSUER/.well-known/openid-configuration) instead of an address that stands in the client's settings, and have the \
        client log which one it asks.
        """
}
