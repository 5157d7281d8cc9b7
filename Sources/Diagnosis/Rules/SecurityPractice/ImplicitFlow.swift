import Captures
import Flows
import JOSE
import JSON
import OAuth

/// An authorization request asks for an access token in the browser's hands.
///
/// Any `response_type` with `token` in it. The token ends up in the address of a page, in histories and
/// scripts, and nothing binds it to the client that asked (RFC 9700, section 2.1.2).
struct ImplicitFlow: Rule {
    static let info = RuleInfo(
        id: "implicit-flow",
        title: "Tokens are delivered through the browser (implicit flow)",
        severity: .warning,
        explanation: """
            The login asks for the access token in the redirect itself. It stands in the URL of a page then, where scripts, extensions and \
            histories can read it, and it cannot be bound to the client.
            """,
        fix:
            "Ask for response_type=code with a code challenge, and fetch the tokens from the token endpoint; it works in pages without a secret, too.",
        badExample: """
            GET /authorize?response_type=token&client_id=shop…
            302 Location: https://app.example/callback#access_token=2YotnFZFEjr1zCsicMWpAA…
            """,
        goodExample: """
            GET /authorize?response_type=code&client_id=shop&code_challenge=…&code_challenge_method=S256
            302 Location: https://app.example/callback?code=SplxlOBeZQQYbYS6WxSbIA
            """,
        specifications: [.rfc(9700, "2.1.2")]
    )

    func verdict(on flow: Flow) -> Verdict {
        for attempt in flow.loginAttempts where attempt.responseTypes.contains("token") {
            guard let type = attempt.parameter("response_type") else { continue }
            return .violated(Violation([Evidence(type)], exchange: type.place.exchange))
        }
        return .holds
    }
}
