import Flows

/// The app sends the browser back to the provider right after every answer, and the provider answers at
/// once: a circle.
///
/// The app forgets each time that somebody has just signed in. Why it does is the business of other rules.
struct RedirectLoop: Rule {
    static let info = RuleInfo(
        id: "redirect-loop",
        title: "The login runs in a circle",
        severity: .error,
        isSymptom: true,
        explanation: """
            The provider answered with a code, the app took it, and its next redirect led to the provider again, several times within a minute \
            and without anybody typing anything. The app does not know the session it has just made.
            """,
        fix: """
            See whether the callback sets a session cookie and whether the page it redirects to receives it (host, path, Secure, SameSite), \
            and whether the page or its API refuses the fresh token. Let the app stop after two rounds and show the reason.
            """,
        badExample: """
            /authorize → /callback?code=1 → /home → /login → /authorize → /callback?code=2 → /home → /login → /authorize …
            """,
        goodExample: """
            /authorize → /callback?code=1  (Set-Cookie: session=…) → /home 200
            """,
        specifications: [.rfc(6749, "4.1.2"), .rfc(6265, "5.4")]
    )

    func verdict(on flow: Flow) -> Verdict {
        let violation =
            RedirectedLoop.violation(in: flow) ?? ScriptedLoop.violation(in: flow)
            ?? RefreshedLoop.violation(in: flow) ?? StoppedLoop.violation(in: flow)
        return violation.map { .violated(StoppedLoop.following($0, in: flow)) } ?? .holds
    }
}
