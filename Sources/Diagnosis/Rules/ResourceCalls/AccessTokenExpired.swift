import Captures
import Flows
import OAuth

/// An API refused an access token that had run out by then.
///
/// Counted from the answer that gave it out, by the servers' clocks where both answers state them.
struct AccessTokenExpired: Rule {
    static let info = RuleInfo(
        id: "access-token-expired",
        title: "The access token had run out",
        severity: .error,
        explanation: """
            The call was refused, and it came later than the access token lasts: its expires_in had passed since the provider gave it out. The \
            client went on using it instead of fetching a new one.
            """,
        fix: """
            Look at the age of the access token before each call and refresh it in time; AppAuth does so in performAction(freshTokens:). On a 401, \
            refresh once and repeat the call.
            """,
        badExample: """
            09:15:00 POST /token → {"access_token":"…","expires_in":600}
            09:31:00 GET /orders, Authorization: Bearer … → 401
            """,
        goodExample: """
            09:15:00 POST /token → {"access_token":"…","expires_in":600}
            09:24:00 POST /token, grant_type=refresh_token
            09:31:00 GET /orders, Authorization: Bearer … (the new one) → 200
            """,
        specifications: [.rfc(6750, "3.1")]
    )

    func verdict(on flow: Flow) -> Verdict {
        var reason: String?
        for (call, refusal) in BearerCall.refused(in: flow) {
            guard let grant = call.grant else { continue }
            guard let lifetime = grant.lifetime, lifetime > 0 else {
                reason = "the capture does not say how long the access token lasts"
                continue
            }
            guard !refusal.reasons.contains(.scope) else { continue }
            let issued = AnswerTime(of: grant.exchange, in: flow)
            let refused = AnswerTime(of: call.call.exchange, in: flow)
            let age =
                issued.isStated && refused.isStated
                ? refused.time.seconds - issued.time.seconds
                : flow.capture[call.call.exchange].startedAt.seconds
                    - flow.capture[grant.exchange].endedAt.seconds
            guard age >= lifetime else { continue }
            return .violated(
                Violation(
                    [
                        Evidence(
                            place: Place(exchange: grant.exchange, part: .responseBody, name: "expires_in"),
                            value: "\(lifetime)",
                            note: "\(Span.text(lifetime))"
                        ),
                        .computed("age", Span.text(age), in: .timing, note: "at the time of the call"),
                        call.address, refusal.evidence,
                    ],
                    exchange: call.call.exchange
                )
            )
        }
        return reason.map { .abstains($0) } ?? .holds
    }
}
