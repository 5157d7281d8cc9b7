import Captures
import Flows
import JOSE
import OAuth

/// The client assertion is signed with an algorithm that the provider's metadata does not list, or not at all.
struct ClientAssertionAlg: Rule {
    static let info = RuleInfo(
        id: "client-assertion-alg",
        title: "The client assertion is signed with an algorithm the provider does not take",
        severity: .errorWhenRefused,
        explanation:
            "The alg header of the client_assertion is not among the algorithms that the provider accepts for it.",
        fix: "Make a key of a listed kind, register its public half at the provider, and sign with it.",
        badExample: """
            token_endpoint_auth_signing_alg_values_supported: ["ES256","PS256"]
            client_assertion: header {"alg":"RS256",…}  → 401 invalid_client
            """,
        goodExample: """
            token_endpoint_auth_signing_alg_values_supported: ["ES256","PS256"]
            client_assertion: header {"alg":"ES256",…}  → 200
            """,
        specifications: [
            .openIDConnectDiscovery("3", "ProviderMetadata"), .rfc(7523, "3"),
        ]
    )

    func verdict(on flow: Flow) -> Verdict {
        var found: [Violation] = []
        var isUnlisted = false
        for call in ClientCall.all(in: flow) {
            guard let algorithm = AssertionAlgorithm(of: call, in: flow) else { continue }
            isUnlisted = isUnlisted || !algorithm.isListKnown
            if algorithm.isWrong { found.append(violation(algorithm, call)) }
        }
        if let worst = Violation.worst(of: found) { return .violated(worst) }
        return isUnlisted ? .abstains("no list of algorithms is in the capture") : .holds
    }

    private func violation(_ algorithm: AssertionAlgorithm, _ call: ClientCall) -> Violation {
        let assertion = algorithm.assertion
        let kid = assertion.token.keyID.map { "kid \(Masking.shown($0, of: "kid"))" }
        return Violation(
            [
                Evidence(place: assertion.place(ofHeader: "alg"), value: algorithm.name, note: kid),
                algorithm.accepted, call.answer.evidence(),
            ].compactMap { $0 },
            severity: call.severity,
            exchange: call.exchange
        )
    }
}
