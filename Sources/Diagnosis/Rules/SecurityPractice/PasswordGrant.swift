import Captures
import Flows
import JOSE
import JSON
import OAuth

/// The app takes the user's password and sends it to the token endpoint itself.
///
/// The grant `password` must not be used any more (RFC 9700, section 2.4): it teaches users to type
/// passwords into apps, and excludes second factors and single sign-on.
struct PasswordGrant: Rule {
    static let info = RuleInfo(
        id: "password-grant",
        title: "The app collects the user's password",
        severity: .warning,
        explanation: """
            The app asks the user for the password of the provider and exchanges it for tokens. It sees a secret that only the provider should \
            see, and logins with a second factor or at another provider cannot work this way.
            """,
        fix:
            "Send the user to the provider with the authorization code flow and PKCE; for accounts that are no people use client_credentials.",
        badExample: "POST /token  grant_type=password&username=alice&password=…",
        goodExample: "POST /token  grant_type=authorization_code&code=…&code_verifier=…",
        specifications: [.rfc(9700, "2.4")]
    )

    func verdict(on flow: Flow) -> Verdict {
        for request in flow.tokenRequests where request.grantType == "password" {
            let evidence = ["grant_type", "username", "password"].compactMap {
                request.parameters.parameter($0).map { Evidence($0) }
            }
            return .violated(Violation(evidence, exchange: request.exchange))
        }
        return .holds
    }
}
