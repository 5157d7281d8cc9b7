import Captures
import Flows
import OAuth

/// The redirect URI has a fragment.
///
/// It must not (RFC 6749, section 3.1.2): the response would go behind it, where a query is no query any more.
/// Apps with hash routes need a path of their own for the callback.
struct RedirectURIHasFragment: Rule {
    static let info = RuleInfo(
        id: "redirect-uri-has-fragment",
        title: "The redirect URI contains a fragment",
        severity: .errorWhenRefused,
        explanation: """
            What stands behind # never leaves the browser, so a response cannot be sent there. Providers refuse such a redirect URI or \
            take the fragment off, after which it is not the registered one any more.
            """,
        fix: """
            Take the fragment off. An app with hash routes gives its callback a path of its own and goes to the route from there.
            """,
        badExample:
            "redirect_uri=https%3A%2F%2Fapp.example%2F%23%2Fcallback   (https://app.example/#/callback)",
        goodExample: "redirect_uri=https%3A%2F%2Fapp.example%2Fcallback      (https://app.example/callback)",
        specifications: [.rfc(6749, "3.1.2")]
    )

    func verdict(on flow: Flow) -> Verdict {
        Verdict.first(of: flow.loginAttempts) { attempt in
            guard let uri = attempt.parameter("redirect_uri") else {
                return attempt.hiddenParameters.map { .abstains($0) } ?? .holds
            }
            guard let fragment = RecordedURL(uri.value).fragment else { return .holds }
            let name = fragment.isEmpty ? "ends with \"#\"" : "fragment: #\(Excerpt.start(of: fragment, 60))"
            return .violated(
                Violation(
                    [Evidence(uri, note: name)]
                        + (attempt.isRefused ? attempt.refusal.map { [$0.evidence()] } ?? [] : []),
                    severity: attempt.severity
                )
            )
        }
    }
}
