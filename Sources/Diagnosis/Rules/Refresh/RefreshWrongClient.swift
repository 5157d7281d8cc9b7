import Captures
import Flows
import JOSE
import JSON
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
        let history = flow.refreshHistory
        return Verdict.firstViolation(among: history.refreshes.filter(isRefused)) { refused in
            guard let sent = refused.authentication.clientID else { return .holds }
            guard let issued = history.issuer(of: refused), let owner = owner(of: issued, flow) else {
                if let violation = named(by: refused, sent) { return .violated(violation) }
                return .abstains("the login that the refresh token comes from is not recorded")
            }
            guard !owner.value.equalsBytes(of: sent.value) else { return .holds }
            return .violated(
                Violation(
                    [
                        Evidence(owner, note: "the client that the refresh token was issued to"),
                        Evidence(sent, note: Difference.note(expected: owner.value, seen: sent.value)),
                        refused.answer.evidence(),
                    ],
                    exchange: refused.exchange
                )
            )
        }
    }

    /// By what the token has of its own client, where it is a JWT and the provider says it, too.
    private func named(by refused: TokenRequest, _ sent: Parameter) -> Violation? {
        let token = refused.parameters.parameter("refresh_token")
        let claims = token.flatMap { JSONWebToken.parse($0.value)?.claims }
        let owner = ["azp", "client_id"].lazy.compactMap { name in
            claims?[name]?.string.map { (name: name, value: $0) }
        }.first
        guard StatedGrantFault(refused) == .otherClient, let owner,
            !owner.value.equalsBytes(of: sent.value)
        else { return nil }
        return Violation(
            [
                Evidence(
                    place: Place(exchange: refused.exchange, part: .jwtClaims, name: owner.name),
                    value: Masking.shown(owner.value, of: "client_id"),
                    note: "of the refresh token"
                ),
                Evidence(sent, note: Difference.note(expected: owner.value, seen: sent.value)),
                refused.answer.evidence(note: "in the provider's words"),
            ],
            exchange: refused.exchange
        )
    }

    private func owner(of issued: TokenRequest, _ flow: Flow) -> Parameter? {
        if let client = issued.authentication.clientID { return client }
        let login = flow.logins.first { $0.tokenRequests.contains { $0.exchange == issued.exchange } }
        return login?.request.parameters.parameter("client_id")
    }

    private func isRefused(_ refresh: TokenRequest) -> Bool {
        refresh.isRefused(with: "invalid_grant", "invalid_client", "unauthorized_client", "invalid_request")
    }
}
