import Captures
import Flows

/// The login cookie is `Secure`, and the app set it or wants it back over plain http.
///
/// On the machine itself only Safari insists on https; the others take loopback for secure.
struct CookieSecureOverHTTP: Rule {
    static let info = RuleInfo(
        id: "cookie-secure-over-http",
        title: "A `Secure` cookie was set or needed over plain http",
        severity: .error,
        explanation: """
            A Secure cookie is neither accepted from nor sent to a plain http address. One of the two, the start of the login or its callback, \
            ran over http, so the cookie did not come back and the app refused the answer.
            """,
        fix: """
            Serve start and callback over https. Where they are behind a proxy that does, tell the app so (X-Forwarded-Proto and the setting \
            that makes it trusted), since otherwise it builds http addresses.
            """,
        badExample: """
            https://app.example/login   Set-Cookie: login=…; Secure
            GET http://app.example/callback?code=…   no Cookie → 400
            """,
        goodExample: """
            https://app.example/login   Set-Cookie: login=…; Secure
            GET https://app.example/callback?code=…   Cookie: login=… → 302 /
            """,
        specifications: [SpecificationReference(text: "RFC 6265bis §5.7", url: nil)]
    )

    func verdict(on flow: Flow) -> Verdict {
        LostLoginCookies.verdict(on: flow) { lost, _ in
            guard lost.obstacle == .secureOverHTTP else { return nil }
            return lost.setting.url.scheme?.lowercased() == "https"
                ? "not sent over http" : "dropped: set over http"
        } besides: { lost, login in
            [
                Evidence(
                    place: Place(exchange: lost.setting.exchange, part: .requestURL, name: ""),
                    value: lost.setting.url.withoutQuery,
                    note: "set the cookie"
                ),
                Evidence(
                    place: Place(exchange: login.carrier, part: .requestURL, name: ""),
                    value: login.sending.url.withoutQuery,
                    note: "needs the cookie"
                ),
            ]
        }
    }
}
