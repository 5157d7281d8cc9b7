import Captures
import Flows
import OAuth

/// The address to return to after the logout is not registered for the client.
///
/// It has to be registered on its own, apart from the redirect URIs of logins (OpenID Connect RP-Initiated
/// Logout, section 3.1). Known from the provider's words, or from a registration in the capture.
struct LogoutRedirectNotRegistered: Rule {
    static let info = RuleInfo(
        id: "logout-redirect-not-registered",
        title: "The post-logout redirect URI is not registered",
        severity: .error,
        explanation: """
            The provider does not send users to addresses it does not know. The one that the logout request names is not among those that are \
            registered for returning after a logout.
            """,
        fix: """
            Register the address as a post-logout redirect URI of this client, exactly as it is sent; the redirect URIs for logins are another \
            list.
            """,
        badExample: """
            GET /logout?id_token_hint=…&post_logout_redirect_uri=https%3A%2F%2Fapp.example%2Fbye
            400 Invalid redirect uri
            """,
        goodExample: """
            registered: "post_logout_redirect_uris":["https://app.example/bye"]
            GET /logout?id_token_hint=…&post_logout_redirect_uri=https%3A%2F%2Fapp.example%2Fbye
            302 Location: https://app.example/bye
            """,
        specifications: [RPInitiatedLogout.section3]
    )

    func verdict(on flow: Flow) -> Verdict {
        guard let refused = RefusedLogoutRedirect(in: flow) else { return .holds }
        let logout = refused.logout
        var evidence = [Self.sent(by: logout)]
        if let registered = refused.registered, let wanted = logout.course.wanted {
            evidence.append(Self.evidence(of: registered, against: wanted))
        }
        evidence.append(logout.answer(quoting: refused.words, in: flow))
        return .violated(Violation(evidence, exchange: logout.call.exchange))
    }

    private static func sent(by logout: LogoutCall) -> Evidence {
        if let wanted = logout.course.wanted { return Evidence(wanted) }
        return Evidence(
            place: Place(exchange: logout.call.exchange, part: .requestQuery, name: "logout_uri"),
            value: "none",
            note: "this provider wants one that is registered"
        )
    }

    private static func evidence(
        of registered: RefusedLogoutRedirect.Registered,
        against wanted: Parameter
    ) -> Evidence {
        let nearest = registered.uris.max {
            $0.commonPrefixLength(with: wanted.value) < $1.commonPrefixLength(with: wanted.value)
        }
        return Evidence(
            place: registered.place,
            value: registered.uris.isEmpty ? "none" : registered.uris.prefix(5).joined(separator: ", "),
            note: nearest.map {
                "against \(registered.uris.count == 1 ? "it" : $0) the one sent: "
                    + Difference.note(expected: $0, seen: wanted.value)
            }
        )
    }
}
