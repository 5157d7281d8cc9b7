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
            // Without any there is a claim missing; one that names nobody is not for this client.
            guard let claim = token.claim("aud"), claim != .null else { continue }
            let audience = token.audience.filter { !$0.isEmpty }
            guard !audience.isEmpty || Self.namesNobody(claim) else { continue }
            let clients = delivered.clients
            let names = delivered.clientNames(in: flow)
            guard !names.isEmpty else {
                reason = "the client_id is not in the capture"
                continue
            }
            guard !audience.contains(where: names.contains), !delivered.isAsked(audience) else { continue }
            var evidence = [
                Evidence(
                    place: delivered.idToken.place(ofClaim: "aud"),
                    value: audience.isEmpty
                        ? JSONWriter.text(of: claim).prefix(80).description
                        : Masking.shown(audience.prefix(5).joined(separator: ", "), of: "aud"),
                    note: audience.isEmpty ? "names nobody" : nil
                )
            ]
            evidence += clients.prefix(1).map { Evidence($0, note: "the client of this login") }
            return .violated(Violation(evidence, exchange: delivered.idToken.place.exchange))
        }
        return reason.map { .abstains($0) } ?? .holds
    }

    /// Numbers are names that are written wrongly, which clients may take.
    private static func namesNobody(_ claim: JSONValue) -> Bool {
        switch claim {
        case .string, .object: true
        case .array(let elements): elements.allSatisfy { $0.string != nil }
        default: false
        }
    }
}

/// Addresses of specifications.
enum OpenIDConnect {
    static let core = "https://openid.net/specs/openid-connect-core-1_0.html"
}
