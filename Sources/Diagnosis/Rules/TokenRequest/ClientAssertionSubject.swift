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
        let calls = ClientCall.all(in: flow)
        let asked = flow.authorizationRequests.lazy.compactMap { $0.parameters.parameter("client_id") }.first
        var found: [Violation] = []
        for call in calls {
            guard let assertion = call.assertion, assertion.token.claims != nil else { continue }
            if let federated = FederatedAssertion(of: call) {
                if federated.refusedClaim == .subject { found.append(federated.violation()) }
                if call.answer.isSuccess || AssertionRefusal.of(call) != nil { continue }
            }
            let own = call.parameters.parameter("client_id").flatMap {
                $0.value.isEmpty || Placeholder.isOne($0.value) ? nil : $0
            }
            let issuer = assertion.token.issuer.map(ByteText.init)
            let subject = assertion.token.subject.map(ByteText.init)
            let named = (own ?? asked).map { ByteText($0.value) }
            if named != nil, issuer == named, subject == named { continue }
            // A whole other client that exchanges the code, or pushes the request, is told as that.
            let isOtherClient =
                (call.kind == .token || call.kind == .pushedRequest) && issuer == subject && subject != nil
                && (own == nil || own.map { ByteText($0.value) } == subject)
            guard !isOtherClient else { continue }
            guard let expected = asked ?? own else {
                if issuer == nil || issuer != subject {
                    found.append(violation(assertion, issuer?.text, subject?.text, nil, call))
                }
                continue
            }
            let client = ByteText(expected.value)
            // The login's own, beside which the request names another one (RFC 7521, section 4.2).
            let contradicting = issuer == client && subject == client ? own : nil
            // Made by an issuer of its own for this client: the provider knows it.
            if call.answer.isSuccess, issuer.map({ RecordedURL($0.text).isWeb }) ?? false { continue }
            let other = contradicting ?? expected
            found.append(violation(assertion, issuer?.text, subject?.text, other, call))
        }
        return Violation.worst(of: found).map { .violated($0) } ?? .holds
    }

    private func violation(
        _ assertion: ClientAssertion,
        _ issuer: String?,
        _ subject: String?,
        _ expected: Parameter?,
        _ call: ClientCall
    ) -> Violation {
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
