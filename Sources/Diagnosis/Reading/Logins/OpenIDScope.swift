import Captures
import Flows
import JOSE
import OAuth

/// The word by which a login is one of OpenID Connect, and whether its scope has it (OpenID Connect Core, section 3.1.2.1).
enum OpenIDScope {
    /// It is there, or nothing shows that it is needed.
    case fits
    case lacking(OpenIDSign)
    /// The scope was sent in a way that does not show, with the reason.
    case unseen(String)

    init(of attempt: LoginAttempt, in flow: Flow) {
        self = .fits
        // GitHub and MyInfo are OAuth with data scopes, and send parameters of the same names. Apple issues an ID token whatever the scope;
        // its scopes are name and email.
        if [.github, .myinfo, .apple].contains(flow.provider) { return }
        // What stands between them wrongly, escaped once too often or not, is told by another rule.
        let scopes = PercentEncoding.decode(attempt["scope"] ?? "").utf8.split {
            $0 == 0x20 || $0 == 0x2c || $0 == 0x2b
        }
        guard !scopes.contains(where: { $0.elementsEqual("openid".utf8) }) else { return }
        if let reason = attempt.hiddenParameters {
            self = .unseen(reason)
            return
        }
        guard !Self.isOfTheFirstEndpoint(attempt, flow), let sign = OpenIDSign(in: attempt, flow) else {
            return
        }
        self =
            attempt["scope"].map(Placeholder.isOne) ?? false
            ? .unseen("the scope was taken out of the capture: it may have had openid") : .lacking(sign)
    }

    /// Whether a refused call is the sign by which a login of the flow is known to lack the word.
    static func isLackShown(by call: Int, in flow: Flow) -> Bool {
        flow.loginAttempts.contains { attempt in
            guard case .lacking(let sign) = OpenIDScope(of: attempt, in: flow) else { return false }
            return sign.evidence.place.exchange == call
        }
    }

    /// Entra's older endpoint goes by `resource`, and issues ID tokens without that scope.
    private static func isOfTheFirstEndpoint(_ attempt: LoginAttempt, _ flow: Flow) -> Bool {
        flow.provider == .entra
            && (attempt.request?.endpoint.path.lowercased().hasSuffix("/oauth2/authorize") ?? false)
    }
}

/// What shows that a login is meant to be one of OpenID Connect.
struct OpenIDSign: Sendable {
    var evidence: Evidence
    /// Whether it is a call of UserInfo that was refused.
    var isRefusal: Bool

    private init(evidence: Evidence, isRefusal: Bool) {
        self.evidence = evidence
        self.isRefusal = isRefusal
    }

    /// Nil where nothing does.
    fileprivate init?(in attempt: LoginAttempt, _ flow: Flow) {
        let userInfo = flow.derived.value { Known(userInfo: Self.userInfo(in: flow)) }.userInfo
        let own =
            userInfo.flatMap { $0.isRefusal ? $0 : nil } ?? Self.parameter(of: attempt, flow) ?? userInfo
        guard let own else { return nil }
        self = own
    }

    /// Of all logins of a flow.
    private struct Known: Sendable {
        let userInfo: OpenIDSign?
    }

    private static func parameter(of attempt: LoginAttempt, _ flow: Flow) -> OpenIDSign? {
        if attempt.responseTypes.contains("id_token"), let type = attempt.parameter("response_type") {
            return OpenIDSign(evidence: Evidence(type, note: "asks for an ID token"), isRefusal: false)
        }
        for name in OpenIDIntent.parameterNames {
            guard let parameter = attempt.parameter(name) else { continue }
            if let request = attempt.request, OpenIDIntent.isHabit(parameter, of: request, in: flow) {
                continue
            }
            let evidence = Evidence(parameter, note: "a parameter of OpenID Connect")
            return OpenIDSign(evidence: evidence, isRefusal: false)
        }
        return nil
    }

    /// A call of UserInfo, the one that was refused before others.
    private static func userInfo(in flow: Flow) -> OpenIDSign? {
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
            return OpenIDSign(
                evidence: Evidence(place: place, value: call.endpoint.text, note: note),
                isRefusal: refused != nil
            )
        }
    }

    private static func isRefusedAtOnce(_ call: EndpointCall, _ flow: Flow) -> Bool {
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
}
