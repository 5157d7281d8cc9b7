import Captures
import Flows
import JOSE
import OAuth

/// By the provider's clock the client assertion was out of date, not yet valid, or valid for too long.
///
/// Measured against the `Date` of the answer; without one nothing is said. How long an assertion may be valid
/// is a provider's own rule and told only where the client was refused. What a provider says against times that are right stands with its
/// refusal (``StatedAssertionRefusal``).
struct ClientAssertionTime: Rule {
    static let info = RuleInfo(
        id: "client-assertion-time",
        title: "The client assertion is expired, not yet valid or valid too long",
        severity: .errorWhenRefused,
        explanation: """
            A client_assertion is good from iat (or nbf) to exp. When the provider got it, its own clock was outside of that span, or the span \
            is longer than the provider allows.
            """,
        fix: AssertionTimes.fix,
        badExample: """
            client_assertion: {"iat":1772615000,"exp":1772615060,…}
            401 invalid_client   Date: 1772615300
            """,
        goodExample: """
            client_assertion: {"iat":1772615299,"exp":1772615359,…}
            200   Date: 1772615300
            """,
        specifications: [.rfc(7523, "3")]
    )

    func verdict(on flow: Flow) -> Verdict {
        var found: [Violation] = []
        var isUnknown = false
        var difference: Int64?
        for call in ClientCall.all(in: flow) {
            guard let assertion = call.assertion, assertion.token.claims != nil else { continue }
            let times = AssertionTimes(of: assertion, by: call, in: flow)
            guard let now = times.date?.seconds else {
                isUnknown = true
                continue
            }
            let clock = SigningClock(of: assertion.token, at: now, previous: difference)
            difference = clock?.ahead ?? difference
            guard !times.faults.isEmpty else { continue }
            found.append(
                Violation(
                    times.evidence + [call.answer.evidence()],
                    variant: clock?.variant,
                    severity: call.severity,
                    explanation: clock?.explanation(of: "client assertion"),
                    fix: clock?.fix,
                    title: clock?.title(of: "client assertion"),
                    exchange: call.exchange
                )
            )
        }
        if let worst = Violation.worst(of: found) { return .violated(worst) }
        return isUnknown ? .abstains("the answer has no Date header") : .holds
    }
}
