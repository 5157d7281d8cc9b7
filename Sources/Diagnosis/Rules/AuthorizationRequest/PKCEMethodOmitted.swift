import Captures
import Flows
import OAuth

/// The code challenge is a hash, and nothing says so.
///
/// Without `code_challenge_method` the provider has to compare challenge and verifier as they are (RFC 7636, section
/// 4.3), and those differ.
struct PKCEMethodOmitted: Rule {
    static let info = RuleInfo(
        id: "pkce-method-omitted",
        title: "The code challenge is hashed but its method is not named",
        severity: .errorWhenRefused,
        explanation: """
            The challenge is the S256 hash of the verifier, but the request does not name the method. A provider that goes by the \
            specification reads plain, compares the hash with the verifier and finds two different strings.
            """,
        fix: "Add code_challenge_method=S256 to the authorization request.",
        badExample: """
            GET /authorize?…&code_challenge=E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM
            POST /token  …&code_verifier=dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk  → 400 invalid_grant
            """,
        goodExample: """
            GET /authorize?…&code_challenge=E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM&code_challenge_method=S256
            POST /token  …&code_verifier=dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk  → 200
            """,
        specifications: [.rfc(7636, "4.3")]
    )

    func verdict(on flow: Flow) -> Verdict {
        Verdict.first(of: flow.loginAttempts) { attempt in
            guard let challenge = attempt.parameter("code_challenge") else {
                return attempt.hiddenParameters.map { .abstains($0) } ?? .holds
            }
            guard attempt.namedChallengeMethod == nil else { return .holds }
            let verifier = attempt.verifiers.first { CodeChallenge.s256(of: $0.value) == challenge.value }
            guard let verifier else {
                return attempt.verifiers.isEmpty
                    ? .abstains("no verifier shows whether the challenge is a hash") : .holds
            }
            return .violated(
                Violation(
                    [
                        Evidence(challenge, note: "is BASE64URL(SHA256(code_verifier))"),
                        attempt.challengeMethodEvidence(), Evidence(verifier),
                    ] + attempt.challengeRefusal,
                    severity: attempt.challengeSeverity(in: flow)
                )
            )
        }
    }
}
