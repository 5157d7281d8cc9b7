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
        fix:
            "Correct the clock of the host that signs, make a new assertion for each request instead of keeping one, and let it live for a minute or two.",
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
        let calls = ClientCall.all(in: flow)
        var found: [Violation] = []
        var isUnknown = false
        var difference: Int64?
        for call in calls {
            guard let assertion = call.assertion, assertion.token.claims != nil else { continue }
            guard let date = flow.capture[call.exchange].response?.headers.first("date"),
                let now = Timestamp(httpDate: date)?.seconds
            else {
                isUnknown = true
                continue
            }
            let clock = SigningClock(of: assertion.token, at: now, previous: difference)
            difference = clock?.ahead ?? difference
            let faults = faults(
                of: assertion.token,
                at: now,
                limit: call.mayBlameClient ? Self.limit(flow.provider) : nil
            )
            guard !faults.isEmpty else { continue }
            found.append(
                Violation(
                    Self.times(of: assertion, faults, date: (date, now)) + [call.answer.evidence()],
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

    /// The times of an assertion, each with what is wrong with it, and the clock that they are held against.
    static func times(
        of assertion: ClientAssertion,
        _ faults: [String: String] = [:],
        date: (text: String, seconds: Int64)?
    ) -> [Evidence] {
        var evidence: [Evidence] = []
        for (name, value) in [
            ("iat", assertion.token.issuedAt), ("nbf", assertion.token.notBefore),
            ("exp", assertion.token.expiresAt),
        ] {
            guard value != nil || faults[name] != nil else { continue }
            evidence.append(
                Evidence(
                    place: assertion.place(ofClaim: name),
                    value: value.map { "\($0)" } ?? "missing",
                    note: faults[name]
                )
            )
        }
        if let date {
            evidence.append(
                Evidence(
                    place: Place(
                        exchange: assertion.place(ofClaim: "exp").exchange,
                        part: .responseHeader,
                        name: "Date"
                    ),
                    value: date.text,
                    note: "\(date.seconds), the provider's clock"
                )
            )
        }
        return evidence
    }

    /// What is wrong, by claim.
    private func faults(of token: JSONWebToken, at now: Int64, limit: Int64?) -> [String: String] {
        var faults: [String: String] = [:]
        if let end = token.expiresAt {
            if now - end > 5 { faults["exp"] = "over for \(now - end) s" }
            if let start = token.issuedAt, let limit, end - start > limit {
                faults["exp"] = "\(end - start) s after iat; this provider allows \(limit) s"
            }
        } else {
            faults["exp"] = "an assertion has to end"
        }
        for (name, start) in [("iat", token.issuedAt), ("nbf", token.notBefore)] {
            if let start, start - now > 60 {
                faults[name] =
                    SigningClock.isInMilliseconds(start)
                    ? SigningClock.inMilliseconds : "\(start - now) s ahead"
            }
        }
        return faults
    }

    /// Seconds from `iat` to `exp`; nil where no limit is known.
    private static func limit(_ provider: ProviderKind) -> Int64? {
        switch provider {
        case .singpass: 120
        case .myinfo: 300
        case .okta: 3600
        default: nil
        }
    }
}
