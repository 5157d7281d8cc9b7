import Captures
import Flows
import OAuth

/// An ID token is to come through the browser, and the request has no nonce.
///
/// It is required then (OpenID Connect Core, sections 3.2.2.1 and 3.3.2.11): nothing else shows that the token is
/// meant for this login.
struct NonceMissing: Rule {
    static let info = RuleInfo(
        id: "nonce-missing",
        title: "An ID token is asked from the front channel without a nonce",
        severity: .errorWhenRefused,
        explanation: """
            With this response type the ID token comes through the browser. Without a nonce in it, a token of another login could be put in \
            its place; so the nonce is required, and providers refuse a request without one.
            """,
        fix:
            "Send a fresh random nonce with each request, keep it, and compare it with the token's. Or use response_type=code.",
        badExample: "GET /authorize?response_type=code+id_token&client_id=shop&scope=openid&…",
        goodExample:
            "GET /authorize?response_type=code+id_token&client_id=shop&scope=openid&nonce=n-0S6_WzA2Mj&…",
        specifications: [
            .openIDConnectCore("3.2.2.1", "ImplicitAuthRequest"),
            .openIDConnectCore("3.3.2.11", "HybridIDToken"),
        ]
    )

    func verdict(on flow: Flow) -> Verdict {
        Verdict.first(of: flow.loginAttempts) { attempt in
            guard let type = attempt.parameter("response_type") else {
                return attempt.hiddenParameters.map { .abstains($0) } ?? .holds
            }
            guard attempt.responseTypes.contains("id_token"), attempt["nonce"] == nil else { return .holds }
            if let reason = attempt.hiddenParameters { return .abstains(reason) }
            return .violated(
                Violation(
                    [Evidence(type), attempt.missing("nonce", note: "sent: \(attempt.names().value)")]
                        + (attempt.isRefused
                            ? attempt.refusal.map { [$0.evidence(around: ["nonce"])] } ?? [] : []),
                    severity: attempt.severity
                )
            )
        }
    }
}
