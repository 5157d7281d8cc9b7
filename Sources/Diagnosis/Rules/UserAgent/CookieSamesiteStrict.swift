import Captures
import Flows

/// The login cookie is `SameSite=Strict`, and the way back from the provider is a navigation from another
/// site.
struct CookieSamesiteStrict: Rule {
    static let info = RuleInfo(
        id: "cookie-samesite-strict",
        title: "The login cookie is `SameSite=Strict` and is withheld on the way back",
        severity: .error,
        explanation: """
            A Strict cookie travels only with requests that begin on the app's own site. The callback begins at the provider's page, so the \
            browser held the login cookie back, and the app refused an answer it could not place.
            """,
        fix:
            "Set the cookie that has to survive the login with SameSite=Lax; the session cookie made afterwards may stay Strict.",
        badExample: """
            302 to the provider, Set-Cookie: login=…; Secure; SameSite=Strict
            GET /callback?code=…   no Cookie → 403
            """,
        goodExample: """
            302 to the provider, Set-Cookie: login=…; Secure; SameSite=Lax
            GET /callback?code=…   Cookie: login=… → 302 /
            """,
        specifications: [SpecificationReference(text: "RFC 6265bis §5.6.7", url: nil)]
    )

    func verdict(on flow: Flow) -> Verdict {
        LostLoginCookies.verdict(on: flow) { lost, login in
            guard login.sending.method == "GET", lost.obstacle == .strict else { return nil }
            return "not sent with a request that \(login.sending.initiator?.host ?? "another site") led to"
        }
    }
}
