import Captures
import Flows
import JOSE
import JSON
import OAuth

/// Issuer and subject of the client assertion are not the client that makes the request.
///
/// Both have to be the `client_id` (OpenID Connect Core, section 9). Statements that another issuer makes for a client, which some
/// providers take, are left alone where they were taken.
struct ClientAssertionSubject: Rule {
    static let info = RuleInfo(
        id: "client-assertion-subject",
        title: "The client assertion names another client",
        severity: .errorWhenRefused,
        explanation:
            "The iss and sub claims of the client_assertion have to be the client_id of the client that signed it. One of them is missing or another.",
        fix:
            "Set both iss and sub to the client_id that the authorization request and the token request carry.",
        badExample: """
            client_id=shop
            client_assertion: {"iss":"shop-backend","sub":"shop",…}  → 401 invalid_client
            """,
        goodExample: """
            client_id=shop
            client_assertion: {"iss":"shop","sub":"shop",…}  → 200
            """,
        specifications: [
            .rfc(7523, "3"),
            .openIDConnectCore("9", "ClientAuthentication"),
        ]
    )

    func verdict(on flow: Flow) -> Verdict {
        let found = ClientCall.all(in: flow).flatMap { call -> [Violation] in
            let federated = FederatedAssertion(of: call).flatMap {
                $0.refusedClaim == .subject ? $0.violation() : nil
            }
            let own = AssertionSubject(otherThanOf: call, in: flow).map { violation($0, call) }
            return [federated, own].compactMap(\.self)
        }
        return Violation.worst(of: found).map { .violated($0) } ?? .holds
    }

    private func violation(_ fault: AssertionSubject, _ call: ClientCall) -> Violation {
        let (assertion, expected) = (fault.assertion, fault.expected)
        let (issuer, subject) = (assertion.token.issuer, assertion.token.subject)
        let claims = ["iss", "sub"].map(assertion.token.claim)
        var evidence = [("iss", issuer, claims[0]), ("sub", subject, claims[1])].map { name, value, claim in
            Evidence(
                place: assertion.place(ofClaim: name),
                value: (value ?? claim.map { JSONWriter.text(of: $0) }).map { Masking.shown($0, of: name) }
                    ?? "missing",
                note: value.map { value in
                    expected.map { $0.value.equalsBytes(of: value) ? "the client" : "another one" }
                } ?? (Self.isNobody(claim) ? nil : "not a string")
            )
        }
        if let expected {
            let whose = expected.place.exchange == call.exchange ? "request" : "login"
            evidence.append(Evidence(expected, note: "the client of this \(whose)"))
        }
        evidence.append(call.answer.evidence())
        return Violation(
            evidence,
            severity: call.severity,
            saying: claims.allSatisfy(Self.isNobody) ? Self.nobody : nil,
            exchange: call.exchange
        )
    }

    private static func isNobody(_ claim: JSONValue?) -> Bool { claim == nil || claim == .null }

    private static let nobody = Violation.Words(
        title: "The client assertion names no client",
        explanation: """
            The iss and sub claims of the client_assertion have to be the client_id of the client that signed it. Neither has one: what signed it did not know the client_id, or was not told to put \
            it there.
            """,
        fix: """
            Give the client_id to what makes the assertion, for both claims. A client that registers itself has it from the registration's answer: where the library signs with what it was set to \
            before, set it anew then.
            """
    )
}
