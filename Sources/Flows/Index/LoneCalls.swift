import Captures
import JOSE
import OAuth

/// Calls of APIs in a capture of which no login is a part, where the API refused the access token.
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

    private static func isRefused(_ exchange: Exchange, _ status: Int, _ token: String) -> Bool {
        guard (400..<500).contains(status) else { return false }
        return isNamed(exchange) || status == 401 && JSONWebToken.parse(token)?.claims != nil
    }

    private static func isNamed(_ exchange: Exchange) -> Bool {
        guard let headers = exchange.response?.headers else { return false }
        return AuthenticationChallenge.all(in: headers).contains { challenge in
            ["bearer", "dpop"].contains(challenge.scheme)
                && ["invalid_token", "insufficient_scope"].contains(challenge["error"])
        }
    }
}
