import Captures
import Flows
import JOSE
import JSON
import OAuth

/// One client pushed the request, and the browser came with the name of another.
///
/// A `request_uri` belongs to the client that pushed it (RFC 9126, section 4), and the `client_id` beside it has to be
/// the same (RFC 9101, section 5).
struct PARClientMismatch: Rule {
    static let info = RuleInfo(
        id: "par-client-mismatch",
        title: "Pushed request and authorization request name different clients",
        severity: .errorWhenRefused,
        explanation: """
            The request was pushed with the credentials of one client, and the URL that the browser was sent to names another one. The \
            provider has to refuse that.
            """,
        fix: "Take the client id for both from one place in the configuration.",
        badExample: """
            POST /par  client_id=shop-backend&…  → 201 {"request_uri":"urn:…"}
            GET /authorize?client_id=shop-web&request_uri=urn%3A…
            """,
        goodExample: """
            POST /par  client_id=shop-web&…  → 201 {"request_uri":"urn:…"}
            GET /authorize?client_id=shop-web&request_uri=urn%3A…
            """,
        specifications: [.rfc(9126, "4"), .rfc(9101, "5")]
    )

    func verdict(on flow: Flow) -> Verdict {
        Verdict.first(of: flow.loginAttempts) { attempt in
            guard attempt.request != nil, let call = attempt.pushed,
                let sent = attempt.ownParameters.items.first(where: {
                    $0.name == "client_id" && !$0.value.isEmpty
                })
            else { return .holds }
            let known = Self.clients(of: call)
            guard !known.isEmpty else { return .abstains("the pushed request does not show its client") }
            let other = known.first {
                !$0.value.equalsBytes(of: sent.value) && !$0.rawValue.equalsBytes(of: sent.value)
            }
            guard let other else { return .holds }
            return .violated(
                Violation(
                    [
                        Evidence(
                            place: other.place,
                            value: Masking.shown(other.value, of: "client_id"),
                            note: "pushed"
                        ),
                        Evidence(sent, note: Difference.note(expected: other.value, seen: sent.value)),
                    ] + (attempt.isRefused ? attempt.refusal.map { [$0.evidence()] } ?? [] : []),
                    severity: attempt.severity,
                    exchange: attempt.exchange
                )
            )
        }
    }

    /// Whom the push names: in its form, its Basic credentials, its assertion.
    private static func clients(of call: EndpointCall) -> [Parameter] {
        var clients = [call.authentication.clientID, call.parameters.parameter("client_id")].compactMap { $0 }
        if let assertion = call.authentication.assertion,
            let subject = JSONWebToken.parse(assertion.value)?.subject
        {
            clients.append(
                Parameter(
                    name: "sub",
                    value: subject,
                    place: Place(exchange: call.exchange, part: .jwtClaims, name: "sub")
                )
            )
        }
        return clients.filter { !$0.value.isEmpty }
    }
}
