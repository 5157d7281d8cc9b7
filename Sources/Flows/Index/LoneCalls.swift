import Captures
import JOSE
import OAuth

/// Calls of APIs in a capture of which no login is a part, where the API refused the access token.
enum LoneCalls {
    /// The tokens that were refused as such: by a challenge that says so (RFC 6750, section 3.1), or with 401 and signed ones, which
    /// no API has for keys of its own.
    static func refusedTokens(in capture: Capture, order: [Int]) -> Set<String> {
        Set(
            order.compactMap { index in
                let exchange = capture[index]
                guard let status = exchange.response?.status, (400..<500).contains(status),
                    let token = BearerToken.of(exchange.request, exchange: index)?.value,
                    isNamed(exchange) || status == 401 && JSONWebToken.parse(token)?.claims != nil
                else { return nil }
                return token
            }
        )
    }

    private static func isNamed(_ exchange: Exchange) -> Bool {
        guard let headers = exchange.response?.headers else { return false }
        return AuthenticationChallenge.all(in: headers).contains { challenge in
            ["bearer", "dpop"].contains(challenge.scheme)
                && ["invalid_token", "insufficient_scope"].contains(challenge["error"])
        }
    }
}
