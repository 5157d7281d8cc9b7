import Captures
import Flows
import JOSE
import JSON
import OAuth

/// The provider gave out tokens though the code verifier does not open the code challenge, or is missing.
///
/// Comparing the two is all that the challenge is for (RFC 7636, section 4.6): without it a stolen code is as
/// good as before. Silent where the capture may show an app's own back end instead of the provider.
struct PKCENotEnforced: Rule {
    static let info = RuleInfo(
        id: "pkce-not-enforced",
        title: "The provider accepted a wrong or missing code verifier",
        severity: .warning,
        explanation: """
            The login bound its code to a code_challenge. The token request does not carry the verifier that opens it, and got tokens all the \
            same: this provider does not compare them, so PKCE protects nothing here.
            """,
        fix: """
            Turn PKCE on for this client at the provider, and send the verifier that the challenge was made from: the day the provider begins \
            to compare, this login breaks.
            """,
        badExample: """
            GET /authorize?…&code_challenge=E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM&code_challenge_method=S256
            POST /token  grant_type=authorization_code&code=…  → 200
            """,
        goodExample: """
            GET /authorize?…&code_challenge=E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM&code_challenge_method=S256
            POST /token  grant_type=authorization_code&code=…&code_verifier=dBjftJeZ4CVP…  → 200
            """,
        specifications: [.rfc(9700, "2.1.1"), .rfc(9700, "4.8.2")]
    )

    func verdict(on flow: Flow) -> Verdict {
        let provider = flow.providerFacts
        let redemptions = flow.redemptions
        // A try whose answer was lost is the client's own.
        let uses = redemptions.filter { !$0.request.isAnswerLost }
            .reduce(into: [String: Int]()) { $0[$1.request.code ?? "", default: 0] += 1 }
        return Verdict.firstViolation(
            among: redemptions.filter { $0.request.answer.isSuccess },
            lacking: flow.hasUnsavedTokenRequest ? Gap.tokenRequestBody : nil
        ) { login, request in
            guard login.request.codeChallenge != nil,
                let challenge = login.request.parameters.parameter("code_challenge")
            else { return .holds }
            // The code may go through an app's own back end, whose request carries the verifier.
            let isRelayed = uses[request.code ?? "", default: 1] > 1
            guard !isRelayed, provider.has(request.endpoint) else {
                return .abstains("the code may have been exchanged by an app's back end")
            }
            let verifier = request.parameters.parameter("code_verifier").flatMap {
                $0.value.isEmpty ? nil : $0
            }
            if let verifier {
                guard !Placeholder.isOne(verifier.value), !Placeholder.isOne(challenge.value) else {
                    return .abstains("the verifier or the challenge was taken out of the capture")
                }
                guard let isRight = fits(challenge.value, verifier.value, login.request) else {
                    return .abstains(Gap.challengeMethod)
                }
                if isRight { return .holds }
            }
            return .violated(violation(challenge, verifier, request))
        }
    }

    /// Nil for methods that are not known here.
    private func fits(_ challenge: String, _ verifier: String, _ request: AuthorizationRequest) -> Bool? {
        switch request.parameters["code_challenge_method"]?.lowercased() ?? "" {
        case "s256": return challenge == CodeChallenge.s256(of: verifier)
        case "plain": return challenge.equalsBytes(of: verifier)
        // Hashed without a word: a provider that takes it for a hash compares all the same.
        case "": return challenge.equalsBytes(of: verifier) || challenge == CodeChallenge.s256(of: verifier)
        default: return nil
        }
    }

    private func violation(_ challenge: Parameter, _ verifier: Parameter?, _ request: TokenRequest)
        -> Violation
    {
        var evidence = [Evidence(challenge, note: "the challenge of this code")]
        if let verifier {
            evidence.append(Evidence(verifier))
            evidence.append(
                Evidence.computed(
                    "BASE64URL(SHA256(code_verifier))",
                    CodeChallenge.s256(of: verifier.value),
                    in: .requestBody,
                    note: "differs from the challenge"
                )
            )
        } else {
            evidence.append(request.missing("code_verifier"))
        }
        evidence.append(request.answer.statusEvidence(note: "accepted"))
        return Violation(evidence, exchange: request.exchange)
    }
}
