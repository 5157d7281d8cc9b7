import Captures
import Flows
import OAuth

/// A client that has no secret runs the code flow without PKCE.
///
/// Whoever gets hold of the code can exchange it then: another app that claimed the same scheme, a log, a
/// referrer (RFC 8252, section 8.1). Public is a client whose token request proves nothing, or whose redirect URI
/// only an app on a device can own.
struct PKCEMissingPublicClient: Rule {
    static let info = RuleInfo(
        id: "pkce-missing-public-client",
        title: "A public client runs the code flow without PKCE",
        severity: .warning,
        explanation: """
            Nothing but the code itself is needed to get the tokens of this login: the client has no secret, and no code_challenge binds \
            the code to the app that asked for it.
            """,
        fix:
            "Send a code_challenge with method S256 in the authorization request and its code_verifier in the token request.",
        badExample: """
            GET /authorize?response_type=code&client_id=shop-app&redirect_uri=example.shop.app%3A%2Fcallback&…
            POST /token  grant_type=authorization_code&code=…&client_id=shop-app
            """,
        goodExample: """
            GET /authorize?response_type=code&client_id=shop-app&redirect_uri=…&code_challenge=E9Mel…&code_challenge_method=S256
            POST /token  grant_type=authorization_code&code=…&client_id=shop-app&code_verifier=dBjft…
            """,
        specifications: [.rfc(9700, "2.1.1"), .rfc(8252, "6")]
    )

    private static let byAddress = """
        No code_challenge binds the code to the app that asked for it, and by its redirect URI that is an app on somebody's device or machine: what \
        it may have for a secret, everybody who has the app has too (RFC 8252, section 8.5). So the code alone is what gets the tokens.
        """

    func verdict(on flow: Flow) -> Verdict {
        Verdict.first(of: flow.loginAttempts) { attempt in
            guard attempt.asksForCode, attempt["code_challenge"] == nil else { return .holds }
            if let reason = attempt.hiddenParameters { return .abstains(reason) }
            switch ClientKind(of: attempt, in: flow) {
            case .confidential: return .holds
            case .unknown(let reason): return .abstains(reason)
            case .public(let evidence):
                return .violated(
                    Violation(
                        [
                            attempt.missing("code_challenge", note: "sent: \(attempt.names().value)"),
                            evidence,
                        ],
                        explanation: evidence.place.name == "redirect_uri" ? Self.byAddress : nil,
                        exchange: attempt.exchange
                    )
                )
            }
        }
    }
}
