import Captures
import JOSE
import JSON
import OAuth

/// Calls of APIs of which no login of the capture is a part, where the API refused the access token.
enum LoneCalls {
    /// The tokens that were refused as such: by a challenge that says so (RFC 6750, section 3.1), or with 401 and signed ones, which
    /// no API has for keys of its own.
    ///
    /// Not those in whose place a later call brought another one that was taken.
    static func refusedTokens(in capture: Capture, order: [Int]) -> Set<String> {
        var refused: Set<String> = []
        /// What was taken later, by address.
        var taken: [String: Set<String>] = [:]
        for index in order.reversed() {
            let exchange = capture[index]
            guard let status = exchange.response?.status,
                let token = BearerToken.of(exchange.request, exchange: index)?.value
            else { continue }
            let address = exchange.request.url.withoutQuery
            if status < 400 {
                taken[address, default: []].insert(token)
            } else if isRefused(exchange, status, token),
                taken[address, default: []].allSatisfy({ $0 == token })
            {
                refused.insert(token)
            }
        }
        return refused
    }

    /// Those of a capture that has logins, where a client was given the token and refused that has no part in any of them: it calls
    /// itself otherwise than whoever sent their messages.
    ///
    /// What has its token from elsewhere may be any program in the background.
    static func refusedTokens(
        ofStrangersTo messages: [Int: OAuthMessage],
        in capture: Capture,
        order: [Int]
    ) -> Set<String> {
        let agents = Set(messages.keys.compactMap { agent(of: capture[$0]) })
        let strangers = order.filter { agent(of: capture[$0]).map { !agents.contains($0) } ?? false }
        return refusedTokens(in: capture, order: strangers).filter { token in
            !Placeholder.isOne(token) && strangers.contains { isGiven(token, by: capture[$0]) }
        }
    }

    private static func agent(of exchange: Exchange) -> String? {
        exchange.request.userAgent
    }

    /// Under the name of RFC 6749, or that of container registries.
    private static func isGiven(_ token: String, by exchange: Exchange) -> Bool {
        guard let response = exchange.response, response.isSuccessful,
            response.body?.essence == "application/json",
            let answer = JSONBody.object(of: response.body, below: 1 << 16)
        else { return false }
        return ["access_token", "token"].contains { answer[$0]?.string == token }
    }

    private static func isRefused(_ exchange: Exchange, _ status: Int, _ token: String) -> Bool {
        guard (400..<500).contains(status) else { return false }
        return isNamed(exchange) || status == 401 && JSONWebToken.parse(token)?.claims != nil
    }

    /// Whether the answer is a challenge that names a fault of the token (RFC 6750, section 3.1).
    static func isNamed(_ exchange: Exchange) -> Bool {
        guard let headers = exchange.response?.headers else { return false }
        return AuthenticationChallenge.all(in: headers).contains { challenge in
            ["bearer", "dpop"].contains(challenge.scheme)
                && ["invalid_token", "insufficient_scope"].contains(challenge["error"])
        }
    }
}
