import Captures
import Flows
import JOSE
import JSON
import OAuth

/// The ID token is addressed to another client.
///
/// `aud` has to contain the `client_id` of the client that gets the token (OpenID Connect Core, section
/// 3.1.3.7 (3)); a client that accepts another's token lets that client's users in.
struct IDTokenAudienceMismatch: Rule {
    static let info = RuleInfo(
        id: "id-token-audience-mismatch",
        title: "The ID token was made for another client",
        severity: .error,
        explanation:
            "The ID token's aud does not contain the client_id of this login. A client has to refuse a token that was made for another one.",
        fix: """
            Use one client's settings throughout: the client that asks has to be the one that verifies. An app that hands the token to an API \
            should send an access token for that API instead.
            """,
        badExample: """
            GET /authorize?client_id=shop…
            id_token claims {"aud":"shop-mobile", …}
            """,
        goodExample: """
            GET /authorize?client_id=shop…
            id_token claims {"aud":["shop","shop-api"],"azp":"shop", …}
            """,
        specifications: [
            SpecificationReference(
                text: "OpenID Connect Core §3.1.3.7 (3)",
                url: OpenIDConnect.core + "#IDTokenValidation"
            )
        ]
    )

    func verdict(on flow: Flow) -> Verdict {
        var reason: String?
        for delivered in flow.deliveredIDTokens where !delivered.isOfTokenExchange {
            let token = delivered.idToken.token
            guard token.claims != nil else {
                reason = "the ID token is encrypted or unreadable"
                continue
            }
            let audience = token.audience
            guard !audience.isEmpty else { continue }
            let clients = [
                delivered.tokenRequest?.authentication.clientID,
                delivered.login?.request.parameters.parameter("client_id"),
            ]
            .compactMap { $0 }
            let names = clients.map(\.value) + (clients.isEmpty ? [flow.clientID].compactMap { $0 } : [])
            guard !names.isEmpty else {
                reason = "the client_id is not in the capture"
                continue
            }
            guard !audience.contains(where: names.contains), !isAsked(audience, delivered) else { continue }
            var evidence = [
                Evidence(
                    place: delivered.idToken.place(ofClaim: "aud"),
                    value: Masking.shown(audience.prefix(5).joined(separator: ", "), of: "aud")
                )
            ]
            evidence += clients.prefix(1).map { Evidence($0, note: "the client of this login") }
            return .violated(Violation(evidence, exchange: delivered.idToken.place.exchange))
        }
        return reason.map { .abstains($0) } ?? .holds
    }

    /// Google's `audience` and its like: the client asked for a token that its back end accepts.
    private func isAsked(_ audience: [String], _ delivered: DeliveredIDToken) -> Bool {
        let parameters =
            (delivered.login?.request.parameters.items ?? [])
            + (delivered.tokenRequest?.parameters.items ?? [])
        return parameters.contains {
            ["audience", "resource"].contains($0.name) && audience.contains($0.value)
        }
    }
}

/// Addresses of specifications.
enum OpenIDConnect {
    static let core = "https://openid.net/specs/openid-connect-core-1_0.html"
}
