import Captures
import JSON
import OAuth

/// How a client gets the tokens of a user who agreed elsewhere (OpenID Connect CIBA, section 5).
extension ProviderEngine {
    /// Tokens on their way to a client, which are not signed yet.
    struct TokenPush {
        var endpoint: String
        /// The client's own, by which it knows who sends.
        var notificationToken: String
        var answer: BuiltAnswer
    }

    /// Users take their time; and the client has to have its answer before it is told.
    static let notificationDelay: Duration = .milliseconds(500)

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
            let body = Body.json(["auth_req_id": .string(name)])
            notices.append(.backchannel(body, to: endpoint, with: notificationToken))
            return
        }
        state.backchannelRequests[name]?.isUsed = true
        let push = TokenPush(
            endpoint: endpoint,
            notificationToken: notificationToken,
            answer: pushedTokens(for: asked, name)
        )
        tokenPushes.append(push)
    }

    /// Makes the tokens wrong that are on their way to clients, as those would be that answer a token request.
    ///
    /// `context`: of the request that they follow from.
    mutating func alterPushes(_ context: FaultContext, _ occasions: inout FaultOccasions) {
        for index in tokenPushes.indices {
            var pushed = context
            pushed.role = .token
            pushed.grantType = GrantType.ciba
            if tokenPushes[index].answer.hasIDToken { pushed.issuedIDTokens = state.counts.count(.idToken) }
            occasions.alterPushed(&tokenPushes[index].answer, in: pushed)
        }
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

extension AnswerRenderer {
    /// OpenID Connect CIBA, section 10.3.1.
    mutating func request(of push: ProviderEngine.TokenPush) -> ProviderNotice {
        .backchannel(response(push.answer).body, to: push.endpoint, with: push.notificationToken)
    }
}

extension ProviderNotice {
    /// To a client that is told of what its user decided elsewhere, by its own token.
    fileprivate static func backchannel(_ body: Body?, to endpoint: String, with token: String)
        -> ProviderNotice
    {
        let request = RecordedRequest(
            method: "POST",
            url: RecordedURL(endpoint),
            headers: HeaderFields([
                ("Content-Type", "application/json"), ("Authorization", "Bearer \(token)"),
            ]),
            body: body
        )
        return ProviderNotice(request: request, delay: ProviderEngine.notificationDelay)
    }
}

extension Body {
    fileprivate static func json(_ object: JSONObject) -> Body {
        Body(text: JSONWriter.text(of: .object(object)), mediaType: "application/json")
    }
}
