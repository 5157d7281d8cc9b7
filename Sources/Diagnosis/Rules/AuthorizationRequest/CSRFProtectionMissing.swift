import Captures
import Flows
import OAuth

/// Neither `state` nor PKCE nor a nonce ties the response to the browser that asked.
///
/// Somebody else's response can be slipped under such a login (RFC 9700, section 4.7): the victim then works in the
/// attacker's account. One of the three is enough.
struct CSRFProtectionMissing: Rule {
    static let info = RuleInfo(
        id: "csrf-protection-missing",
        title: "Nothing ties the response to the request",
        severity: .warning,
        explanation: """
            The request carries no state, no code_challenge and no nonce. When an answer arrives, the app cannot tell whether it answers a \
            login that this browser began or one that an attacker began elsewhere.
            """,
        fix:
            "Send a code_challenge, or a state that is bound to the browser's session and compared at the callback.",
        badExample: "GET /authorize?response_type=code&client_id=shop&redirect_uri=…",
        goodExample: "GET /authorize?response_type=code&client_id=shop&redirect_uri=…&state=af0ifjsldkj",
        specifications: [.rfc(9700, "2.1"), .rfc(9700, "4.7")]
    )

    func verdict(on flow: Flow) -> Verdict {
        Verdict.first(of: flow.loginAttempts) { attempt in
            guard attempt.request != nil,
                ["state", "code_challenge", "nonce"].allSatisfy({ attempt[$0] == nil })
            else { return .holds }
            if let reason = attempt.hiddenParameters { return .abstains(reason) }
            return .violated(
                Violation([attempt.names(note: "neither state nor code_challenge nor nonce")])
            )
        }
    }
}
