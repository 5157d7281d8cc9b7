import Captures
import Flows
import OAuth

/// A call by which somebody who signed in wanted the keys of a role, and that the access portal of AWS IAM Identity Center refused:
/// what is assigned to a user is another matter than who that is.
enum PortalRefusal {
    /// Nil where the portal's last answer to a token of the flow's was another one.
    static func violation(in flow: Flow) -> Violation? {
        guard
            let call = BearerCall.all(in: flow).last(where: {
                $0.token.place.part == .requestHeader && $0.token.place.name == BearerToken.portalHeader
            }), call.grant != nil, call.call.answer.status == 403,
            flow.capture[call.call.exchange].request.url.path.hasSuffix("/federation/credentials")
        else { return nil }
        let role = flow.capture[call.call.exchange].request.url.queryItems.first("role_name").map {
            Evidence(
                place: Place(exchange: call.call.exchange, part: .requestQuery, name: "role_name"),
                value: Masking.shown($0, of: "role_name"),
                note: "the role that is asked for"
            )
        }
        return Violation(
            [BearerRefusal(of: call.call.exchange, in: flow).evidence, call.address, role].compactMap(\.self),
            severity: .warning,
            saying: Violation.Words(
                title: "The AWS access portal gives the user no keys of this role",
                explanation: """
                    The login is good: the portal knows the user by the token. It gives out the keys of those roles alone that are assigned to the user, \
                    and this one is not, or not in this account.
                    """,
                fix: """
                    Compare sso_role_name and sso_account_id in the profile with what the access portal's page lists for the user (aws sso list-account-roles); the \
                    name is that of the permission set. Where it is not listed, have the user or one of their groups assigned to it in IAM Identity Center.
                    """
            ),
            exchange: call.call.exchange
        )
    }
}
