import Captures
import Flows
import JOSE
import JSON
import OAuth

/// Two logins of a client carry the same `nonce`, and each got its ID token.
///
/// The nonce is what tells the ID token of this login from a copied one (OpenID Connect Core, section 15.5.2).
struct NonceReused: Rule {
    static let info = RuleInfo(
        id: "nonce-reused",
        title: "The same `nonce` was used for two logins",
        severity: .warning,
        explanation:
            "Two different logins sent one nonce, so the ID token of the first passes for that of the second: a copied token would not be noticed.",
        fix:
            "Make nonce anew, at random, for each authorization request, keep it with the login, and compare it once.",
        badExample: """
            GET /authorize?…&state=af0ifjsldkj&nonce=n-0S6_WzA2Mj
            GET /authorize?…&state=Qm3x9TzV81b&nonce=n-0S6_WzA2Mj
            """,
        goodExample: """
            GET /authorize?…&state=af0ifjsldkj&nonce=n-0S6_WzA2Mj
            GET /authorize?…&state=Qm3x9TzV81b&nonce=x-8Zk2LmQp1c
            """,
        specifications: [
            .openIDConnectCore("15.5.2", "NonceNotes")
        ]
    )

    func verdict(on flow: Flow) -> Verdict {
        guard let reused = ReusedValue.first(of: "nonce", unlike: ["state", "code_challenge"], in: flow),
            flow.surroundings.loginValues.countOfIDTokens(with: reused.second.value) > 1
        else { return .holds }
        return .violated(Violation(reused.evidence, exchange: reused.second.place.exchange))
    }
}
