import Captures
import Flows
import JOSE
import OAuth

/// The request looks like one of OpenID Connect and is none, for its scope has no `openid`.
///
/// That word alone makes the difference (OpenID Connect Core, section 3.1.2.1). Without it a provider may leave out
/// the ID token, and refuse UserInfo.
struct ScopeOpenidMissing: Rule {
    static let info = RuleInfo(
        id: "scope-openid-missing",
        title: "The request is not an OpenID request: scope has no openid",
        severity: .warning,
        explanation: """
            The app wants to know who signs in: it sends parameters of OpenID Connect, or asks UserInfo later. But without openid in the \
            scope the provider takes the request as plain OAuth, owes no ID token and may ignore those parameters.
            """,
        fix: "Add openid to the scope.",
        badExample:
            "GET /authorize?response_type=code&client_id=shop&scope=profile+email&nonce=n-0S6_WzA2Mj&…",
        goodExample:
            "GET /authorize?response_type=code&client_id=shop&scope=openid+profile+email&nonce=n-0S6_WzA2Mj&…",
        specifications: [
            .openIDConnectCore("3.1.2.1", "AuthRequest")
        ]
    )

    func verdict(on flow: Flow) -> Verdict {
        // Both are OAuth with data scopes, and send parameters of the same names.
        if flow.provider == .github || flow.provider == .myinfo { return .holds }
        // Apple issues an ID token whatever the scope; its scopes are name and email.
        if flow.provider == .apple { return .holds }
        return Verdict.first(of: flow.loginAttempts) { attempt in
            // What stands between them wrongly, escaped once too often or not, is told by another rule.
            let scopes = PercentEncoding.decode(attempt["scope"] ?? "").utf8.split {
                $0 == 0x20 || $0 == 0x2c || $0 == 0x2b
            }
            guard !scopes.contains(where: { $0.elementsEqual("openid".utf8) }) else { return .holds }
            if let reason = attempt.hiddenParameters { return .abstains(reason) }
            guard !Self.isOfTheFirstEndpoint(attempt, flow), let sign = sign(in: attempt, flow) else {
                return .holds
            }
            if attempt["scope"].map(Placeholder.isOne) ?? false {
                return .abstains("the scope was taken out of the capture: it may have had openid")
            }
            let scope = attempt.parameter("scope").map { Evidence($0, note: "without openid") }
            return .violated(
                Violation(
                    [scope ?? attempt.missing("scope"), sign.evidence],
                    explanation: sign.isRefusal ? MissingOpenID.explanation : nil,
                    exchange: attempt.exchange
                )
            )
        }
    }

    /// What shows that an OpenID login is meant, and whether that is a call of UserInfo which was refused.
    private func sign(in attempt: LoginAttempt, _ flow: Flow) -> (evidence: Evidence, isRefusal: Bool)? {
        let userInfo = userInfo(in: flow)
        if let userInfo, userInfo.isRefusal { return userInfo }
        if attempt.responseTypes.contains("id_token"), let type = attempt.parameter("response_type") {
            return (Evidence(type, note: "asks for an ID token"), false)
        }
        for name in OpenIDIntent.parameterNames {
            guard let parameter = attempt.parameter(name) else { continue }
            if let request = attempt.request, OpenIDIntent.isHabit(parameter, of: request, in: flow) {
                continue
            }
            return (Evidence(parameter, note: "a parameter of OpenID Connect"), false)
        }
        return userInfo
    }

    /// A call of UserInfo, the one that was refused before others.
    private func userInfo(in flow: Flow) -> (evidence: Evidence, isRefusal: Bool)? {
        let documents = flow.serverMetadata.filter { $0.endpoint("userinfo_endpoint") != nil }
        let calls = flow.messages.compactMap { message -> EndpointCall? in
            guard case .userInfo(let call) = message else { return nil }
            // Without metadata, what has the name of it and refuses a token that its own provider has just issued.
            let isOne =
                documents.isEmpty
                ? isRefusedAtOnce(call, flow)
                : documents.contains { $0.names(call.endpoint, as: "userinfo_endpoint") }
            return isOne ? call : nil
        }
        let refused = calls.first { [401, 403].contains($0.answer.status ?? 0) }
        return (refused ?? calls.first).map { call in
            let place = Place(exchange: call.exchange, part: .requestURL, name: "")
            let note = refused == nil ? "UserInfo is asked later" : "UserInfo is asked, and refuses the token"
            return (Evidence(place: place, value: call.endpoint.text, note: note), refused != nil)
        }
    }

    private func isRefusedAtOnce(_ call: EndpointCall, _ flow: Flow) -> Bool {
        guard let token = call.token?.value else { return false }
        switch call.answer.status {
        case 401: break
        case 403:
            // Many APIs say so of other rights.
            guard BearerRefusal(of: call.exchange, in: flow).reasons.contains(.scope) else { return false }
        default: return false
        }
        let start = flow.capture[call.exchange].startedAt
        return flow.tokenRequests.contains { request in
            guard request.accessToken == token, request.endpoint.host == call.endpoint.host else {
                return false
            }
            let age = start - flow.capture[request.exchange].endedAt
            return age >= .zero && age <= .seconds(60)
        }
    }

    /// Entra's older endpoint goes by `resource`, and issues ID tokens without that scope.
    private static func isOfTheFirstEndpoint(_ attempt: LoginAttempt, _ flow: Flow) -> Bool {
        flow.provider == .entra
            && (attempt.request?.endpoint.path.lowercased().hasSuffix("/oauth2/authorize") ?? false)
    }
}
