import Captures
import Flows

/// The login was started under one host name and came back to another, which never sees the cookie of the
/// first.
///
/// `localhost` against `127.0.0.1`, `www.` against none, a tunnel's name against the local address. Ports
/// make no difference to cookies.
struct CookieHostMismatch: Rule {
    static let info = RuleInfo(
        id: "cookie-host-mismatch",
        title: "The login started on another host than the one it returned to",
        severity: .error,
        explanation: """
            Cookies belong to the host that set them. This login began under one name and its redirect URI names another, so the browser kept \
            the login cookie for the first, and the app refused the callback that came without it.
            """,
        fix: """
            Use one host name throughout: open the app under the host of its redirect URI, or build the redirect URI from the host the user \
            came to. Between names of one domain a Domain attribute that covers both helps as well.
            """,
        badExample: """
            http://localhost:3000/login   Set-Cookie: login=…
            GET http://127.0.0.1:3000/callback?code=…   no Cookie → 400
            """,
        goodExample: """
            http://127.0.0.1:3000/login   Set-Cookie: login=…
            GET http://127.0.0.1:3000/callback?code=…   Cookie: login=… → 302 /
            """,
        specifications: [.rfc(6265, "5.1.3")]
    )

    func verdict(on flow: Flow) -> Verdict {
        LostLoginCookies.verdict(on: flow) { lost, login in
            guard lost.obstacle == .otherHost else { return nil }
            let scope = lost.setting.cookie.domain ?? lost.setting.url.host ?? ""
            return "for \(scope), not for \(login.sending.url.host ?? "")"
        } besides: { lost, login in
            [
                Evidence(
                    place: Place(exchange: lost.setting.exchange, part: .requestURL, name: ""),
                    value: lost.setting.url.withoutQuery,
                    note: "started the login"
                ),
                Evidence(
                    place: Place(exchange: login.carrier, part: .requestURL, name: ""),
                    value: login.sending.url.withoutQuery,
                    note: "where it returned to"
                ),
            ]
        }
    }
}
