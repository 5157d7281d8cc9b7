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
        let verdict = LostLoginCookies.verdict(on: flow) { lost, login in
            guard lost.obstacle == .path else { return nil }
            return note(lost.setting, login.sending.url.path)
        }
        guard case .holds = verdict, let session = SessionOutOfPath.of(flow) else { return verdict }
        return .violated(
            Violation(
                [
                    LostLoginCookies.evidence(
                        session.setting,
                        note: note(session.setting, flow.capture[session.landing].request.url.path)
                    ),
                    Evidence(
                        place: Place(exchange: session.landing, part: .requestHeader, name: "Cookie"),
                        value: "none",
                        note: "cookies sent with the page that the callback leads to"
                    ),
                ],
                severity: .warning,
                explanation: Self.outOfReach,
                fix: "Set the cookie with Path=/, or with a path that holds the app's pages, too.",
                title: "The session cookie's path does not cover the page behind the callback",
                exchange: session.setting.exchange
            )
        )
    }

    private func note(_ setting: CookieDelivery.Setting, _ target: String) -> String {
        let path = setting.cookie.path ?? CookieScope.defaultPath(of: setting.url)
        let origin = setting.cookie.path == nil ? "by default, for it has no Path" : "by its Path"
        return "goes to addresses below \(path) only (\(origin)), not to \(target)"
    }

    private static let outOfReach = """
        The app took the callback and wrote the login into its session, whose cookie goes only to addresses below its path. The page that the \
        callback leads to is not one of them and was loaded without a cookie: nobody is signed in there, if the session is what it goes by.
        """
}
