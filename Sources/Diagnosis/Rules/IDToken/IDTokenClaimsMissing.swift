import Captures
import Flows
import JOSE
import JSON
import OAuth

/// The ID token lacks one of the claims that every ID token has, or has it as another type (OpenID Connect Core, section 2).
struct IDTokenClaimsMissing: Rule {
    static let info = RuleInfo(
        id: "id-token-claims-missing",
        title: "The ID token lacks a required claim",
        severity: .error,
        explanation: """
            Every ID token has to say who issued it (iss), about whom (sub), for whom (aud), and from when to when it holds (iat, exp). This one \
            leaves something out, so a client cannot check it and has to refuse it.
            """,
        fix:
            "Have the provider put all five claims in; look for a claim mapping or a token template at the client that takes them out.",
        badExample: """
            id_token claims {"iss":"https://id.example","aud":"shop","iat":1772000000,"exp":1772000600}
            """,
        goodExample: """
            id_token claims {"iss":"https://id.example","sub":"alice","aud":"shop","iat":1772000000,"exp":1772000600}
            """,
        specifications: [
            .openIDConnectCore("2", "IDToken")
        ]
    )

    func verdict(on flow: Flow) -> Verdict {
        Verdict.firstViolation(among: flow.deliveredIDTokens) { delivered in
            guard let claims = delivered.idToken.token.claims else {
                return .abstains(Gap.idTokenClaims)
            }
            let missing = ["iss", "sub", "aud", "exp", "iat"].filter { name in
                claims[name].map { $0 == .null } ?? true
            }
            guard !missing.isEmpty else {
                if let violation = mistyped(claims, delivered, flow) { return .violated(violation) }
                return .holds
            }
            var evidence = missing.map { delivered.missing($0) }
            // Some providers give a login that is none of OpenID's a token with nothing in it.
            let scope = delivered.login.flatMap(MissingOpenID.scope)
            if let scope { evidence.append(Evidence(scope, note: "without openid nothing has to be in it")) }
            var isOfOpenID = scope == nil
            // VK ID gives one for its own use, without an audience; what asked for it may not be in the capture.
            if flow.tokenRequests.contains(where: { ["id.vk.com", "id.vk.ru"].contains($0.endpoint.host) }) {
                isOfOpenID = false
            }
            return .violated(
                Violation(
                    evidence,
                    severity: isOfOpenID || !RejectedCallback.all(in: flow).isEmpty ? nil : .warning,
                    saying: scope == nil ? nil : MissingOpenID.ofIDToken,
                    exchange: delivered.idToken.place.exchange
                )
            )
        }
    }

    /// Numbers in place of strings, and the reverse: libraries refuse them, though not all.
    private func mistyped(_ claims: JSONObject, _ delivered: DeliveredIDToken, _ flow: Flow) -> Violation? {
        // An audience that names nobody is told of as such.
        let evidence = ["iss", "sub", "exp", "iat"].compactMap { name -> Evidence? in
            guard let value = claims[name] else { return nil }
            let expected: String
            switch (name, value) {
            case ("iss", .string), ("sub", .string), ("exp", .number), ("iat", .number): return nil
            case ("exp", _), ("iat", _): expected = "has to be a number"
            default: expected = "has to be a string"
            }
            return delivered.evidence(ofClaim: name, note: expected)
        }
        guard !evidence.isEmpty else { return nil }
        return Violation(
            evidence,
            severity: RejectedCallback.all(in: flow).isEmpty ? .warning : nil,
            explanation: """
                A claim that every ID token has stands in this one as another type of JSON than the specification says. Strict libraries refuse the whole \
                token for it, as PyJWT does since 2.10 where sub is a number.
                """,
            fix:
                "Have the provider write iss and sub as strings, exp and iat as numbers; look at the claim mapping.",
            title: "A required claim of the ID token has the wrong type",
            exchange: delivered.idToken.place.exchange
        )
    }
}
