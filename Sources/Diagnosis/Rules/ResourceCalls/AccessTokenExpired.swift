import Captures
import Flows
import JOSE
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
            let age = call.grant.flatMap { outlived($0, call.call.exchange, flow) ?? unborn($0, refusal) }
            guard let evidence = age ?? ended(call, refusal, flow) else {
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
        }.or(exchanged(in: flow))
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

    /// By the `exp` of the token that was shown; where the API names another reason, that is the one.
    private func ended(_ call: BearerCall, _ refusal: BearerRefusal, _ flow: Flow) -> [Evidence]? {
        let saysSo = refusal.reasons.contains(.expiry)
        guard saysSo || refusal.reasons.isEmpty, refusal.error(call.call.answer) != "use_dpop_nonce" else {
            return nil
        }
        return ended(call.claimsToken, call.call.exchange, flow, saysSo) {
            call.evidence(ofClaim: $0, $1, note: $2)
        }
    }

    /// A lifetime of nothing, where the API says that the token has run out: some mean by it that one lasts for ever.
    private func unborn(_ grant: TokenGrant, _ refusal: BearerRefusal) -> [Evidence]? {
        guard let lifetime = grant.lifetime, lifetime <= 0, refusal.reasons.contains(.expiry) else {
            return nil
        }
        return [
            Evidence(
                place: Place(exchange: grant.exchange, part: .responseBody, name: "expires_in"),
                value: "\(lifetime)",
                note: "the provider gave out a token that had run out when it came"
            )
        ]
    }

    /// The lifetime that the answer stated, and how old the token was by then; nil where it lasted still.
    private func outlived(_ grant: TokenGrant, _ exchange: Int, _ flow: Flow) -> [Evidence]? {
        guard let lifetime = grant.lifetime, lifetime > 0 else { return nil }
        let issued = AnswerTime(of: grant.exchange, in: flow)
        let refused = AnswerTime(of: exchange, in: flow)
        let age =
            issued.isStated && refused.isStated
            ? refused.time.seconds - issued.time.seconds
            : flow.capture[exchange].startedAt.seconds - flow.capture[grant.exchange].endedAt.seconds
        guard age >= lifetime else { return nil }
        return [
            Evidence(
                place: Place(exchange: grant.exchange, part: .responseBody, name: "expires_in"),
                value: "\(lifetime)",
                note: "\(Span.text(lifetime))"
            ),
            .computed("age", Span.text(age), in: .timing, note: "at the time of the call"),
        ]
    }

    /// The `exp` of a signed token (RFC 9068, section 4), where it was past when the answer came; nil where it was not.
    ///
    /// `saysSo`: the server speaks of it. Else the recorder's clock is not enough.
    private func ended(
        _ token: JSONWebToken?,
        _ exchange: Int,
        _ flow: Flow,
        _ saysSo: Bool,
        _ evidence: (String, String, String?) -> Evidence
    ) -> [Evidence]? {
        let refused = AnswerTime(of: exchange, in: flow)
        guard let end = token?.expiresAt, end > 0, let time = Timestamp(statedSeconds: end),
            saysSo || refused.isStated
        else { return nil }
        let past = refused.time.seconds - end
        guard past > 0 else { return nil }
        return [
            evidence("exp", time.rfc3339, "over for \(Span.text(past))"),
            refused.evidence(note: refused.isStated ? "the server's clock" : nil),
        ]
    }

    /// A token exchange that brings a token which had run out (RFC 8693, section 2.1).
    private func exchanged(in flow: Flow) -> Violation? {
        let grants = TokenGrant.all(in: flow)
        for request in flow.tokenRequests
        where request.isTokenExchange && isSubjectRefused(request) {
            guard let token = request.parameters.parameter("subject_token"), !Placeholder.isOne(token.value)
            else { continue }
            let grant = grants.first { $0.accessToken == token.value }
            let evidence =
                grant.flatMap { outlived($0, request.exchange, flow) }
                ?? ended(JSONWebToken.parse(token.value), request.exchange, flow, false) {
                    name,
                    value,
                    note in
                    Evidence(
                        place: Place(exchange: request.exchange, part: .jwtClaims, name: name),
                        value: value,
                        note: note
                    )
                }
            guard let evidence else { continue }
            return Violation(
                evidence + [Evidence(token), request.answer.evidence()],
                explanation:
                    "The token exchange was refused, and it came later than its subject_token lasts: the client held on to a token that had run out.",
                fix: "Exchange the token while it lasts, or refresh it first and exchange the new one.",
                title: "The subject token had run out",
                exchange: request.exchange,
                explains: ["token-endpoint-error", "token-invalid-grant"]
            )
        }
        return nil
    }

    /// By the name for it, or by that of any faulty request with words about the token: the name itself says of nothing that it is invalid.
    private func isSubjectRefused(_ request: TokenRequest) -> Bool {
        if request.isRefused(with: "invalid_grant", "invalid_token") { return true }
        let text = (request.answer.error?.description ?? "").lowercased()
        return request.isRefused(with: "invalid_request") && text.containsBytes("token")
            && !text.containsBytes("type")
            && ["expired", "invalid", "inactive", "not active"].contains(where: text.containsBytes)
    }
}
