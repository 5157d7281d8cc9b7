import Captures
import Flows

/// The login cookie is `SameSite=None` without `Secure`: browsers do not even store it.
struct CookieSamesiteNoneInsecure: Rule {
    static let info = RuleInfo(
        id: "cookie-samesite-none-insecure",
        title: "The login cookie is `SameSite=None` without `Secure`, so the browser dropped it",
        severity: .error,
        explanation: """
            A cookie that asks for SameSite=None has to be Secure as well; otherwise the browser throws it away when it is set. The callback \
            came without it, and the app refused the answer.
            """,
        fix:
            "Add Secure and serve the app over https. Where the callback is a GET, SameSite=Lax does as well.",
        badExample: """
            302 to the provider, Set-Cookie: login=…; Path=/; SameSite=None
            GET /callback?code=…   no Cookie → 400
            """,
        goodExample: """
            302 to the provider, Set-Cookie: login=…; Path=/; SameSite=None; Secure
            GET /callback?code=…   Cookie: login=… → 302 /
            """,
        specifications: [SpecificationReference(text: "RFC 6265bis §5.7", url: nil)]
    )

    func verdict(on flow: Flow) -> Verdict {
        LostLoginCookies.verdict(on: flow) { lost, _ in
            lost.obstacle == .sameSiteNoneInsecure ? "dropped: SameSite=None without Secure" : nil
        }
    }
}
