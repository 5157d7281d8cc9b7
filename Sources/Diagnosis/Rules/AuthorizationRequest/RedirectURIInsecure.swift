import Captures
import Flows
import OAuth

/// The redirect URI is plain `http` on a host that is not the machine itself.
///
/// Codes travel in clear then, for everybody on the way to read (RFC 9700, section 2.6). On loopback it is how
/// native apps are to do it (RFC 8252, section 7.3).
struct RedirectURIInsecure: Rule {
    static let info = RuleInfo(
        id: "redirect-uri-insecure",
        title: "The redirect URI is plain http on a public host",
        severity: .warning,
        explanation: """
            The provider sends the code to an address without TLS. Whoever carries that traffic can read it, and use it before the app does.
            """,
        fix:
            "Serve the callback over https and register that address; behind a proxy, tell the app its public scheme.",
        badExample: "redirect_uri=http%3A%2F%2Fapp.example%2Fcallback",
        goodExample: """
            redirect_uri=https%3A%2F%2Fapp.example%2Fcallback
            redirect_uri=http%3A%2F%2F127.0.0.1%3A53125%2Fcallback   (the machine itself)
            """,
        specifications: [.rfc(9700, "2.6"), .rfc(6749, "3.1.2.1")]
    )

    func verdict(on flow: Flow) -> Verdict {
        Verdict.first(of: flow.loginAttempts) { attempt in
            guard let uri = attempt.parameter("redirect_uri") else {
                return attempt.hiddenParameters.map { .abstains($0) } ?? .holds
            }
            let url = RecordedURL(uri.value)
            guard url.scheme?.lowercased() == "http", let host = url.host, !host.isEmpty,
                !LoopbackHost.isLoopback(host)
            else { return .holds }
            return .violated(Violation([Evidence(uri, note: "http, and \(host) is not this machine")]))
        }
    }
}
