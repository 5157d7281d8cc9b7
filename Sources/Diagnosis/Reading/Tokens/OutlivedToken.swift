import Captures
import Flows
import JOSE
import OAuth

/// A token that was refused when it had run out (RFC 6750, section 3.1).
enum OutlivedToken {
    /// How old the token of a refused call was, or since when it was over; nil where it lasted still, or was refused for more.
    static func evidence(of call: BearerCall, _ refusal: BearerRefusal, in flow: Flow) -> [Evidence]? {
        guard !refusal.reasons.contains(.scope) else { return nil }
        return call.grant.flatMap { outlived($0, call.call.exchange, flow) ?? unborn($0, refusal) }
            ?? ended(call, refusal, flow)
    }

    /// A token exchange that brings a token which had run out (RFC 8693, section 2.1).
    struct Exchange: Sendable {
        let request: TokenRequest
        let token: Parameter
        let evidence: [Evidence]
    }

    /// The first of a flow that was refused.
    static func exchange(in flow: Flow) -> Exchange? {
        let grants = TokenGrant.all(in: flow)
        for request in flow.tokenRequests where request.isTokenExchange && isSubjectRefused(request) {
            guard let token = request.parameters.parameter("subject_token"), !Placeholder.isOne(token.value)
            else { continue }
            let grant = grants.first { $0.accessToken == token.value }
            let evidence =
                grant.flatMap { outlived($0, request.exchange, flow) }
                ?? ended(JSONWebToken.parse(token.value), request.exchange, flow, false) {
                    Evidence.claim($0, $1, at: request.exchange, note: $2)
                }
            if let evidence { return Exchange(request: request, token: token, evidence: evidence) }
        }
        return nil
    }

    /// Whether some token of the flow was refused so, be it that the client went for another one then.
    static func isAny(in flow: Flow) -> Bool { flow.derived.value { Known(in: flow) }.isAny }

    private struct Known: Sendable {
        let isAny: Bool

        init(in flow: Flow) {
            isAny =
                BearerCall.refused(in: flow).contains { evidence(of: $0, $1, in: flow) != nil }
                || exchange(in: flow) != nil
        }
    }

    /// By the `exp` of the token that was shown; where the API names another reason, that is the one.
    private static func ended(_ call: BearerCall, _ refusal: BearerRefusal, _ flow: Flow) -> [Evidence]? {
        let saysSo = refusal.reasons.contains(.expiry)
        guard saysSo || refusal.reasons.isEmpty, refusal.error(call.call.answer) != "use_dpop_nonce" else {
            return nil
        }
        return ended(call.claimsToken, call.call.exchange, flow, saysSo) {
            call.evidence(ofClaim: $0, $1, note: $2)
        }
    }

    /// A lifetime of nothing, where the API says that the token has run out: some mean by it that one lasts for ever.
    private static func unborn(_ grant: TokenGrant, _ refusal: BearerRefusal) -> [Evidence]? {
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
    private static func outlived(_ grant: TokenGrant, _ exchange: Int, _ flow: Flow) -> [Evidence]? {
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
    private static func ended(
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

    /// By the name for it, or by that of any faulty request with words about the token: the name itself says of nothing that it is invalid.
    private static func isSubjectRefused(_ request: TokenRequest) -> Bool {
        if request.isRefused(with: "invalid_grant", "invalid_token") { return true }
        let text = (request.answer.error?.description ?? "").lowercased()
        return request.isRefused(with: "invalid_request") && text.containsBytes("token")
            && !text.containsBytes("type")
            && ["expired", "invalid", "inactive", "not active"].contains(where: text.containsBytes)
    }
}
