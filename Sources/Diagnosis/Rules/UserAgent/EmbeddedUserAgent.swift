import Captures
import Flows
import OAuth

/// The login page is shown in a web view of the app, not in the system's browser.
///
/// Told by the user agent of the navigation: Android marks web views, those of iOS do not name Safari, apps
/// with browsers of their own name themselves. An error only where the provider refuses web views.
struct EmbeddedUserAgent: Rule {
    static let info = RuleInfo(
        id: "embedded-user-agent",
        title: "The login page is shown in an embedded web view",
        severity: .warning,
        explanation: """
            The app shows the provider's pages in a web view of its own. It can read the password typed there, shares no sign-in with the \
            browser, and some providers refuse it. Apps of the provider itself may have reasons to do so.
            """,
        fix: """
            Open the request in the system browser or its tab: ASWebAuthenticationSession on iOS and macOS, Custom Tabs on Android. AppAuth \
            does so by itself.
            """,
        badExample: """
            GET /authorize?…   User-Agent: Mozilla/5.0 (iPhone; …) AppleWebKit/605.1.15 (KHTML, like Gecko) Mobile/15E148
            """,
        goodExample: """
            GET /authorize?…   User-Agent: Mozilla/5.0 (iPhone; …) AppleWebKit/605.1.15 … Version/18.3 Mobile/15E148 Safari/604.1
            """,
        specifications: [.rfc(8252, "8.12")]
    )

    func verdict(on flow: Flow) -> Verdict {
        var evidence: [Evidence] = []
        var isRefused = false
        var isSeenThrough = false
        for attempt in flow.loginAttempts {
            let headers = flow.capture[attempt.exchange].request.headers
            let refusal = RefusedWindow.refusal(of: attempt, in: flow)
            guard attempt.request != nil, let agent = headers.first("user-agent"),
                let mark = Self.mark(of: agent)
            else { continue }
            if evidence.count < 6 {
                evidence.append(
                    Evidence(
                        place: Place(exchange: attempt.exchange, part: .requestHeader, name: "User-Agent"),
                        value: Masking.shown(agent, of: "user-agent"),
                        note: mark
                    )
                )
            }
            if let refusal {
                isRefused = true
                isSeenThrough = isSeenThrough || refusal.says([RefusedWindow.notSecure])
                evidence.append(refusal.evidence(around: RefusedWindow.texts))
            }
        }
        guard !evidence.isEmpty else { return .holds }
        return .violated(
            Violation(
                evidence,
                severity: isRefused ? .error : .warning,
                saying: isSeenThrough ? RefusedWindow.seenThrough : nil
            )
        )
    }

    /// What shows that an agent is a web view; nil where nothing does.
    static func mark(of agent: String) -> String? {
        if agent.containsBytes("; wv)") { return "a web view of Android (\"; wv\")" }
        for name in ["FBAN", "FBAV", "Instagram"] where agent.containsBytes(name) {
            return "the browser inside of another app (\"\(name)\")"
        }
        if agent.containsBytes(" Line/") { return "the browser inside of another app (\"Line/\")" }
        guard ["iPhone", "iPad", "iPod"].contains(where: agent.containsBytes),
            agent.containsBytes("AppleWebKit"), agent.containsBytes("Mobile/"),
            !browsers.contains(where: agent.containsBytes)
        else { return nil }
        return "a web view of iOS (no \"Safari/\")"
    }

    private static let browsers = ["Safari/", "CriOS", "FxiOS", "EdgiOS", "OPiOS", "GSA/"]
}
