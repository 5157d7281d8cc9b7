import Captures
import Flows
import JOSE
import JSON
import OAuth

/// A login with Singpass lacks `state`, `nonce` or the code challenge.
///
/// Singpass refuses without them. MyInfo wants neither `state` nor `nonce`, and mockpass, its stand-in, no
/// challenge.
struct SingpassParameterMissing: Rule {
    static let info = RuleInfo(
        id: "singpass-parameter-missing",
        title: "Singpass wants `state`, `nonce` and an S256 challenge",
        severity: .errorWhenRefused,
        explanation:
            "Singpass makes state, nonce and code_challenge obligatory for every login. This request lacks some of them.",
        fix: """
            Let the back end make state, nonce and code verifier together when the login begins, keep them with it, and put state, nonce and the \
            S256 challenge into the request.
            """,
        badExample:
            "GET https://id.singpass.gov.sg/auth?client_id=…&response_type=code&redirect_uri=…&scope=openid",
        goodExample: """
            GET https://id.singpass.gov.sg/auth?client_id=…&response_type=code&redirect_uri=…&scope=openid
              &state=…&nonce=…&code_challenge=…&code_challenge_method=S256
            """,
        specifications: [SingpassGuide.authorization]
    )

    func verdict(on flow: Flow) -> Verdict {
        Verdict.firstViolation(among: flow.singpassAttempts) { attempt, endpoint in
            guard endpoint != .myinfo else { return .holds }
            let wanted = ["state", "nonce"] + (endpoint == .singpass ? ["code_challenge"] : [])
            let missing = wanted.filter { attempt[$0] == nil }
            guard !missing.isEmpty else { return .holds }
            if let hidden = attempt.hiddenParameters {
                return .abstains(hidden)
            }
            var evidence = [attempt.names(note: "without \(missing.joined(separator: ", "))")]
            if let refusal = attempt.refusal { evidence.append(refusal.evidence()) }
            return .violated(Violation(evidence, severity: attempt.severity, exchange: attempt.exchange))
        }
    }
}
