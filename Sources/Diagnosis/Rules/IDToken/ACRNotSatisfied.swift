import Captures
import Flows
import JOSE
import JSON
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
        let refused = flow.loginAttempts.lazy.compactMap { unmet(by: $0) }.first
        // A login that went well all the same is told by what its user has.
        if let refused, flow.ending != .success { return .violated(refused) }
        return verdictOnIDTokens(of: flow).or(refused)
    }

    private func verdictOnIDTokens(of flow: Flow) -> Verdict {
        Verdict.ofIDTokens(in: flow) { delivered, claims, login in
            guard let wish = Wish(of: login.request) else { return nil }
            let seen = claims["acr"]
            let text = seen.map { $0.string ?? JSONWriter.text(of: $0) }
            guard seen == nil || seen == .null || !wish.isMet(by: text ?? "") else { return nil }
            let isTold = isTold(by: login, flow)
            return Violation(
                [
                    Evidence(
                        place: wish.parameter.place,
                        value: wish.shown,
                        note: wish.isEssential ? "essential" : nil
                    ), delivered.evidence(ofClaim: "acr"),
                ],
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

    /// The provider says itself that the user did not, or could not, sign in as the request wants (OpenID Connect Core Error Code
    /// unmet_authentication_requirements, section 2).
    private func unmet(by attempt: LoginAttempt) -> Violation? {
        guard let refusal = attempt.refusal, let request = attempt.request, let wish = Wish(of: request),
            refusal.error == "unmet_authentication_requirements"
                // A page may repeat what was sent.
                || refusal.channel != .page && refusal.says(Self.refusals)
        else { return nil }
        return Violation(
            [
                Evidence(
                    place: wish.parameter.place,
                    value: wish.shown
                ), refusal.evidence(around: Self.refusals),
            ],
            severity: .error,
            explanation: """
                The login asks for an authentication context (acr), and the provider answers that it cannot have the user sign in by it: it knows no such \
                value, or the user has nothing enrolled that is strong enough.
                """,
            fix: """
                Compare the value with acr_values_supported of the metadata, to the letter, and map it at the provider. Where the value is known, have the user \
                enrol what it needs (a passkey, a second factor) before the app asks for it.
                """,
            title: "The provider could not have the user sign in as the login asks",
            exchange: attempt.exchange
        )
    }

    /// In lower case.
    private static let refusals = [
        "acr_values", "acr value", "authentication context class", "requested acr",
    ]

    /// What was asked for: in `claims`, else in `acr_values`.
    private struct Wish {
        /// Empty where any will do, which has to be there then.
        var values: [String]
        var isEssential: Bool
        var parameter: Parameter

        /// A higher level than was wished for is as good; what is essential has to be one of the values (section 5.5.1.1).
        func isMet(by acr: String) -> Bool {
            if values.isEmpty || values.contains(acr) { return true }
            guard !isEssential, let level = AssuranceLevel(acr) else { return false }
            return values.contains { AssuranceLevel($0).map(level.includes) ?? false }
        }

        var shown: String {
            values.isEmpty ? "acr" : Masking.shown(values.prefix(10).joined(separator: ", "), of: "acr")
        }

        init?(of request: AuthorizationRequest) {
            let wished = request.parameters.parameter("acr_values")
            if let claims = request.parameters.parameter("claims"),
                let acr = (try? JSONParser.parse(Array(claims.value.utf8)))?["id_token"]?["acr"]?.object
            {
                values =
                    (acr["value"]?.string).map { [$0] } ?? acr["values"]?.array?.compactMap(\.string) ?? []
                isEssential = acr["essential"]?.bool ?? false
                parameter = claims
                if !values.isEmpty || isEssential && wished == nil { return }
            }
            guard let wished else { return nil }
            values = wished.value.spaceDelimited
            isEssential = false
            parameter = wished
            if values.isEmpty { return nil }
        }
    }
}
