import Flows
import OAuth

/// An API refused an access token that had run out by then.
///
/// Counted from the answer that gave it out, by the servers' clocks where both answers state them, or read off the
/// `exp` of a signed token. The `subject_token` of a token exchange counts as well.
struct AccessTokenExpired: Rule {
    static let info = RuleInfo(
        id: "access-token-expired",
        title: "The access token had run out",
        severity: .error,
        explanation: """
            The call was refused, and it came later than the access token lasts (its expires_in, or its exp). The \
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
        Verdict.firstViolation(among: BearerCall.refused(in: flow)) { call, refusal in
            guard !refusal.reasons.contains(.scope) else { return .holds }
            guard let evidence = OutlivedToken.evidence(of: call, refusal, in: flow) else {
                return call.grant.map { ($0.lifetime ?? 0) <= 0 } ?? false
                    ? .abstains("the capture does not say how long the access token lasts") : .holds
            }
            let isAnswered =
                flow.surroundings.isRenewed(after: call.call) || isRefreshRefused(after: call.call, flow)
            return .violated(
                Violation(
                    evidence + [call.address, refusal.evidence],
                    severity: isAnswered ? .note : nil,
                    saying: isAnswered ? Self.answered : nil,
                    exchange: call.call.exchange
                )
            )
        }.or(OutlivedToken.exchange(in: flow).map(violation))
    }

    private func violation(_ exchange: OutlivedToken.Exchange) -> Violation {
        Violation(
            exchange.evidence + [Evidence(exchange.token), exchange.request.answer.evidence()],
            explanation:
                "The token exchange was refused, and it came later than its subject_token lasts: the client held on to a token that had run out.",
            fix: "Exchange the token while it lasts, or refresh it first and exchange the new one.",
            title: "The subject token had run out",
            exchange: exchange.request.exchange,
            explains: ["token-endpoint-error", "token-invalid-grant"]
        )
    }

    private static let answered = Violation.Words(
        explanation: """
            The call was refused, and it came later than the access token lasts (its expires_in, or its exp). The client then went for a new \
            one, as it is meant to; how that went is told by itself, where it was recorded.
            """,
        fix: """
            The refusal can be spared by looking at the age of the access token before each call; AppAuth does so in \
            performAction(freshTokens:).
            """
    )

    /// Whether the client took the refusal as it is meant to and asked for another token, which it was not given: it is that, and not
    /// the age of the old one, that stopped it.
    ///
    /// A refresh that was saved without its form is known by standing behind the call.
    private func isRefreshRefused(after call: EndpointCall, _ flow: Flow) -> Bool {
        let position = flow.surroundings.position
        return flow.tokenRequests.contains {
            ($0.isRefresh || $0.parameters.isEmpty) && !$0.answer.isSuccess
                && position[$0.exchange] > position[call.exchange]
        }
    }
}
