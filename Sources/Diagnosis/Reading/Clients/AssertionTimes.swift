import Captures
import Flows
import JOSE
import OAuth

/// When a client's assertion is good, held against the clock of the answer to it (RFC 7523, section 3 (4 to 6)).
struct AssertionTimes {
    private let assertion: ClientAssertion
    /// The provider's clock; nil where its answer does not state it.
    let date: (text: String, seconds: Int64)?
    /// What is wrong, by claim; nothing is known without the provider's clock.
    let faults: [String: String]
    /// Seconds from `iat` to `exp` that are allowed; nil where that is not known.
    private let limit: Int64?

    init(of assertion: ClientAssertion, by call: ClientCall, in flow: Flow) {
        self.assertion = assertion
        let text = flow.capture[call.exchange].response?.headers.first("date")
        date = text.flatMap { text in Timestamp(httpDate: text).map { (text, $0.seconds) } }
        let limit = call.mayBlameClient ? Self.limit(flow.provider) : nil
        self.limit = limit
        faults = date.map { Self.faults(of: assertion.token, at: $0.seconds, limit: limit) } ?? [:]
    }

    /// Whether times of an assertion of the flow are wrong that are right by a clock which the provider's is so many seconds ahead of.
    ///
    /// `refused`: of one that was refused, and not taken later.
    static func areWrong(in flow: Flow, byClockBehind seconds: Int64, refused: Bool) -> Bool {
        ClientCall.all(in: flow).contains { call in
            guard !refused || call.severity == .error, let assertion = call.assertion,
                assertion.token.claims != nil
            else { return false }
            return AssertionTimes(of: assertion, by: call, in: flow).areWrong(byClockBehind: seconds)
        }
    }

    private func areWrong(byClockBehind seconds: Int64) -> Bool {
        guard let date, !faults.isEmpty else { return false }
        return Self.faults(of: assertion.token, at: date.seconds - seconds, limit: limit).isEmpty
    }

    /// Each time with what is wrong with it, and the clock that they are held against.
    var evidence: [Evidence] {
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
    private static func faults(of token: JSONWebToken, at now: Int64, limit: Int64?) -> [String: String] {
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

    static let fix =
        "Correct the clock of the host that signs, make a new assertion for each request instead of keeping one, and let it live for a minute or two."
}
