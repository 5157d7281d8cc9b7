import Captures
import Flows
import JSON
import OAuth

/// The browser came with the pushed request after that had run out.
///
/// The answer to the push says for how many seconds it may be used (RFC 9126, section 2.2). Counted by the provider's
/// clock where its answers carry a date.
struct PARRequestURIExpired: Rule {
    static let info = RuleInfo(
        id: "par-request-uri-expired",
        title: "The pushed request was used too late",
        severity: .error,
        explanation: """
            A pushed request lives for a short time only. Between pushing it and sending the browser off more time went by than the provider \
            allows, so it did not know the request any more.
            """,
        fix: "Push when the user asks to sign in, right before the redirect; not when the page is drawn.",
        badExample: """
            POST /par  → 201 {"request_uri":"urn:…","expires_in":60}
            GET /authorize?client_id=shop&request_uri=urn%3A…  three minutes later → 400
            """,
        goodExample: """
            POST /par  → 201 {"request_uri":"urn:…","expires_in":60}
            GET /authorize?client_id=shop&request_uri=urn%3A…  a second later → 200
            """,
        specifications: [.rfc(9126, "2.2")]
    )

    func verdict(on flow: Flow) -> Verdict {
        let chain = RedirectsOnward(flow)
        return Verdict.firstViolation(among: flow.authorizationRequests) { request in
            guard let pushed = request.pushed, let uri = request.parameters.parameter("request_uri") else {
                return .holds
            }
            let answer = Answer(of: flow.capture[pushed], at: pushed)
            guard let lifetime = answer.json?["expires_in"]?.int, lifetime >= 0, lifetime < 1 << 31 else {
                return .abstains("the answer to the push does not say how long it may be used")
            }
            let age = ServerTime.between(pushed, request.exchange, in: flow)
            guard age > .seconds(lifetime), let refusal = flow.refusal(of: request, chain),
                refusal.isOfTheRequest
            else {
                return .holds
            }
            return .violated(
                Violation(
                    [
                        Evidence(place: answer.place("expires_in"), value: "\(lifetime)", note: "seconds"),
                        Evidence(
                            uri,
                            note: "used \(Int(age.components.seconds).counted("second")) after it was issued"
                        ),
                        refusal.evidence(),
                    ],
                    exchange: request.exchange
                )
            )
        }
    }
}
