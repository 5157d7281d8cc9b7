import Flows

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
            guard let required = RequiredPush(of: attempt, in: flow) else { return .holds }
            return .violated(
                Violation(
                    (required.statement.map { [$0] } ?? [])
                        + [
                            attempt.missing("request_uri", note: "sent: \(attempt.names().value)"),
                            required.refusal.evidence(around: RequiredPush.texts),
                        ],
                    exchange: attempt.exchange
                )
            )
        }
    }
}
