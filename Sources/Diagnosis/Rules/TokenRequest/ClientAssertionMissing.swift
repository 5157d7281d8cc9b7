import Captures
import Flows
import OAuth

/// A provider that takes signed client assertions and nothing else got none.
///
/// Known from its metadata, or because it is one of the providers that work so. An assertion without the
/// parameter that says what it is counts as none.
struct ClientAssertionMissing: Rule {
    static let info = RuleInfo(
        id: "client-assertion-missing",
        title: "The provider wants a client assertion and got none",
        severity: .error,
        explanation: """
            Clients of this provider prove themselves by a JWT that they sign with their own key (private_key_jwt). The request lacks \
            client_assertion, or the client_assertion_type that goes with it.
            """,
        fix: AssertionOnly.fix,
        badExample: """
            POST /token  grant_type=authorization_code&code=…&client_id=shop&client_secret=…  → 401 invalid_client
            """,
        goodExample: """
            POST /token  grant_type=authorization_code&code=…&client_id=shop
            &client_assertion_type=urn%3Aietf%3Aparams%3Aoauth%3Aclient-assertion-type%3Ajwt-bearer&client_assertion=eyJ…  → 200
            """,
        specifications: [
            .rfc(7523, "2.2"),
            .openIDConnectCore("9", "ClientAuthentication"),
        ]
    )

    func verdict(on flow: Flow) -> Verdict {
        let calls = ClientCall.all(in: flow)
        let provider = flow.providerFacts
        guard let call = calls.first(where: { AssertionOnly.applies(to: $0, provider, flow) }) else {
            return .holds
        }
        let name =
            (call.parameters["client_assertion"] ?? "").isEmpty ? "client_assertion" : "client_assertion_type"
        var evidence: [Evidence] = []
        if let metadata = provider.metadata(of: call.endpoint),
            let list = metadata.list("token_endpoint_auth_methods_supported"), !list.isEmpty
        {
            evidence.append(
                Evidence(
                    place: metadata.answer.place("token_endpoint_auth_methods_supported"),
                    value: Masking.shown(list.joined(separator: ", "), of: "list"),
                    note: "all that the provider takes"
                )
            )
        }
        if let other = call.parameters.parameter(name), !other.value.isEmpty {
            evidence.append(Evidence(other, note: "has to be \(ClientAssertion.type)"))
        } else {
            evidence.append(call.parameters.missing(name, of: call.exchange))
        }
        evidence.append(call.answer.evidence())
        return .violated(
            Violation(
                evidence,
                severity: call.isRepaired ? .note : .error,
                exchange: call.exchange
            )
        )
    }
}
