import Flows

/// The request looks like one of OpenID Connect and is none, for its scope has no `openid`.
///
/// That word alone makes the difference (OpenID Connect Core, section 3.1.2.1). Without it a provider may leave out
/// the ID token, and refuse UserInfo.
struct ScopeOpenidMissing: Rule {
    static let info = RuleInfo(
        id: "scope-openid-missing",
        title: "The request is not an OpenID request: scope has no openid",
        severity: .warning,
        explanation: """
            The app wants to know who signs in: it sends parameters of OpenID Connect, or asks UserInfo later. But without openid in the \
            scope the provider takes the request as plain OAuth, owes no ID token and may ignore those parameters.
            """,
        fix: "Add openid to the scope.",
        badExample:
            "GET /authorize?response_type=code&client_id=shop&scope=profile+email&nonce=n-0S6_WzA2Mj&…",
        goodExample:
            "GET /authorize?response_type=code&client_id=shop&scope=openid+profile+email&nonce=n-0S6_WzA2Mj&…",
        specifications: [
            .openIDConnectCore("3.1.2.1", "AuthRequest")
        ]
    )

    func verdict(on flow: Flow) -> Verdict {
        Verdict.first(of: flow.loginAttempts) { attempt in
            switch OpenIDScope(of: attempt, in: flow) {
            case .fits: return .holds
            case .unseen(let reason): return .abstains(reason)
            case .lacking(let sign):
                let scope = attempt.parameter("scope").map { Evidence($0, note: "without openid") }
                return .violated(
                    Violation(
                        [scope ?? attempt.missing("scope"), sign.evidence],
                        explanation: sign.isRefusal ? MissingOpenID.explanation : nil,
                        exchange: attempt.exchange
                    )
                )
            }
        }
    }
}
