import Captures
import Flows
import JOSE
import OAuth

/// An API that verifies JWTs was called with an opaque token, because nobody had asked for a token for it.
///
/// Auth0 and others issue a token for UserInfo alone where neither `audience` nor `resource` is sent (RFC 8707,
/// section 2).
struct APIAudienceNotRequested: Rule {
    static let info = RuleInfo(
        id: "api-audience-not-requested",
        title: "No audience was asked for, so the API cannot read the token",
        severity: .error,
        explanation: """
            The API expects a JWT, and the access token is not one that it could read: the login did not say for which API it wants a token, so the \
            provider gave one for its own use.
            """,
        fix: """
            At Auth0, register the API and send its identifier as audience in the authorization request. Elsewhere, ask for the API's scope or \
            resource, or let the API ask the provider about the token (introspection).
            """,
        badExample: """
            GET /authorize?…&scope=openid
            GET https://api.shop.example/orders, Authorization: Bearer 2YotnFZF… → 401 jwt malformed
            """,
        goodExample: """
            GET /authorize?…&scope=openid&audience=https%3A%2F%2Fapi.shop.example
            GET https://api.shop.example/orders, Authorization: Bearer eyJhbGci… → 200
            """,
        specifications: [.rfc(8707, "2"), .rfc(9068, "3")]
    )

    func verdict(on flow: Flow) -> Verdict {
        let introspected = introspected(in: flow)
        return Verdict.firstViolation(among: BearerCall.refused(in: flow)) { call, refusal in
            guard let grant = call.grant, !call.isAtProvider(flow), isUnreadable(call.token.value),
                !introspected.contains(call.token.value)
            else { return .holds }
            guard
                refusal.reasons.contains(.shape)
                    || flow.provider == .auth0 && refusal.reasons.isDisjoint(with: Self.otherReasons)
                        && !SpentTokens.contain(call, in: flow)
            else { return .holds }
            let requests = flow.authorizationRequests
            guard let request = requests.last else {
                return .abstains(Gap.authorizationRequest)
            }
            let parameters = requests.flatMap(\.parameters.items) + (grant.request?.parameters.items ?? [])
            guard
                !parameters.contains(where: {
                    ["audience", "resource"].contains($0.name) && !$0.value.isEmpty
                })
            else {
                return .holds
            }
            let names = request.parameters.items.prefix(20).map(\.name).joined(separator: ", ")
            return .violated(
                Violation(
                    [
                        Evidence(
                            place: Place(exchange: request.exchange, part: .requestQuery, name: "audience"),
                            value: "missing",
                            note: "the request has \(Masking.shown(names, of: "names"))"
                        ), Evidence(call.token, note: shape(of: call.token.value)), call.address,
                        refusal.evidence,
                    ],
                    exchange: request.exchange
                )
            )
        }
    }

    /// What an API says of a token that it could read.
    private static let otherReasons: Set<BearerRefusal.Reason> = [.expiry, .beginning, .scope]

    /// Opaque, or encrypted for somebody else: not the three parts of a signed JWT.
    private func isUnreadable(_ token: String) -> Bool { parts(token) != 3 }

    private func shape(of token: String) -> String { parts(token) == 5 ? "encrypted" : "opaque" }

    private func parts(_ token: String) -> Int { token.utf8.reduce(1) { $1 == 0x2e ? $0 + 1 : $0 } }

    /// Tokens that somebody asked the provider about.
    private func introspected(in flow: Flow) -> Set<String> {
        Set(
            flow.messages.lazy.compactMap { message in
                if case .introspection(let call) = message { call.parameters["token"] } else { nil }
            }
        )
    }
}
