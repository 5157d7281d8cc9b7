import Flows
import OAuth

/// A refresh asked for scopes that the login was not granted.
///
/// A refresh may ask for the granted scope or for less of it, never for more (RFC 6749, section 6); what is
/// new needs the user's consent, hence a new authorization.
struct RefreshScopeWidened: Rule {
    static let info = RuleInfo(
        id: "refresh-scope-widened",
        title: "The refresh asked for more scopes than were granted",
        severity: .error,
        explanation: """
            The scope of the refresh has values that the login's tokens were not issued for. A refresh cannot widen the grant, so the provider \
            refused it.
            """,
        fix: """
            Leave scope out of the refresh, or send a part of what was granted. For further scopes start a new authorization request that asks \
            for them.
            """,
        badExample: """
            POST /token → {"scope":"openid profile", …}
            POST /token  grant_type=refresh_token&scope=openid+profile+orders  → 400 invalid_scope
            """,
        goodExample: """
            POST /token → {"scope":"openid profile", …}
            POST /token  grant_type=refresh_token&scope=openid  → 200
            """,
        specifications: [.rfc(6749, "6")]
    )

    func verdict(on flow: Flow) -> Verdict {
        let history = flow.refreshHistory
        let refusals = history.refreshes.filter { $0.isRefused(with: "invalid_scope") }
        return Verdict.firstViolation(among: refusals) { refused in
            guard let asked = refused.parameters.parameter("scope"), !asked.value.isEmpty else {
                return .holds
            }
            guard let granted = granted(before: refused, history, flow) else {
                return .abstains("the scope that was granted is not in the capture")
            }
            let has = Set(Scope.granted(granted.value))
            let more = Scope.asked(asked.value, whereGranted: granted.value).filter { !has.contains($0) }
            guard !more.isEmpty else { return .holds }
            return .violated(
                Violation(
                    [
                        Evidence(granted, note: "granted"),
                        Evidence(asked, note: "not granted: \(more.prefix(8).joined(separator: ", "))"),
                        refused.answer.evidence(),
                    ],
                    exchange: refused.exchange
                )
            )
        }
    }

    /// What the login was granted: its token answer's `scope`, else what it asked for (section 5.1).
    private func granted(before refresh: TokenRequest, _ history: RefreshHistory, _ flow: Flow) -> Parameter?
    {
        guard let original = history.origin(of: refresh) else { return nil }
        if let scope = original.answer.parameters.parameter("scope"), !scope.value.isEmpty { return scope }
        // A refresh that was answered without scope got what it asked for, which may be less than the grant.
        guard !original.isRefresh else { return nil }
        let login = flow.logins.first { $0.tokenRequests.contains { $0.exchange == original.exchange } }
        return login?.request.parameters.parameter("scope") ?? original.parameters.parameter("scope")
    }
}
