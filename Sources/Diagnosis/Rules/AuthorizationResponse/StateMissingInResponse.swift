import Captures
import Flows
import JOSE
import OAuth

/// The request had a `state`, and the answer brings none back.
struct StateMissingInResponse: Rule {
    static let info = RuleInfo(
        id: "state-missing-in-response",
        title: "The provider did not return `state`",
        severity: .error,
        explanation: """
            The request carried a state, which the provider has to send back unchanged. The answer has none, so the app cannot tell which \
            login it belongs to; most clients refuse it.
            """,
        fix: """
            Find out whether the redirect already lacks it, then the provider drops it, or only the request that reached the app, then a proxy \
            or a rewriting rule before the app does.
            """,
        badExample: """
            GET /authorize?…&state=Zk3xQ2
            302 Location: https://app.example/callback?code=…
            """,
        goodExample: """
            GET /authorize?…&state=Zk3xQ2
            302 Location: https://app.example/callback?code=…&state=Zk3xQ2
            """,
        specifications: [.rfc(6749, "4.1.2")]
    )

    func verdict(on flow: Flow) -> Verdict {
        if flow.authorizationRequests.isEmpty, !flow.authorizationResponses.isEmpty {
            return .abstains(Gap.beginning)
        }
        return Verdict.first(of: flow.loginAttempts) { attempt in
            guard let sent = attempt.parameter("state"), let response = attempt.response else {
                return .holds
            }
            guard !response.isSigned else { return signed(response, sent, flow) }
            let arrived = response.arrived
            // A parameter without a value is one that was left out (RFC 6749, section 3.1).
            guard arrived.contains("code") || arrived.contains("error"), (arrived["state"] ?? "").isEmpty
            else { return .holds }
            var evidence = [Evidence(sent), response.missing("state", note: "arrived without it")]
            evidence[1].place = Place(
                exchange: arrived.items.first?.place.exchange,
                part: arrived.items.first?.place.part ?? .responseLocation,
                name: "state"
            )
            if let redirected = response.parameters.parameter("state"), !redirected.value.isEmpty {
                evidence.append(Evidence(redirected, note: "still there in the redirect"))
            }
            let isLostOnTheWay = evidence.count > 2
            let fault = isLostOnTheWay ? nil : response.deliveredBy
            return .violated(
                Violation(
                    evidence,
                    severity: isCancelled(flow) ? .warning : nil,
                    exchange: fault ?? evidence[1].place.exchange
                )
            )
        }
    }

    /// What is signed has to have it inside (JARM, section 2.1); some send it beside that, too.
    private func signed(_ response: AuthorizationResponse, _ sent: Parameter, _ flow: Flow) -> Verdict {
        let claims = response.claims
        guard let first = claims.items.first, claims.contains("code") || claims.contains("error"),
            (claims["state"] ?? response.parameters["state"] ?? "").isEmpty
        else { return .holds }
        let missing = Evidence(first, note: "the signed response is without it").missing("state")
        return .violated(
            Violation(
                [Evidence(sent), missing],
                severity: isCancelled(flow) ? .warning : nil,
                exchange: response.exchange
            )
        )
    }

    /// Who did not want to sign in was not kept from it by that.
    private func isCancelled(_ flow: Flow) -> Bool { Cancellation(in: flow) != nil }
}
