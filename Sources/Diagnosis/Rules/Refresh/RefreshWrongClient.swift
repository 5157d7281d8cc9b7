import Flows
import OAuth

/// A refresh token was sent by another client than the one it was issued to.
///
/// Refresh tokens are bound to their client (RFC 6749, section 6). Clients of one family that the provider
/// lets share tokens succeed, and are left alone.
struct RefreshWrongClient: Rule {
    static let info = RuleInfo(
        id: "refresh-wrong-client",
        title: "The refresh token belongs to another client",
        severity: .error,
        explanation:
            "The refresh names another client_id than the one that the refresh token was issued to, and the provider refused it.",
        fix: """
            Refresh with the client that signed the user in. An app and its back end that both need tokens are either one client or each have \
            a login of their own.
            """,
        badExample: """
            POST /token  grant_type=authorization_code&client_id=shop-app…  → 200 {"refresh_token":"8xLOxBtZp8…"}
            POST /token  grant_type=refresh_token&refresh_token=8xLOxBtZp8…&client_id=shop-web  → 400 invalid_grant
            """,
        goodExample: """
            POST /token  grant_type=authorization_code&client_id=shop-app…  → 200 {"refresh_token":"8xLOxBtZp8…"}
            POST /token  grant_type=refresh_token&refresh_token=8xLOxBtZp8…&client_id=shop-app  → 200
            """,
        specifications: [.rfc(6749, "6"), .rfc(6749, "10.4")]
    )

    func verdict(on flow: Flow) -> Verdict {
        Verdict.firstViolation(among: flow.refreshHistory.refreshes) { refresh in
            switch OtherClientsRefresh(refresh, in: flow) {
            case .found(let evidence, _, _): .violated(Violation(evidence, exchange: refresh.exchange))
            case .unknown: .abstains("the login that the refresh token comes from is not recorded")
            case .no: .holds
            }
        }
    }
}
