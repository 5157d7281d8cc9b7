import Captures
import Flows
import JOSE
import JSON
import OAuth

/// A logout request names the address to return to in a parameter that this provider does not read.
///
/// The standard's name is `post_logout_redirect_uri` (OpenID Connect RP-Initiated Logout, section 2); Cognito
/// reads `logout_uri`, Auth0's older endpoint `returnTo`, and old versions of Keycloak read `redirect_uri`.
struct LogoutParameterWrong: Rule {
    static let info = RuleInfo(
        id: "logout-parameter-wrong",
        title: "The logout request uses a parameter the provider does not read",
        severity: .error,
        explanation: """
            The address to return to after the logout stands in a parameter that this provider's logout endpoint does not know, so the user \
            stays at the provider or gets an error.
            """,
        fix: "Rename the parameter to the one that this endpoint reads.",
        badExample: """
            GET /realms/shop/protocol/openid-connect/logout?redirect_uri=https%3A%2F%2Fapp.example%2Fbye
            400 Invalid parameter: redirect_uri
            """,
        goodExample: """
            GET /realms/shop/protocol/openid-connect/logout?id_token_hint=…&post_logout_redirect_uri=https%3A%2F%2Fapp.example%2Fbye
            302 Location: https://app.example/bye
            """,
        specifications: [RPInitiatedLogout.section2]
    )

    func verdict(on flow: Flow) -> Verdict {
        let logouts = LogoutCall.all(in: flow)
        // Where each endpoint sent a browser back last.
        let sentBack = Dictionary(
            logouts.enumerated().lazy.filter { $1.course.end == .sentBack }.map {
                ($1.call.endpoint.text, $0)
            },
            uniquingKeysWith: max
        )
        let found = logouts.enumerated().compactMap { number, logout in
            violation(of: logout, isRepaired: sentBack[logout.call.endpoint.text] ?? -1 > number, flow)
        }
        // Of several the one that went wrong, and not one that was repeated with success.
        return Violation.worst(of: found).map { .violated($0) } ?? .holds
    }

    private func violation(of logout: LogoutCall, isRepaired: Bool, _ flow: Flow) -> Violation? {
        guard logout.isKnown else { return nil }
        let (right, wrong) = names(logout, flow)
        guard !right.contains(where: logout.call.parameters.contains),
            let sent = logout.call.parameters.items.first(where: {
                wrong.contains($0.name) && !$0.value.isEmpty
            })
        else { return nil }
        switch logout.course.end {
        case .refused, .page: break
        case .sentBack, .declined, .done, .unanswered: return nil
        }
        return Violation(
            [
                Evidence(sent, note: "this endpoint reads \(right.first ?? "") instead"),
                logout.answer(in: flow),
            ],
            severity: isRepaired ? .note : nil,
            fix: "Send the address as \(right.first ?? "") instead of \(sent.name)."
                + (lacksClient(logout) ? " " + Self.client : ""),
            exchange: logout.call.exchange
        )
    }

    /// Whether the next refusal is due: the address is looked for among those of the client.
    private func lacksClient(_ logout: LogoutCall) -> Bool {
        logout.dialect == .cognito && logout.client == nil
    }

    private static let client = """
        This endpoint wants client_id as well, and reads no ID token. A library that follows OpenID Connect (AppAuth, oidc-client) sends both only where it takes parameters of the \
        app's own for the logout (additionalParameters, extraQueryParams); else open the address in the system's browser yourself.
        """

    /// What the endpoint reads, and what it does not.
    private func names(_ logout: LogoutCall, _ flow: Flow) -> (right: [String], wrong: Set<String>) {
        let right = logout.dialect.targetNames
        switch logout.dialect {
        case .auth0: return (right, ["post_logout_redirect_uri", "logout_uri", "redirect_uri"])
        case .cognito: return (right, ["post_logout_redirect_uri", "returnTo"])
        case .standard:
            let isStandard =
                LogoutCall.metadata(of: logout.call, in: flow) != nil || Self.standard.contains(flow.provider)
            return (right, isStandard ? ["redirect_uri", "returnTo", "logout_uri"] : [])
        }
    }

    /// Providers that follow the specification.
    private static let standard: Set<ProviderKind> = [
        .auth0, .curity, .entra, .forgerock, .keycloak, .okta, .ping, .wso2,
    ]
}
