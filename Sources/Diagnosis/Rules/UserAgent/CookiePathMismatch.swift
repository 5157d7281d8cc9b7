import Captures
import Flows

/// The login cookie is limited to a path that the callback does not lie under.
struct CookiePathMismatch: Rule {
    static let info = RuleInfo(
        id: "cookie-path-mismatch",
        title: "The login cookie's path does not cover the callback",
        severity: .error,
        explanation: """
            The cookie by which the app recognises the login goes only to addresses below its path. The callback is not one of them, so it came \
            without the cookie and was refused. A cookie without Path gets the folder of the page that set it.
            """,
        fix:
            "Set the cookie with Path=/, or with a path that holds both the start of the login and the callback.",
        badExample: """
            GET /login/start   Set-Cookie: login=…   (Path is /login then)
            GET /callback?code=…   no Cookie → 400
            """,
        goodExample: """
            GET /login/start   Set-Cookie: login=…; Path=/
            GET /callback?code=…   Cookie: login=… → 302 /
            """,
        specifications: [.rfc(6265, "5.1.4")]
    )

    func verdict(on flow: Flow) -> Verdict {
        LostLoginCookies.verdict(on: flow) { lost, login in
            guard lost.obstacle == .path else { return nil }
            let path = lost.setting.cookie.path ?? CookieScope.defaultPath(of: lost.setting.url)
            let origin = lost.setting.cookie.path == nil ? "by default, for it has no Path" : "by its Path"
            return "goes to addresses below \(path) only (\(origin)), not to \(login.sending.url.path)"
        }
    }
}
