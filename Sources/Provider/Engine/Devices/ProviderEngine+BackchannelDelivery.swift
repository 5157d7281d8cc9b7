import Captures
import JSON
import OAuth

/// How a client gets the tokens of a user who agreed elsewhere (OpenID Connect CIBA, section 5).
extension ProviderEngine {
    /// As a client registered (section 4).
    func backchannelDelivery(to client: ProviderConfiguration.Client) -> BackchannelDelivery {
        clients.registration(of: client).map { BackchannelDelivery($0.members) } ?? .poll
    }

    /// Tells a client that polls for nothing; `asked`: what it asked for by `name`.
    mutating func notify(
        _ client: ProviderConfiguration.Client,
        of name: String,
        _ asked: ProviderState.DeviceGrant,
        by delivery: BackchannelDelivery,
        with notificationToken: String
    ) {
        guard delivery != .poll,
            let endpoint = state.registrations[client.id]?.members[BackchannelDelivery.endpointName]?.string
        else { return }
        guard delivery == .push else {
            notices.append(
                BackchannelPing(endpoint: endpoint, notificationToken: notificationToken, requestID: name)
            )
            return
        }
        state.backchannelRequests[name]?.isUsed = true
        let push = TokenPush(
            endpoint: endpoint,
            notificationToken: notificationToken,
            answer: pushedTokens(for: asked, name)
        )
        notices.append(push)
    }

    /// A token response that says what it answers, in the ID token as well, so that nobody puts other tokens in the place of these (section
    /// 10.3.1).
    private mutating func pushedTokens(for asked: ProviderState.DeviceGrant, _ name: String) -> BuiltAnswer {
        let grant = ProviderState.Grant(
            clientID: asked.clientID,
            user: asked.user,
            scope: asked.scope,
            signedInAt: now,
            family: context.identifier(),
            values: asked.values
        )
        var answer = issue(grant, GrantType.ciba)
        guard case .tokens(var members, let isForm) = answer.content else { return answer }
        for index in members.indices {
            guard case .token(var token) = members[index].value, members[index].name == "id_token" else {
                continue
            }
            token.claims["urn:openid:params:jwt:claim:auth_req_id"] = .string(name)
            token.hashes.append(("urn:openid:params:jwt:claim:rt_hash", "refresh_token"))
            members[index].value = .token(token)
        }
        members.insert(.init("auth_req_id", text: name), at: 0)
        answer.content = .tokens(members, isForm: isForm)
        return answer
    }
}
