import Captures
import Flows
import JOSE
import OAuth

/// Issuer and subject of the client assertion are not the client that makes the request.
///
/// Both have to be the `client_id` (OpenID Connect Core, section 9). Statements that another issuer makes for a
/// client, which some providers take, are left alone where they were taken.
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
        specifications: [.rfc(7523, "3")]
    )

    func verdict(on flow: Flow) -> Verdict {
        let calls = ClientCall.all(in: flow)
        let asked = flow.authorizationRequests.lazy.compactMap { $0.parameters.parameter("client_id") }.first
        var found: [Violation] = []
        for call in calls {
            guard let assertion = call.assertion, assertion.token.claims != nil else { continue }
            let own = call.parameters.parameter("client_id").flatMap { $0.value.isEmpty ? nil : $0 }
            let issuer = assertion.token.issuer
            let subject = assertion.token.subject
            // A whole other client that exchanges the code, or pushes the request, is told as that.
            let isOtherClient =
                (call.kind == .token || call.kind == .pushedRequest) && issuer == subject && subject != nil
                && (own == nil || own?.value == subject)
            guard !isOtherClient else { continue }
            guard let expected = asked ?? own else {
                if issuer == nil || subject == nil || issuer != subject {
                    found.append(violation(assertion, issuer, subject, nil, call))
                }
                continue
            }
            guard issuer != expected.value || subject != expected.value else { continue }
            // Made by an issuer of its own for this client: the provider knows it.
            if call.answer.isSuccess, issuer.map({ RecordedURL($0).isWeb }) ?? false { continue }
            found.append(violation(assertion, issuer, subject, expected, call))
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
        var evidence = [("iss", issuer), ("sub", subject)].map { name, value in
            Evidence(
                place: assertion.place(ofClaim: name),
                value: value.map { Masking.shown($0, of: name) } ?? "missing",
                note: expected.map { $0.value == value ? "the client" : "another one" }
            )
        }
        if let expected { evidence.append(Evidence(expected, note: "the client of this login")) }
        evidence.append(call.answer.isSuccess ? call.answer.statusEvidence() : call.answer.evidence())
        return Violation(evidence, severity: call.severity, exchange: call.exchange)
    }
}
