import Captures
import Flows
import JOSE
import OAuth

/// A client assertion was sent once more, and the provider refused it.
///
/// Providers remember `jti` until the assertion ends (RFC 7523, section 3). A repetition that went well is no
/// fault that anybody noticed.
struct ClientAssertionReused: Rule {
    static let info = RuleInfo(
        id: "client-assertion-reused",
        title: "The same client assertion was used twice",
        severity: .error,
        explanation:
            "Two requests carry the same client_assertion, or two with the same jti. The provider takes each once, so it refused the second.",
        fix:
            "Sign a new assertion with a new jti for every request, repetitions included; keep none in a cache.",
        badExample: """
            POST /par    client_assertion: {"jti":"f2b1…",…}  → 201
            POST /token  client_assertion: {"jti":"f2b1…",…}  → 401 invalid_client
            """,
        goodExample: """
            POST /par    client_assertion: {"jti":"f2b1…",…}  → 201
            POST /token  client_assertion: {"jti":"90ac…",…}  → 200
            """,
        specifications: [.rfc(7523, "3")]
    )

    func verdict(on flow: Flow) -> Verdict {
        let calls = ClientCall.all(in: flow)
        for call in calls where call.mayBlameClient {
            guard let assertion = call.assertion,
                let first = flow.surroundings.clients.assertionUses[assertion.key]?.first,
                first != call.exchange
            else { continue }
            let name = assertion.identifier == nil ? "" : "jti"
            let value =
                assertion.identifier.map { Masking.shown($0, of: "jti") }
                ?? Masking.masked(assertion.token.text)
            return .violated(
                Violation(
                    [
                        Evidence(
                            place: Place(exchange: first, part: .jwtClaims, name: name),
                            value: value,
                            note: "sent first"
                        ),
                        Evidence(
                            place: Place(exchange: call.exchange, part: .jwtClaims, name: name),
                            value: value,
                            note: "sent again"
                        ), call.answer.evidence(),
                    ],
                    severity: call.isRepaired ? .note : .error,
                    exchange: call.exchange
                )
            )
        }
        return .holds
    }
}
