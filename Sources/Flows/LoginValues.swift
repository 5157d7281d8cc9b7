import Captures
import JOSE
import JSON
package import OAuth

/// Values that ought to belong to one login, by where else in the capture they stand.
package struct LoginValues: Sendable {
    /// Authorization requests by a parameter and its value, in order of time.
    private var requests: [String: [AuthorizationRequest]] = [:]
    /// Codes by the `state` they came with.
    private var codes: [String: Set<String>] = [:]
    /// ID tokens of logins, refreshes aside, by their nonce; those of the browser and of the token endpoint
    /// apart, for one login may bring both.
    private var frontTokens: [String: Set<String>] = [:]
    private var backTokens: [String: Set<String>] = [:]
    /// Requests whose `Referer` carries a code, by that code, in order of time.
    private var referrals: [String: [Int]] = [:]

    /// Parameters of which each login has its own.
    static let names = ["state", "nonce", "code_challenge"]

    init(
        _ capture: Capture,
        order: [Int],
        requests: [AuthorizationRequest],
        responses: [AuthorizationResponse],
        tokens: [TokenRequest]
    ) {
        for request in requests {
            for name in Self.names {
                guard let value = request.parameters[name], !value.isEmpty, !Placeholder.isOne(value) else {
                    continue
                }
                self.requests["\(name)=\(value)", default: []].append(request)
            }
        }
        let redirected = Set(responses.filter { $0.deliveredBy != nil && $0.code != nil }.compactMap(\.state))
        for response in responses {
            // A code that only the callback brought was put in the place of the redirect's.
            if let state = response.state, let code = response.code,
                response.deliveredBy != nil || !redirected.contains(state)
            {
                codes[state, default: []].insert(code)
            }
            guard let token = response.parameters["id_token"].flatMap({ JSONWebToken.parse($0) }),
                let nonce = token.claim("nonce")?.string
            else { continue }
            frontTokens[nonce, default: []].insert(token.text)
        }
        for request in tokens where !request.isRefresh {
            guard let token = request.idToken, let nonce = token.nonce else { continue }
            backTokens[nonce, default: []].insert(token.token.text)
        }
        for index in order {
            guard let referer = capture[index].request.headers.first("referer"),
                referer.utf8.count < 1 << 16, referer.containsBytes("code="),
                let code = RecordedURL(referer).queryItems.first("code"), !code.isEmpty,
                !Placeholder.isOne(code)
            else { continue }
            referrals[code, default: []].append(index)
        }
    }

    /// The requests with this value of a parameter, in order of time.
    package func requests(with name: String, _ value: String) -> [AuthorizationRequest] {
        requests["\(name)=\(value)"] ?? []
    }

    /// How many different codes came with a state; of the provider's redirects where they are recorded.
    package func countOfCodes(for state: String) -> Int { codes[state]?.count ?? 0 }

    /// How many logins brought an ID token with a nonce.
    package func countOfIDTokens(with nonce: String) -> Int {
        max(frontTokens[nonce]?.count ?? 0, backTokens[nonce]?.count ?? 0)
    }

    /// Requests sent from a page whose URL carries the code, in order of time.
    package func referrals(with code: String) -> [Int] { referrals[code] ?? [] }
}
