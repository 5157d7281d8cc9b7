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
            if let missing = MissingVerifier(of: login, in: flow) { return .violated(violation(missing)) }
            guard MissingVerifier.challenge(of: login) != nil else { return .holds }
            return flow.certainTokenRequests(of: login).count < login.tokenRequests.count
                ? .abstains(unsaved) : .holds
        }.or(MissingVerifier(statedIn: flow).map(stated))
    }

    private func violation(_ missing: MissingVerifier) -> Violation {
        let request = missing.request
        let names = request.parameters.items.map(\.name).prefix(12).joined(separator: ", ")
        return Violation(
            [
                Evidence(missing.challenge),
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

    private func stated(_ missing: MissingVerifier) -> Violation {
        let request = missing.request
        return Violation(
            [
                Evidence(missing.challenge), request.missing("code_verifier"),
                request.answer.evidence(note: "in the provider's words"),
            ],
            exchange: request.exchange
        )
    }
}
