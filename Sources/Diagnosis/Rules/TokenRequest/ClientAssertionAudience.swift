import Captures
import Flows
import JOSE
import OAuth

/// The client assertion names another audience than the provider it was posted to.
///
/// Issuer, token endpoint, the endpoint itself and its alias for certificates are all in use; Singpass wants
/// the issuer, MyInfo the token URL. Without metadata an audience on the provider's host is not judged, nor is one of the listed where the
/// provider refuses it (``StatedAssertionRefusal``).
struct ClientAssertionAudience: Rule {
    static let info = RuleInfo(
        id: "client-assertion-audience",
        title: "The client assertion is addressed to someone else",
        severity: .errorWhenRefused,
        explanation: """
            The aud claim of the client_assertion says for whom it was signed. It names neither this provider's issuer nor its endpoint, so \
            the provider must not take it.
            """,
        fix: """
            Set aud to the issuer of the provider that is called, character by character as its metadata has it, or to the token endpoint where \
            the provider's documents say so. Look for a setting of another environment, tenant or realm.
            """,
        badExample: """
            issuer: https://id.example
            client_assertion: {"iss":"shop","sub":"shop","aud":"https://staging.id.example",…}  → 401 invalid_client
            """,
        goodExample: """
            issuer: https://id.example
            client_assertion: {"iss":"shop","sub":"shop","aud":"https://id.example",…}  → 200
            """,
        specifications: [
            .rfc(7523, "3"),
            .openIDConnectCore("9", "ClientAuthentication"),
        ]
    )

    func verdict(on flow: Flow) -> Verdict {
        var found: [Violation] = []
        var isUnknown = false
        for call in ClientCall.all(in: flow) {
            guard let assertion = call.assertion, assertion.token.claims != nil else { continue }
            if let federated = FederatedAssertion(of: call) {
                if federated.refusedClaim == .audience { found.append(federated.violation()) }
                continue
            }
            let audience = AssertionAudience(of: assertion, by: call, in: flow)
            switch audience.fit {
            case .named: continue
            case .unknown: isUnknown = true
            case .wrong: found.append(violation(assertion, audience.accepted, call))
            }
        }
        if let worst = Violation.worst(of: found) { return .violated(worst) }
        return isUnknown ? .abstains(Gap.metadata) : .holds
    }

    private func violation(_ assertion: ClientAssertion, _ accepted: [Evidence], _ call: ClientCall)
        -> Violation
    {
        let audience = assertion.token.audience
        let claim = Evidence(
            place: assertion.place(ofClaim: "aud"),
            value: audience.isEmpty
                ? "missing" : Masking.shown(audience.joined(separator: ", "), of: "aud"),
            note: accepted.first.flatMap { first in
                audience.first.map { Difference.note(expected: first.value, seen: $0) }
            }
        )
        return Violation(
            [claim] + accepted.prefix(4) + [call.answer.evidence()],
            severity: call.severity,
            exchange: call.exchange
        )
    }
}
