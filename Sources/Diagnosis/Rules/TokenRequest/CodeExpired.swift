import Captures
import Flows
import OAuth

/// The code lay around for longer than this provider keeps codes, and was refused then.
///
/// Codes live for a minute or a few (RFC 6749, section 4.1.2, allows ten at most). Time is measured by the
/// provider's own clock where both of its answers carry a date.
struct CodeExpired: Rule {
    static let info = RuleInfo(
        id: "code-expired",
        title: "The code was exchanged too late",
        severity: .error,
        explanation: """
            Between the provider's redirect with the code and the token request more time passed than a code lives at this provider, so it \
            was refused.
            """,
        fix: """
            Exchange the code as soon as the callback has it. Look for what waits in between: a page the user has to confirm, a queue, an app \
            that sleeps in the background, a debugger.
            """,
        badExample: """
            09:15:00  302 → https://app.example/callback?code=…
            09:27:10  POST /token  grant_type=authorization_code&code=…  → 400 invalid_grant
            """,
        goodExample: """
            09:15:00  302 → https://app.example/callback?code=…
            09:15:01  POST /token  grant_type=authorization_code&code=…  → 200
            """,
        specifications: [.rfc(6749, "4.1.2")]
    )

    func verdict(on flow: Flow) -> Verdict {
        let late = LateCode(in: flow)
        if let age = late.age { return .violated(violation(age, flow)) }
        return late.isDeliveryUnseen ? .abstains("when the code was delivered is not in the capture") : .holds
    }

    private func violation(_ found: LateCode.Age, _ flow: Flow) -> Violation {
        let age = Evidence(
            place: Place(exchange: found.request.exchange, part: .timing, name: "age of the code"),
            value: "\(found.seconds) s",
            note:
                "by \(found.clock); codes of \(found.lifetime.provider) live for \(found.lifetime.seconds) s"
        )
        let sent = found.request.parameters.parameter("code").map {
            Evidence($0, note: "sent \(found.seconds) s later")
        }
        let evidence = [delivery(of: found.response, flow), sent, age, found.refused.answer.evidence()]
        return Violation(evidence.compactMap(\.self), exchange: found.request.exchange)
    }

    /// The code where it is seen first, in the redirect: the callback itself may be what was late.
    private func delivery(of response: AuthorizationResponse, _ flow: Flow) -> Evidence? {
        response.parameter("code").map { code in
            var delivered = Evidence(code, note: "delivered")
            if let page = response.deliveredBy, flow.capture[page].response?.location != nil {
                delivered.place = Place(exchange: page, part: .responseLocation, name: "code")
            }
            return delivered
        }
    }
}
