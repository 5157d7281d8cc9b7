import Captures
import Flows
import JSON
import OAuth

/// The challenge method is not one of those that the provider's metadata lists.
///
/// Names are compared letter by letter: `s256` is not `S256` (RFC 7636, section 4.3). No name is `plain`.
struct PKCEMethodUnsupported: Rule {
    static let info = RuleInfo(
        id: "pkce-method-unsupported",
        title: "The provider does not offer this challenge method",
        severity: .errorWhenRefused,
        explanation: """
            The provider publishes which challenge methods it takes, and the one of this request is not among them. It refuses the request, \
            or ignores the challenge.
            """,
        fix: "Use a method of the list, spelled as it is there: S256 nearly always.",
        badExample: """
            "code_challenge_methods_supported": ["S256"]
            GET /authorize?…&code_challenge=…&code_challenge_method=s256
            """,
        goodExample: """
            "code_challenge_methods_supported": ["S256"]
            GET /authorize?…&code_challenge=…&code_challenge_method=S256
            """,
        specifications: [.rfc(8414, "2"), .rfc(7636, "4.3")]
    )

    func verdict(on flow: Flow) -> Verdict {
        Verdict.first(of: flow.loginAttempts) { attempt in
            guard attempt["code_challenge"] != nil else {
                return attempt.hiddenParameters.map { .abstains($0) } ?? .holds
            }
            guard let document = flow.metadata(of: attempt) else { return .abstains(Gap.metadata) }
            let list =
                document.list("code_challenge_methods_supported") ?? []
            let method = attempt.namedChallengeMethod ?? "plain"
            guard !list.isEmpty, !list.contains(method) else { return .holds }
            let respelled = list.first { $0.lowercased() == method.lowercased() }
            return .violated(
                Violation(
                    [
                        attempt.challengeMethodEvidence(
                            note: respelled.map { "in another case: \($0) is meant" }
                        ),
                        Evidence(
                            place: document.answer.place("code_challenge_methods_supported"),
                            value: Masking.shown(list.prefix(12).joined(separator: ", "), of: "list")
                        ),
                    ] + attempt.challengeRefusal,
                    severity: attempt.challengeSeverity(in: flow),
                    exchange: attempt.exchange
                )
            )
        }
    }
}
