import Captures
import Flows
import OAuth

/// A code verifier comes with a code that no challenge was made for, and the provider refuses it.
///
/// A provider has to: a login whose challenge was taken out on the way is the downgrade that RFC 9700, section
/// 2.1.1, warns of.
struct PKCEVerifierUnexpected: Rule {
    static let info = RuleInfo(
        id: "pkce-verifier-unexpected",
        title: "A code verifier is sent for a login without challenge",
        severity: .error,
        explanation: """
            The authorization request reached the provider without a code_challenge, yet the token request carries a code_verifier. To the \
            provider that looks like a login whose challenge was removed by an attacker.
            """,
        fix: """
            Find where the challenge was lost: a proxy or page that builds the authorization URL anew, or a pushed request that does not carry \
            it. The same code that sends the verifier has to send the challenge.
            """,
        badExample: """
            GET /authorize?response_type=code&client_id=shop&…   (no code_challenge)
            POST /token  grant_type=authorization_code&code=…&code_verifier=dBjftJeZ4CVP…  → 400 invalid_grant
            """,
        goodExample: """
            GET /authorize?…&code_challenge=E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM&code_challenge_method=S256
            POST /token  grant_type=authorization_code&code=…&code_verifier=dBjftJeZ4CVP…  → 200
            """,
        specifications: [.rfc(9700, "2.1.1")]
    )

    func verdict(on flow: Flow) -> Verdict {
        let taken = flow.tokenRequests.filter(\.answer.isSuccess).reduce(into: [String: Timestamp]()) {
            list,
            request in
            if let code = request.code, list[code] == nil { list[code] = request.startedAt }
        }
        return Verdict.firstViolation(
            among: flow.redemptions.filter { $0.request.isGrantRefused },
            lacking: flow.hasUnsavedTokenRequest ? Gap.tokenRequestBody : nil
        ) { login, request in
            guard let verifier = request.parameters.parameter("code_verifier"), !verifier.value.isEmpty,
                login.request.codeChallenge == nil
            else { return .holds }
            guard login.request.isKnownInFull else {
                return .abstains("parts of the authorization request are not in the capture")
            }
            // Taken once with its verifier: that is not what it is refused for now.
            let wasTaken = taken[request.code ?? ""].map { $0 < request.startedAt } ?? false
            guard !wasTaken else { return .holds }
            let names = login.request.parameters.items.map(\.name).prefix(14).joined(separator: ", ")
            return .violated(
                Violation(
                    [
                        Evidence(
                            place: Place(
                                exchange: login.request.pushed ?? login.request.exchange,
                                part: login.request.pushed == nil ? .requestQuery : .requestBody,
                                name: "code_challenge"
                            ),
                            value: "missing",
                            note: "sent: \(names)"
                        ), Evidence(verifier), request.answer.evidence(),
                    ],
                    exchange: login.request.exchange
                )
            )
        }
    }
}
