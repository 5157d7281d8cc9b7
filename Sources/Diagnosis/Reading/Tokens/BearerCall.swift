import Captures
import Flows
import JOSE
import OAuth

/// A call of UserInfo or of an API with a token in its `Authorization` header (RFC 6750, section 2).
struct BearerCall {
    var call: EndpointCall
    var isUserInfo: Bool
    var token: Parameter
    /// The answer that gave this access token out; nil where it is none, or not in the capture.
    var grant: TokenGrant?
    /// Whether the flow is nothing but calls: the login that got the token is not in the capture.
    var isLone = false

    /// Whether it is known to be the access token that was shown: one of this login's, or of one that was not recorded.
    var isWithAccessToken: Bool { grant != nil || isLone }
    /// Whether the capture was saved without the token.
    var isTokenLeftOut: Bool { token.value == BearerToken.leftOut }

    /// In order of time.
    static func all(in flow: Flow) -> [BearerCall] {
        let calls = flow.messages.compactMap { message -> (EndpointCall, Bool)? in
            switch message {
            case .userInfo(let call): (call, true)
            case .resource(let call): (call, false)
            default: nil
            }
        }
        guard !calls.isEmpty else { return [] }
        let isLone = flow.isOfCallsAlone
        let grants = Dictionary(
            TokenGrant.all(in: flow).compactMap { grant in
                grant.accessToken.flatMap { Placeholder.isOne($0) ? nil : ($0, grant) }
            }
        ) { first, _ in first }
        let refusals = unmendedUserInfo(calls).filter(flow.surroundings.mayLackCredentials(at:))
        return calls.compactMap { call, isUserInfo in
            (call.token ?? (refusals.contains(call.exchange) ? tokenLeftOut(of: call, flow) : nil)).map {
                BearerCall(
                    call: call,
                    isUserInfo: isUserInfo,
                    token: $0,
                    grant: grants[$0.value],
                    isLone: isLone
                )
            }
        }
    }

    /// The calls of UserInfo behind the last that went well.
    private static func unmendedUserInfo(_ calls: [(EndpointCall, Bool)]) -> Set<Int> {
        let all = calls.filter(\.1).map(\.0)
        return Set(all.reversed().prefix { !$0.answer.isSuccess }.map(\.exchange))
    }

    /// Who is told of a token that is invalid, or not enough, has shown one (RFC 6750, section 3.1).
    private static func tokenLeftOut(of call: EndpointCall, _ flow: Flow) -> Parameter? {
        guard call.answer.isRefusal,
            let error = BearerRefusal(of: call.exchange, in: flow).error(call.answer),
            ["invalid_token", "insufficient_scope"].contains(error)
        else { return nil }
        return BearerToken.leftOut(of: call.exchange)
    }

    /// Calls that were refused for their token and not repeated with success, with what was said.
    ///
    /// Those that went well with another token, in another flow of the client's, are told only where there are no others.
    static func refused(in flow: Flow, with statuses: Set<Int> = [401]) -> [(
        call: BearerCall, refusal: BearerRefusal
    )] {
        let calls = all(in: flow)
        let closed = EnvoyRefusal.closedOrigins(
            among: calls.filter { !$0.isUserInfo }.map(\.call),
            in: flow.capture
        )
        var later = LaterCalls(in: flow.surroundings)
        var refused: [(call: BearerCall, refusal: BearerRefusal)] = []
        for call in calls.reversed() {
            guard let status = call.call.answer.status else { continue }
            let isRefusedWithin = call.call.answer.refusesTokenWithin
            if status < 400, !isRefusedWithin {
                later.add(call.call)
            } else if !later.isRepaired(call.call) {
                let refusal = BearerRefusal(of: call.call.exchange, in: flow)
                // By other signs than the status a token is not refused that was good for more.
                guard
                    statuses.contains(status) || refusal.envoy == .token
                        || call.call.endpoint.origin.map(closed.contains) ?? false
                        || (isRefusedWithin || isTokenRefused(call, refusal))
                            && (call.isUserInfo || !later.hasTaken(call.call))
                else { continue }
                refused.append((call, refusal))
            }
        }
        let open = refused.filter { !flow.surroundings.isRenewed(after: $0.call.call) }
        return (open.isEmpty ? refused : open).reversed()
    }

    /// Whether the token is refused by the name for it (RFC 6750, section 3.1) with another status than 401.
    ///
    /// The JSON of an API may mean a token of its own.
    private static func isTokenRefused(_ call: BearerCall, _ refusal: BearerRefusal) -> Bool {
        // A provider that fails is told of by another rule.
        guard refusal.status >= 400, refusal.status < 500 || !call.isUserInfo else { return false }
        if GraphAPI.refusesToken(call.call) { return true }
        let error =
            call.isUserInfo
            ? refusal.error(call.call.answer) : refusal.challenges.lazy.compactMap { $0["error"] }.first
        return error == "invalid_token"
    }

    /// The token, where it is a signed one whose claims can be read.
    var claimsToken: JSONWebToken? {
        JSONWebToken.parse(token.value).flatMap { $0.claims == nil ? nil : $0 }
    }

    /// Whether it goes to the authorization server itself.
    func isAtProvider(_ flow: Flow) -> Bool {
        isUserInfo || call.endpoint.host.map(flow.providerHosts.contains) ?? false
    }

    var address: Evidence {
        Evidence(
            place: Place(exchange: call.exchange, part: .requestURL, name: ""),
            value: Masking.shown(call.endpoint.text, of: "url")
        )
    }

    /// A claim of the access token as evidence.
    func evidence(ofClaim name: String, _ value: String, note: String? = nil) -> Evidence {
        Evidence.claim(name, value, at: call.exchange, note: note)
    }
}
