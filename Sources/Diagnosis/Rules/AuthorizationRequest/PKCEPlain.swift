import Captures
import Flows
import OAuth

/// The code challenge is the verifier itself.
///
/// Whoever sees the authorization request then knows the verifier, which is what PKCE is there to prevent (RFC 7636,
/// section 7.2). Without a method, `plain` is meant (section 4.3).
struct PKCEPlain: Rule {
    static let info = RuleInfo(
        id: "pkce-plain",
        title: "PKCE is used with the plain method",
        severity: .warning,
        explanation: """
            With plain the challenge travels through the browser as the very value that opens the code later. It protects against nobody \
            who can read the request: a log, an extension, another app on the device.
            """,
        fix: "Send BASE64URL(SHA256(verifier)) as the challenge with code_challenge_method=S256.",
        badExample: "code_challenge=dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk&code_challenge_method=plain",
        goodExample: "code_challenge=E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM&code_challenge_method=S256",
        specifications: [.rfc(7636, "4.2"), .rfc(7636, "7.2"), .rfc(9700, "2.1.1")]
    )

    func verdict(on flow: Flow) -> Verdict {
        Verdict.first(of: flow.loginAttempts) { attempt in
            guard let challenge = attempt.parameter("code_challenge") else {
                return attempt.hiddenParameters.map { .abstains($0) } ?? .holds
            }
            switch attempt.namedChallengeMethod {
            case "plain": break
            case nil:
                // A hash without a word, or another verifier: other rules tell those.
                let verifiers = attempt.verifiers.map(\.value)
                guard verifiers.isEmpty || verifiers.contains(challenge.value) else { return .holds }
            default: return .holds
            }
            let isForThis = attempt.isRefused && attempt.refusal?.says(Self.texts) ?? false
            // It is the verifier, so it is shown like one.
            let shown = Evidence(
                place: challenge.place,
                value: Masking.masked(challenge.value),
                note: challenge.value.unicodeScalars.count.counted("character")
            )
            return .violated(
                Violation(
                    [attempt.challengeMethodEvidence(), shown]
                        + (isForThis
                            ? attempt.refusal.map { [$0.evidence(around: Self.texts)] } ?? [] : []),
                    severity: isForThis ? .error : nil
                )
            )
        }
    }

    /// How a provider words it that takes hashes only, in lower case.
    private static let texts = [
        "\"plain\"", "'plain'", "plain transformation", "method plain", "plain method",
    ]
}
