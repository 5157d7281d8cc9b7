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
            SpecificationReference(
                text: "OpenID Connect Core §3.1.3.7 (9)",
                url: OpenIDConnect.core + "#IDTokenValidation"
            )
        ]
    )

    func verdict(on flow: Flow) -> Verdict {
        var reason: String?
        for delivered in flow.deliveredIDTokens {
            guard delivered.idToken.token.claims != nil else {
                reason = "the ID token is encrypted or unreadable"
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
            guard end <= answer.time.seconds else { continue }
            let late = Span.text(answer.time.seconds - end)
            return .violated(
                Violation(
                    [
                        delivered.evidence(ofTime: "exp", end, note: "\(late) before it came"),
                        answer.evidence(
                            note: !answer.isStated
                                ? "the recorder's clock"
                                : answer.exchange == given?.exchange
                                    ? "the provider's clock" : "the clock of the app's server"
                        ),
                    ],
                    exchange: delivered.idToken.place.exchange
                )
            )
        }
        return reason.map { .abstains($0) } ?? .holds
    }
}
