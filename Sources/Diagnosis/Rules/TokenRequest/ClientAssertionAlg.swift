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
        let calls = ClientCall.all(in: flow)
        var found: [Violation] = []
        let provider = flow.providerFacts
        var isUnlisted = false
        for call in calls {
            guard let assertion = call.assertion, assertion.token.form == .signed,
                let algorithm = assertion.token.algorithm
            else { continue }
            let metadata = provider.metadata(of: call.endpoint)
            let stated = metadata?.list(Self.member).flatMap { $0.isEmpty ? nil : $0 }
            let list = stated ?? (flow.provider == .singpass ? ["ES256", "ES384", "ES512"] : nil)
            let isUnsigned = algorithm.lowercased() == "none"
            guard let list else {
                isUnlisted = true
                if isUnsigned { found.append(violation(assertion, algorithm, nil, call)) }
                continue
            }
            guard isUnsigned || !list.contains(algorithm) else { continue }
            // What a provider's documents say is out of date where it takes the signature.
            if stated == nil, !isUnsigned, !call.mayBlameClient || call.isRefusedUnseen { continue }
            let place =
                stated == nil
                ? Place(exchange: nil, part: .responseBody, name: Self.member)
                : metadata?.answer.place(Self.member)
            let evidence = place.map {
                Evidence(place: $0, value: list.joined(separator: ", "), note: "accepted")
            }
            found.append(violation(assertion, algorithm, evidence, call))
        }
        if let worst = Violation.worst(of: found) { return .violated(worst) }
        return isUnlisted ? .abstains("no list of algorithms is in the capture") : .holds
    }

    private static let member = "token_endpoint_auth_signing_alg_values_supported"

    private func violation(
        _ assertion: ClientAssertion,
        _ algorithm: String,
        _ list: Evidence?,
        _ call: ClientCall
    ) -> Violation {
        let kid = assertion.token.keyID.map { "kid \(Masking.shown($0, of: "kid"))" }
        return Violation(
            [
                Evidence(place: assertion.place(ofHeader: "alg"), value: algorithm, note: kid), list,
                call.answer.evidence(),
            ].compactMap { $0 },
            severity: call.severity,
            exchange: call.exchange
        )
    }
}
