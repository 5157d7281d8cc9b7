import Captures
import Flows
import OAuth

/// A code or refresh token that was brought to the token endpoint of another tenant, or of another policy, than it was given out by.
enum OtherTenantsGrant {
    static func violation(in flow: Flow) -> Violation? { tenantsCode(in: flow) ?? policysGrant(in: flow) }

    /// A code that was given by one tenant of Entra and shown to another, as Entra says.
    private static func tenantsCode(in flow: Flow) -> Violation? {
        guard
            let request = flow.tokenRequests.first(where: {
                $0.code != nil && $0.answer.errorText.containsBytes("aadsts700005")
            })
        else { return nil }
        return Violation(
            endpoints(of: request, flow),
            explanation:
                "The code is of another tenant than the token endpoint that it was brought to: the part of the address behind the host names the tenant.",
            fix: """
                Take the authorization and the token endpoint of one tenant's metadata. With common or organizations in the address, exchange the code \
                there, or at the tenant of the user who signed in.
                """,
            title: "The code was exchanged at another tenant",
            exchange: request.exchange
        )
    }

    /// A code or refresh token of one policy of Azure AD B2C that was shown to another one's token endpoint, as B2C says.
    private static func policysGrant(in flow: Flow) -> Violation? {
        guard
            let request = flow.tokenRequests.first(where: { $0.answer.errorText.containsBytes("aadb2c90088") }
            )
        else { return nil }
        return Violation(
            endpoints(of: request, flow),
            explanation: """
                Each policy (user flow) of Azure AD B2C has a token endpoint of its own, told apart by a part of the path or by the parameter p, and takes only \
                what was given out under it. An app that sends its user on to another policy (edit profile, reset of the password) and exchanges the code under \
                the one of its configuration is refused so.
                """,
            fix: """
                Exchange the code, and refresh, at the token endpoint of the policy that the login began with. Its name stands in the tokens as well (tfp or acr); \
                keep it with the state.
                """,
            title: request.isRefresh
                ? "The refresh token was brought to the token endpoint of another policy"
                : "The code was brought to the token endpoint of another policy",
            exchange: request.exchange
        )
    }

    /// Where a grant was given out and where it was brought to.
    private static func endpoints(of request: TokenRequest, _ flow: Flow) -> [Evidence] {
        let asked = flow.askedLogins.first { $0.tokenRequests.contains { $0.exchange == request.exchange } }
        var evidence: [Evidence] = []
        if let login = asked {
            evidence.append(
                Evidence(
                    place: Place(exchange: login.request.exchange, part: .requestURL, name: ""),
                    value: Masking.shown(login.request.endpoint.text, of: "url"),
                    note: "where the code was given"
                )
            )
        }
        evidence += [
            Evidence(
                place: Place(exchange: request.exchange, part: .requestURL, name: ""),
                value: Masking.shown(request.endpoint.text, of: "url"),
                note: request.isRefresh ? "where it was shown" : "where it was exchanged"
            ), request.answer.evidence(),
        ]
        return evidence
    }
}
