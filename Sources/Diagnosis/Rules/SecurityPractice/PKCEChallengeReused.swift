import Captures
import Flows
import JOSE
import JSON
import OAuth

/// Two logins of a client carry the same code challenge.
///
/// A verifier protects one code (RFC 7636, section 7.1); with one for all of them, whoever has seen it can
/// redeem the next code. Fixed test values in sample code are the usual cause.
struct PKCEChallengeReused: Rule {
    static let info = RuleInfo(
        id: "pkce-challenge-reused",
        title: "The same code challenge was used for two logins",
        severity: .warning,
        explanation:
            "Two different logins sent one code challenge, hence one code verifier. It is no secret any more after the first of them.",
        fix:
            "Make a new code verifier, at random, for each authorization request, and keep it with the login only until the code is exchanged.",
        badExample: """
            GET /authorize?…&state=af0ifjsldkj&code_challenge=E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM
            GET /authorize?…&state=Qm3x9TzV81b&code_challenge=E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM
            """,
        goodExample: """
            GET /authorize?…&state=af0ifjsldkj&code_challenge=E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM
            GET /authorize?…&state=Qm3x9TzV81b&code_challenge=JZXcGVr1DHYtVl7ihbpHbCiaeBNlvYrBJvU0ZyDxWEw
            """,
        specifications: [.rfc(7636, "7.1"), .rfc(9700, "2.1.1")]
    )

    func verdict(on flow: Flow) -> Verdict {
        guard let reused = ReusedValue.first(of: "code_challenge", unlike: ["state"], in: flow) else {
            return .holds
        }
        return .violated(Violation(reused.evidence, exchange: reused.second.place.exchange))
    }
}
