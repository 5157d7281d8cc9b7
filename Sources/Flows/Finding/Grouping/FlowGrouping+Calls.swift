import Captures
import JOSE
import OAuth

/// UserInfo and other resources, and what is asked about a token: by the token, else by who asks and when.
extension FlowGrouping {
    mutating func join(call: EndpointCall, _ message: OAuthMessage, _ host: String?) {
        if let flow = flow(ofCall: call, message, host) {
            // A resource is not of the provider.
            return add(message, to: flow, message.isResource ? nil : host)
        }
        if message.isResource { return join(lone: call) }
        // What is tried once more with the same token is one, also where the capture lacks the login.
        let token = message.triedToken
        let flow = token.flatMap { byLoneToken[$0] } ?? new(grant: message.grantName, call.exchange)
        if let token { byLoneToken[token] = flow }
        add(message, to: flow, host)
    }

    /// The flow that got the token of a call, else the one that the call is most likely of.
    private func flow(ofCall call: EndpointCall, _ message: OAuthMessage, _ host: String?) -> FlowBuilder? {
        let tokens = [call.token?.value, call.parameters["token"]].compactMap(\.self)
        if let flow = tokens.compactMap({ byToken[$0] }).first { return flow }
        if !message.isResource, let flow = flow(ofClient: call.authentication.clientID?.value, host) {
            return flow
        }
        if message.isUserInfo, let flow = lastLogin(before: call) { return flow }
        if tokens.contains(where: MissingToken.isOne), let flow = lastGivenTokens(before: call.exchange) {
            return flow
        }
        return tokens.contains(where: Placeholder.isOne) || message.isUnsavedRevocation
            ? lastFlow(of: message, at: host) : nil
    }

    /// UserInfo is asked after a login: the last one, where headers were stripped or the token's answer was not saved.
    private func lastLogin(before call: EndpointCall) -> FlowBuilder? {
        var hosts = Set([call.endpoint.host].compactMap(\.self))
        // The provider may have it at a host of its own.
        for document in index.metadata where document.names(call.endpoint, as: "userinfo_endpoint") {
            for name in ["authorization_endpoint", "token_endpoint"] {
                if let host = document.endpoint(name).flatMap({ RecordedURL($0).host }) { hosts.insert(host) }
            }
        }
        let isReadable =
            call.token.map { !Placeholder.isOne($0.value) && !MissingToken.isOne($0.value) } ?? false
        return builders.last { flow in
            !flow.requests.isEmpty && !flow.providerHosts.isDisjoint(with: hosts)
                && !(isReadable && flow.knowsItsToken && !isOfItsLogin(call, flow))
        }
    }

    /// Whether a call with a token that a login did not get is its own all the same: the client spoiled it, or has an older one of
    /// the same user, and made no other.
    private func isOfItsLogin(_ call: EndpointCall, _ flow: FlowBuilder) -> Bool {
        guard call.answer.isRefusal || flow.isOfSubject(call.answer.parameters["sub"]) else { return false }
        var given: Timestamp?
        for message in flow.messages {
            switch message {
            case .token(let request) where request.answer.isSuccess: given = capture[request.exchange].endedAt
            case .userInfo, .resource: return false
            default: break
            }
        }
        return given.map { capture[call.exchange].startedAt - $0 <= .seconds(5) } ?? false
    }

    /// The last flow that asked a host of its provider, for what a sanitizer left no value in that leads anywhere; for a
    /// resource, which is anywhere, the last that got tokens.
    func lastFlow(of message: OAuthMessage? = nil, at host: String?) -> FlowBuilder? {
        if let message, message.isResource { return builders.last { !$0.awaitsToken } ?? builders.last }
        guard let host else { return nil }
        return builders.last { $0.providerHosts.contains(host) }
    }

    /// The flow that got tokens within the last minute and was not logged out since, for a call whose app should have had
    /// one of them and had none.
    private func lastGivenTokens(before exchange: Int) -> FlowBuilder? {
        let time = capture[exchange].startedAt
        return builders.suffix(500).last { flow in
            flow.messages.contains { message in
                guard case .token(let request) = message else { return false }
                let age = time - capture[request.exchange].endedAt
                return request.answer.isSuccess && age >= .zero && age <= .seconds(60)
            } && !flow.messages.contains(where: \.endsSession)
        }
    }

    /// The last flow of a client, at a host of its provider where that is known.
    func flow(ofClient client: String?, _ host: String?) -> FlowBuilder? {
        guard let client else { return nil }
        return builders.last { flow in
            flow.clientID == client
                && (host.map { flow.providerHosts.isEmpty || flow.providerHosts.contains($0) } ?? true)
        }
    }
}

/// What the kind of a call says of it.
extension OAuthMessage {
    fileprivate var isUserInfo: Bool { if case .userInfo = self { true } else { false } }

    fileprivate var isResource: Bool { if case .resource = self { true } else { false } }

    /// Whether it gives a token back, and was saved without its body.
    fileprivate var isUnsavedRevocation: Bool {
        if case .revocation(let call) = self { call.parameters.isEmpty } else { false }
    }

    fileprivate var endsSession: Bool {
        switch self {
        case .endSession, .revocation, .frontChannelLogout, .backChannelLogout: true
        default: false
        }
    }

    /// The token by which a call is known again when it is made once more.
    fileprivate var triedToken: String? {
        switch self {
        case .userInfo(let call): call.token?.value
        case .revocation(let call):
            call.parameters["token"].flatMap { token in
                token.isEmpty || Placeholder.isOne(token) ? nil : "revocation \(token)"
            }
        default: nil
        }
    }

    /// The name of a flow that such a call begins.
    fileprivate var grantName: String {
        switch self {
        case .introspection: "introspection"
        case .revocation: "revocation"
        default: "userinfo"
        }
    }
}
