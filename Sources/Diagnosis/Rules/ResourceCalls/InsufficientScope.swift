import Captures
import Flows
import OAuth

/// The API wants a scope that the access token does not have (RFC 6750, section 3.1).
struct InsufficientScope: Rule {
    static let info = RuleInfo(
        id: "insufficient-scope",
        title: "The token lacks a scope the API needs",
        severity: .error,
        explanation:
            "The access token is good, but not for this call: the API answered that it wants a scope that the token was not granted.",
        fix: """
            Ask for the scope that the challenge names, in a new authorization request; a refresh cannot add one. Keycloak's UserInfo needs the \
            scope openid.
            """,
        badExample: """
            GET /orders → 403, WWW-Authenticate: Bearer error="insufficient_scope", scope="orders.read"
            """,
        goodExample: """
            GET /authorize?…&scope=openid+orders.read
            GET /orders → 200
            """,
        specifications: [.rfc(6750, "3.1")]
    )

    func verdict(on flow: Flow) -> Verdict {
        let refused = refused(in: flow)
        guard !refused.isEmpty else { return .holds }
        for (call, refusal, scope) in refused where !flow.surroundings.isGranted(after: call.call) {
            var evidence = [refusal.evidence, call.address]
            if call.isTokenLeftOut { evidence.append(BearerEvidence.token(call.token, refusal)) }
            if let needed = scope?.needed {
                evidence.append(
                    Evidence(
                        place: needed.place,
                        value: Masking.shown(needed.value, of: "scope"),
                        note: "the scope that is needed"
                    )
                )
            }
            if let granted = scope?.granted ?? call.grantedScope(in: flow) {
                evidence.append(
                    Evidence(
                        granted,
                        note: scope?.granted == nil ? "granted or asked for" : "what the token has"
                    )
                )
            }
            return .violated(Violation(evidence, exchange: call.call.exchange))
        }
        return .holds
    }

    /// In order of time.
    private func refused(in flow: Flow) -> [(call: BearerCall, refusal: BearerRefusal, scope: ScopeRefusal?)]
    {
        var forTheirToken: Set<Int>?
        return BearerCall.all(in: flow).compactMap { call in
            guard call.isWithAccessToken || call.isUserInfo || call.isTokenLeftOut,
                call.call.answer.isRefusal
            else { return nil }
            let refusal = BearerRefusal(of: call.call.exchange, in: flow)
            if let scope = ScopeRefusal(call.call.answer, in: flow.capture) { return (call, refusal, scope) }
            let refused =
                forTheirToken
                ?? Set(BearerCall.refused(in: flow, with: [401, 403]).map(\.call.call.exchange))
            forTheirToken = refused
            guard refused.contains(call.call.exchange), isToldByUserInfo(call, refusal) else { return nil }
            return (call, refusal, nil)
        }
    }

    /// Keycloak, Cognito.
    private func isToldByUserInfo(_ call: BearerCall, _ refusal: BearerRefusal) -> Bool {
        let text = refusal.body.lowercased() + " " + (refusal.header?.prefixBytes(2048).lowercased() ?? "")
        return call.isUserInfo
            && (refusal.status == 403 && text.containsBytes("missing openid scope")
                || text.containsBytes("does not contain openid scope"))
    }
}
