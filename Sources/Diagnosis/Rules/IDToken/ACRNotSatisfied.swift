import Captures
import Flows
import OAuth

/// The login asked for a way of signing in, and the ID token says another, or none.
///
/// `acr_values` is a wish that providers may pass over; `acr` as an essential claim is none (OpenID Connect Core,
/// section 5.5.1.1).
struct ACRNotSatisfied: Rule {
    static let info = RuleInfo(
        id: "acr-not-satisfied",
        title: "The login did not use the requested authentication method",
        severity: .warning,
        explanation: """
            The app asked for an authentication context (acr), and the ID token does not say that the user signed in by it. The provider used \
            another way, its default perhaps, without saying so.
            """,
        fix: """
            Map the value at the provider: ForgeRock to an authentication tree in the OAuth2 provider's settings, Curity to an authenticator, \
            Keycloak to a level of authentication. Ask for it as an essential claim if the login must fail otherwise.
            """,
        badExample: """
            GET /authorize?…&acr_values=two-factor
            id_token claims {"acr":"0", …}
            """,
        goodExample: """
            GET /authorize?…&acr_values=two-factor
            id_token claims {"acr":"two-factor", …}
            """,
        specifications: [
            .openIDConnectCore("5.5.1.1", "acrSemantics"),
            .openIDConnectCore("3.1.3.7 (12)", "IDTokenValidation"),
        ]
    )

    func verdict(on flow: Flow) -> Verdict {
        Verdict.ofIDTokens(in: flow) { delivered, claims, login in
            guard let wish = ACRWish.unmet(by: claims, of: login.request) else { return nil }
            let isTold = isTold(by: login, flow)
            return Violation(
                [wish.evidence, delivered.evidence(ofClaim: "acr")],
                // A login that went on is none that was refused, however essential it was.
                severity: wish.isEssential && flow.ending != .success || isTold ? .error : .warning,
                exchange: delivered.idToken.place.exchange,
                explains: isTold ? ["callback-rejected-by-app"] : []
            )
        }
    }

    /// Whether the app's server refused the login, and says that it is for the way in which the user signed in.
    private func isTold(by login: Login, _ flow: Flow) -> Bool {
        guard flow.ending != .success else { return false }
        let bodies =
            [AppHandover.refusal(of: login, in: flow).map { flow.capture[$0].response?.body }]
            + RejectedCallback.all(in: flow).filter { $0.response.code == login.response?.code }
            .map { flow.capture[$0.wording].response?.body }
        return bodies.contains { body in
            let words = PageText.told(by: body ?? nil).asciiLowercased()
            return words.split { !$0.isLetter }.contains { ["acr", "loa"].contains($0) }
                || Self.names.contains(where: words.containsBytes)
        }
    }

    /// Not "assurance" alone, which in French is an insurance.
    private static let names = ["level of assurance", "assurance level", "authentication context"]
}
