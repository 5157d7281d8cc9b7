import Captures
import Flows
import OAuth

/// The login had a code challenge, and the token request has no code verifier.
///
/// The provider has to refuse it (RFC 7636, section 4.6). Whoever makes the challenge has to keep the
/// verifier until the code is exchanged: across the redirect, across processes, and for this login alone.
struct PKCEVerifierMissing: Rule {
    static let info = RuleInfo(
        id: "pkce-verifier-missing",
        title: "The token request has no code verifier",
        severity: .error,
        explanation: """
            The authorization request bound the code to a code_challenge. The token request came without the code_verifier that opens it, \
            so the provider refused the code.
            """,
        fix: """
            Keep the verifier from the request until the exchange (in a cookie, the session, or the back end) and send it as code_verifier. \
            The party that made the challenge has to make the token request.
            """,
        badExample: """
            GET /authorize?…&code_challenge=E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM&code_challenge_method=S256
            POST /token  grant_type=authorization_code&code=…  → 400 invalid_grant
            """,
        goodExample: """
            GET /authorize?…&code_challenge=E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM&code_challenge_method=S256
            POST /token  grant_type=authorization_code&code=…&code_verifier=dBjftJeZ4CVP…  → 200
            """,
        specifications: [.rfc(7636, "4.5")]
    )

    func verdict(on flow: Flow) -> Verdict {
        let unsaved = "the token request was not saved, or its code is not that of this login"
        return Verdict.firstViolation(
            among: flow.askedLogins,
            lacking: flow.hasUnsavedTokenRequest ? unsaved : nil
        ) { login in
            guard login.request.codeChallenge != nil,
                let challenge = login.request.parameters.parameter("code_challenge")
            else { return .holds }
            let certain = flow.certainTokenRequests(of: login)
            // An app may pass the code on to a back end whose own request carries the verifier.
            guard !certain.contains(where: hasVerifier), let request = certain.first(where: isRefused) else {
                return certain.count < login.tokenRequests.count ? .abstains(unsaved) : .holds
            }
            return .violated(violation(challenge, request))
        }.or(stated(in: flow))
    }

    private func violation(_ challenge: Parameter, _ request: TokenRequest) -> Violation {
        let names = request.parameters.items.map(\.name).prefix(12).joined(separator: ", ")
        return Violation(
            [
                Evidence(challenge),
                Evidence(
                    place: Place(exchange: request.exchange, part: .requestBody, name: "code_verifier"),
                    value: "missing",
                    note: "sent: \(names)"
                ),
                request.answer.evidence(),
            ],
            exchange: request.exchange
        )
    }

    /// GoTrue's logins begin at an address of its own, with the challenge.
    private func stated(in flow: Flow) -> Violation? {
        guard let request = StatedGrantFault.ofCode(in: flow, .verifierMissing),
            let challenge = GoTrueRequest.challenge(before: request, in: flow.capture)
        else { return nil }
        return Violation(
            [
                Evidence(challenge), request.missing("code_verifier"),
                request.answer.evidence(note: "in the provider's words"),
            ],
            exchange: request.exchange
        )
    }

    private func isRefused(_ request: TokenRequest) -> Bool {
        request.isGrantRefused || request.isRefused(with: "invalid_client") && asksForVerifier(request)
    }

    private func hasVerifier(_ request: TokenRequest) -> Bool {
        request.codeVerifier.map { !$0.isEmpty } ?? false
    }

    private func asksForVerifier(_ request: TokenRequest) -> Bool {
        request.answer.errorText.containsBytes("verifier") || request.answer.errorText.containsBytes("pkce")
    }
}
