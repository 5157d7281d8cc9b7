import Captures
import Flows
import JOSE
import OAuth

/// The ID token had run out when the provider gave it out.
///
/// `exp` has to lie ahead (OpenID Connect Core, section 3.1.3.7 (9)). Judged by the provider's own clock where its
/// answer states it; a device with a wrong clock is another matter.
struct IDTokenExpired: Rule {
    static let info = RuleInfo(
        id: "id-token-expired",
        title: "The ID token was already expired when it arrived",
        severity: .error,
        explanation: """
            The exp claim of the ID token lies before the moment at which the provider delivered it, by the provider's own clock. Every client has \
            to refuse it.
            """,
        fix: """
            Look at the clock of the node that signs tokens and at the lifetime of ID tokens in the provider's settings; see that no cache or test \
            double serves an old answer.
            """,
        badExample: """
            200 OK, Date: Thu, 26 Mar 2026 09:15:00 GMT
            id_token claims {"exp":1774516200, …}, which is 09:10:00
            """,
        goodExample: """
            200 OK, Date: Thu, 26 Mar 2026 09:15:00 GMT
            id_token claims {"exp":1774517100, …}, which is 09:25:00
            """,
        specifications: [
            .openIDConnectCore("3.1.3.7 (9)", "IDTokenValidation")
        ]
    )

    func verdict(on flow: Flow) -> Verdict {
        var reason: String?
        var old: Violation?
        for delivered in flow.deliveredIDTokens {
            guard delivered.idToken.token.claims != nil else {
                reason = Gap.idTokenClaims
                continue
            }
            let given = delivered.delivery(in: flow)
            guard let end = delivered.idToken.token.expiresAt,
                let answer = delivered.showing(in: flow) ?? given
            else {
                continue
            }
            guard answer.isStated || flow.capture[answer.exchange].isZoneKnown else {
                reason = "neither the provider's time nor the recorder's is known"
                continue
            }
            guard end <= answer.time.seconds else {
                old = old ?? (given.flatMap { Self.isOld(delivered, $0, flow) })
                continue
            }
            let isByProvider = answer.exchange == given?.exchange
            var expired = violation(delivered, end, answer, isByProvider: isByProvider)
            if Self.isKept(delivered, flow) {
                expired.explanation = Self.kept
                expired.fix = Self.keptFix
            }
            return .violated(expired)
        }
        return old.map { .violated($0) } ?? reason.map { .abstains($0) } ?? .holds
    }

    /// `isByProvider`: the answer that shows it is the one that brought the token.
    private func violation(
        _ delivered: DeliveredIDToken,
        _ end: Int64,
        _ answer: AnswerTime,
        isByProvider: Bool
    ) -> Violation {
        // A time of 1970 or 1971 is what a lifetime looks like.
        let isSpan = (0..<63_072_000).contains(end)
        let late = Span.text(answer.time.seconds - end)
        return Violation(
            [
                delivered.evidence(
                    ofTime: "exp",
                    end,
                    note: isSpan
                        ? "\(Span.text(end)), a lifetime; a time is expected" : "\(late) before it came"
                ),
                answer.evidence(
                    note: !answer.isStated
                        ? "the recorder's clock"
                        : isByProvider ? "the provider's clock" : "the clock of the app's server"
                ),
            ],
            fix: isSpan
                ? "Have the provider write the time of the end into exp, in seconds since 1970: iat and the lifetime together."
                : nil,
            title: isSpan ? "The ID token's exp is a lifetime, and no time" : nil,
            exchange: delivered.idToken.place.exchange
        )
    }

    /// Whether a refresh was answered with an ID token that was there before.
    private static func isKept(_ delivered: DeliveredIDToken, _ flow: Flow) -> Bool {
        delivered.isOfRefresh
            && flow.deliveredIDTokens.contains { earlier in
                earlier.idToken.place.exchange != delivered.idToken.place.exchange
                    && earlier.idToken.token == delivered.idToken.token
            }
    }

    /// Whether an app made a request, and is seen at work behind it: whoever is a server there looks at no ID token of a refresh mostly.
    ///
    /// What its library for reports sends by itself tells nothing of that.
    private static func isOfApp(_ request: TokenRequest, _ flow: Flow) -> Bool {
        let position = flow.surroundings.position
        return flow.capture[request.exchange].request.isByNativeApp
            && flow.surroundings.order.contains {
                position[$0] > position[request.exchange] && flow.capture[$0].request.isByNativeApp
                    && !Telemetry.isOne(flow.capture[$0].request)
            }
    }

    private static let kept = """
        The provider answered the refresh with the ID token of an earlier answer. A new one has the time of its own issue as iat (OpenID Connect Core, section 12.2); AppAuth, on iOS \
        and on Android, checks it like that of the login and refuses the whole answer: "ID Token expired", or "Issued at time is more than 600 seconds before or after the current time".
        """
    private static let keptFix = """
        Have the provider make a new ID token for each refresh, or leave it out of the answer, which it may. An app of one's own can ask for it by a refresh without openid in its scope, where the provider \
        goes by that.
        """

    /// What AppAuth takes for too old, on iOS and on Android: `iat` is more than ten minutes away.
    private static let oldest: Int64 = 600

    /// A token of an earlier answer that a refresh brought to an app once more, which has not run out and which the app made nothing of.
    private static func isOld(_ delivered: DeliveredIDToken, _ given: AnswerTime, _ flow: Flow) -> Violation?
    {
        guard let request = delivered.tokenRequest, given.isStated, isKept(delivered, flow),
            isOfApp(request, flow), let issued = delivered.idToken.token.issuedAt, issued > 0,
            !flow.wentOn(after: delivered)
        else { return nil }
        let age = given.time.seconds - issued
        guard age > oldest else { return nil }
        return Violation(
            [
                delivered.evidence(ofTime: "iat", issued, note: "\(Span.text(age)) before it came"),
                given.evidence(note: "the provider's clock"),
            ],
            severity: .note,
            explanation: kept,
            fix: keptFix,
            title: "The ID token was issued long before it came",
            exchange: delivered.idToken.place.exchange
        )
    }
}
