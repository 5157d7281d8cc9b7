import Captures
import Flows
import JSON
import OAuth

/// The provider takes pushed requests only, and this one was sent through the browser.
///
/// Providers say so in their metadata (RFC 9126, section 5), or for single clients in the registration (section 6).
struct PARRequired: Rule {
    static let info = RuleInfo(
        id: "par-required",
        title: "This provider takes only pushed authorization requests",
        severity: .error,
        explanation: """
            The parameters of the login came through the browser. This provider wants them pushed to it by the app beforehand, and refuses \
            whatever comes another way.
            """,
        fix: """
            POST the parameters to the pushed_authorization_request_endpoint, and send the browser off with client_id and the request_uri \
            from the answer.
            """,
        badExample: """
            "require_pushed_authorization_requests": true
            GET /authorize?response_type=code&client_id=shop&…  → 400
            """,
        goodExample: """
            POST /par  response_type=code&client_id=shop&…  → 201 {"request_uri":"urn:…","expires_in":60}
            GET /authorize?client_id=shop&request_uri=urn%3A…
            """,
        specifications: [.rfc(9126, "5")]
    )

    func verdict(on flow: Flow) -> Verdict {
        Verdict.first(of: flow.loginAttempts) { attempt in
            guard attempt.request != nil, attempt["request_uri"] == nil, let refusal = attempt.refusal,
                refusal.isOfTheRequest,
                [nil, "invalid_request", "unauthorized_client"].contains(refusal.error)
            else { return .holds }
            let statement = statement(of: attempt, flow)
            guard statement != nil || refusal.says(Self.texts) else { return .holds }
            return .violated(
                Violation(
                    (statement.map { [$0] } ?? [])
                        + [
                            attempt.missing("request_uri", note: "sent: \(attempt.names().value)"),
                            refusal.evidence(around: Self.texts),
                        ],
                    exchange: attempt.exchange
                )
            )
        }
    }

    /// Where metadata or registration says that requests have to be pushed.
    private func statement(of attempt: LoginAttempt, _ flow: Flow) -> Evidence? {
        let name = "require_pushed_authorization_requests"
        let registered = RegisteredClient.of(attempt["client_id"], before: attempt.exchange, in: flow)
        let stated = [
            flow.metadata(of: attempt)?.answer.parameters.parameter(name), registered?.answered(name),
        ]
        return stated.compactMap(\.self).first { $0.value == "true" }.map { Evidence($0) }
    }

    /// How providers word it, in lower case.
    private static let texts = [
        "pushed authorization request is only allowed", "par is required",
        "pushed authorization request is required",
        "pushed authorization requests are required", "must use pushed authorization request",
        "pushed authorization request must be used", "required to use pushed authorization request",
        "requires pushed authorization request",
    ]
}
