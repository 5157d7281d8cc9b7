import Captures
import Flows
import JOSE
import OAuth

/// The ID token is issued, or begins to hold, at a time that had not come when it was delivered.
///
/// By the provider's own clock: the node that signs and the one that answers do not agree. Up to a minute is left
/// alone, as clients do (RFC 7519, section 4.1.5).
struct IDTokenNotYetValid: Rule {
    static let info = RuleInfo(
        id: "id-token-not-yet-valid",
        title: "The ID token is from the future",
        severity: .error,
        explanation: """
            The iat or nbf claim of the ID token lies ahead of the very answer that brought it, by the provider's own clock. Clients refuse a token \
            that is not valid yet.
            """,
        fix:
            "Set the clocks of the provider's nodes by one time server; see that times in tokens are seconds, not milliseconds.",
        badExample: """
            200 OK, Date: Thu, 26 Mar 2026 09:15:00 GMT
            id_token claims {"iat":1774517100, …}, which is 09:25:00
            """,
        goodExample: """
            200 OK, Date: Thu, 26 Mar 2026 09:15:00 GMT
            id_token claims {"iat":1774516500, …}, which is 09:15:00
            """,
        specifications: [
            .openIDConnectCore("3.1.3.7 (10)", "IDTokenValidation"), .rfc(7519, "4.1.5"),
        ]
    )

    private static let leeway: Int64 = 60

    private static let inOtherUnit = Violation.Words(
        title: "The ID token has its times in milliseconds",
        explanation: """
            The times in the ID token are not in seconds since 1970, as they have to be (NumericDate, RFC 7519, section 2): read so, the token is issued in \
            thousands of years. Every client has to refuse it, or takes it for good for ever where it looks at exp alone.
            """,
        fix: """
            Have the provider write iat, nbf and exp in seconds: most languages count milliseconds, which have to be divided by 1,000.
            """
    )

    func verdict(on flow: Flow) -> Verdict {
        Verdict.firstViolation(among: flow.deliveredIDTokens) { delivered in
            let token = delivered.idToken.token
            guard token.claims != nil else {
                return .abstains(Gap.idTokenClaims)
            }
            guard let answer = delivered.delivery(in: flow), answer.isStated else {
                return .abstains("the answer with the ID token does not state the provider's time")
            }
            let now = answer.time.seconds
            let ahead = [("nbf", token.notBefore), ("iat", token.issuedAt)].compactMap { name, time in
                time.flatMap { $0 - now > Self.leeway ? (name: name, time: $0) : nil }
            }
            guard let first = ahead.first else { return .holds }
            let isInMilliseconds = SigningClock.isInMilliseconds(first.time)
            let isSlight = first.name == "iat" && first.time - now < 300 && flow.wentOn(after: delivered)
            return .violated(
                Violation(
                    ahead.map {
                        delivered.evidence(
                            ofTime: $0.name,
                            $0.time,
                            note: SigningClock.isInMilliseconds($0.time)
                                ? SigningClock.inMilliseconds
                                : "\(Span.text($0.time - now)) after it came"
                        )
                    } + [answer.evidence(note: "the provider's clock")],
                    severity: isSlight ? .warning : nil,
                    saying: isInMilliseconds ? Self.inOtherUnit : nil,
                    exchange: delivered.idToken.place.exchange
                )
            )
        }
    }
}
