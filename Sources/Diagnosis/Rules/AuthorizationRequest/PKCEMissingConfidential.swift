import Captures
import Flows
import OAuth

/// A client with credentials sends neither a code challenge nor a nonce.
///
/// Its secret keeps others from exchanging the code, but not from slipping somebody else's code into a login of
/// its own (RFC 9700, section 4.5). A nonce protects as well.
struct PKCEMissingConfidential: Rule {
    static let info = RuleInfo(
        id: "pkce-missing-confidential",
        title: "This client could use PKCE and does not",
        severity: .note,
        explanation: """
            The client authenticates at the token endpoint, so a stolen code is of little use elsewhere. Injected into a login of this very \
            client it would still be taken, for nothing ties the code to the browser that asked.
            """,
        fix: "Send a code_challenge as well; it costs one hash.",
        badExample: "GET /authorize?response_type=code&client_id=shop&redirect_uri=…&state=…",
        goodExample:
            "GET /authorize?response_type=code&client_id=shop&redirect_uri=…&state=…&code_challenge=E9Mel…&code_challenge_method=S256",
        specifications: [.rfc(9700, "2.1.1")]
    )

    func verdict(on flow: Flow) -> Verdict {
        Verdict.first(of: flow.loginAttempts) { attempt in
            guard attempt.asksForCode, attempt["code_challenge"] == nil, attempt["nonce"] == nil else {
                return .holds
            }
            if let reason = attempt.hiddenParameters { return .abstains(reason) }
            guard case .confidential(let evidence) = ClientKind(of: attempt, in: flow) else { return .holds }
            return .violated(
                Violation(
                    [attempt.missing("code_challenge", note: "sent: \(attempt.names().value)"), evidence],
                    exchange: attempt.exchange
                )
            )
        }
    }
}
