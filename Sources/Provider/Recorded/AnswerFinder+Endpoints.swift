import Captures
import Flows
import JSON
import OAuth

/// The endpoints besides those of authorization and tokens.
extension AnswerFinder {
    func learn(_ message: OAuthMessage, _ flow: Flow, _ dialect: inout ProviderDialect) {
        let exchange = flow.capture[message.exchange]
        guard let response = exchange.response else { return }
        if Self.isTakenAsJSON(message, exchange.request) { dialect.tolerances.takesJSON = true }
        if Self.isTakenUnderTwoNames(message) { dialect.tolerances.takesOtherClientNames = true }
        switch message {
        case .keySet(let document) where document.answer.isSuccess && document.keys != nil:
            dialect.keySet = AnswerTemplate(response)
            dialect.keySet.members = nil
        case .userInfo(let call) where call.answer.isSuccess:
            dialect.userInfo.append(claims(of: call, response, flow, dialect))
            if exchange.request.accessTokens.count > 1 {
                dialect.tolerances.takesSeveralTokens = true
            }
        case .introspection(let call) where call.answer.isSuccess:
            if call.answer.json?["active"]?.bool == true {
                dialect.introspections.append(claims(of: call, response, flow, dialect))
            } else {
                dialect.inactive = dialect.inactive ?? AnswerTemplate(response)
            }
        case .resource(let call): learn(resource: call, response, flow, &dialect)
        case .identityAssertion(let call): learn(identity: call, response, flow, &dialect)
        case .discovery(let document) where document.isProtectedResource: learn(document, response, &dialect)
        case .deviceAuthorization(let call) where call.answer.isSuccess && dialect.deviceAuthorization == nil:
            let at = exchange.endedAt.seconds
            let origin = origin(flow, clientID: nil, scope: call.parameters["scope"], issuedAt: at, dialect)
            dialect.deviceAuthorization = (AnswerTemplate(response), origin)
        case .backchannelAuthentication(let call) where call.answer.isSuccess:
            dialect.backchannelAuthentication = dialect.backchannelAuthentication ?? AnswerTemplate(response)
            note("auth_req_id", call.answer.parameters["auth_req_id"], &dialect)
            for hint in ProviderEngine.userHints.compactMap({ call.parameters[$0] }) {
                dialect.hintedSubjects[hint] = users.subjects[UserFinder.FlowKey(flow)]
            }
        case .pushedRequest(let call) where call.answer.isSuccess:
            dialect.pushedRequest = dialect.pushedRequest ?? AnswerTemplate(response)
            note("request_uri", call.answer.parameters["request_uri"], &dialect)
        case .revocation(let call) where call.answer.isSuccess:
            dialect.revocation = dialect.revocation ?? AnswerTemplate(response)
            // Google's is one of these.
            let isByNobody = call.authentication.clientID == nil && call.parameters.contains("token")
            if isByNobody, !Self.lacksCredentials(call, flow) { dialect.tolerances.revokesForAnybody = true }
        case .registration(let call) where call.answer.isSuccess && dialect.registration == nil:
            learn(registration: call, exchange.request, response, &dialect)
        default: break
        }
    }

    private func learn(
        registration call: EndpointCall,
        _ request: RecordedRequest,
        _ response: RecordedResponse,
        _ dialect: inout ProviderDialect
    ) {
        let sent = JSONBody.value(of: request.body)?.object
        if call.answer.parameters["id_token_signed_response_alg"] == "none" {
            dialect.tolerances.allowsUnsigned = true
        }
        dialect.registration = (sent ?? JSONObject(), AnswerTemplate(response))
        for name in ["client_id", "client_secret", "registration_access_token"] {
            note(name, call.answer.parameters[name], &dialect)
        }
    }

    /// Whether a call may have had Basic credentials that its file lacks: the flow's token requests, too, are of clients that nobody
    /// names.
    private static func lacksCredentials(_ call: EndpointCall, _ flow: Flow) -> Bool {
        flow.surroundings.mayLackCredentials(at: call.exchange)
            && flow.tokenRequests.contains { $0.authentication.clientID == nil }
    }

    /// Whether an object of JSON was taken in the place of a form.
    private static func isTakenAsJSON(_ message: OAuthMessage, _ request: RecordedRequest) -> Bool {
        let answer: Answer
        switch message {
        case .token(let request): answer = request.answer
        case .introspection(let call), .revocation(let call), .deviceAuthorization(let call),
            .pushedRequest(let call), .backchannelAuthentication(let call):
            answer = call.answer
        default: return false
        }
        guard answer.isSuccess, FormBody.items(of: request.body) == nil, let bytes = request.body?.bytes
        else { return false }
        return (try? JSONParser.parse(bytes))?.object != nil
    }

    /// Whether a client was taken at an endpoint under another name than the one it gave itself.
    private static func isTakenUnderTwoNames(_ message: OAuthMessage) -> Bool {
        switch message {
        case .introspection(let call), .revocation(let call), .deviceAuthorization(let call),
            .pushedRequest(let call), .backchannelAuthentication(let call):
            call.answer.isSuccess && call.authentication.namesOtherClient(than: call.parameters)
        default: false
        }
    }

    private func claims(
        of call: EndpointCall,
        _ response: RecordedResponse,
        _ flow: Flow,
        _ dialect: ProviderDialect
    ) -> ProviderDialect.Claims {
        let at = call.answer.json?["iat"]?.int ?? flow.capture[call.exchange].endedAt.seconds
        var origin = origin(flow, clientID: nil, scope: nil, issuedAt: at, dialect)
        if let subject = call.answer.json?["sub"]?.string { origin.subject = subject }
        var claims = ProviderDialect.Claims(
            clientID: flow.clientID,
            answer: AnswerTemplate(response),
            origin: origin
        )
        if let text = response.body?.text,
            case .signed(let template) = tokenForm(
                text,
                flow.surroundings,
                origin,
                unread: Self.standardUserInfo
            )
        {
            claims.token = template
        }
        return claims
    }

    private func learn(
        identity call: EndpointCall,
        _ response: RecordedResponse,
        _ flow: Flow,
        _ dialect: inout ProviderDialect
    ) {
        guard call.answer.isSuccess, let place = addresses.played(call.endpoint.text),
            let text = call.answer.json?["token"]?.string
        else { return }
        let at = flow.capture[call.exchange].endedAt.seconds
        let client = call.parameters["client_id"]
        var origin = origin(flow, clientID: client, scope: nil, issuedAt: at, dialect)
        let token = tokenForm(text, flow.surroundings, origin)
        if case .signed(let template) = token { origin = template.origin }
        dialect.identityAssertions.append(
            ProviderDialect.IdentityAssertion(
                path: RecordedURL(place).path,
                accountID: call.parameters["account_id"],
                answer: AnswerTemplate(response),
                token: token,
                origin: origin
            )
        )
    }

    private func learn(
        resource call: EndpointCall,
        _ response: RecordedResponse,
        _ flow: Flow,
        _ dialect: inout ProviderDialect
    ) {
        guard let played = addresses.played(call.endpoint.text) else { return }
        let path = RecordedURL(played).path
        let method = flow.capture[call.exchange].request.method
        let template = AnswerTemplate(response)
        let known = dialect.resources.firstIndex { $0.path == path && $0.method == method }
        if let known {
            if response.status == 401 {
                dialect.resources[known].refused = dialect.resources[known].refused ?? template
            } else if dialect.resources[known].answer.status == 401 {
                dialect.resources[known].refused = dialect.resources[known].answer
                dialect.resources[known].answer = template
            }
            return
        }
        let at = flow.capture[call.exchange].endedAt.seconds
        dialect.resources.append(
            ProviderDialect.Resource(
                method: method,
                path: path,
                answer: template,
                origin: origin(flow, clientID: nil, scope: nil, issuedAt: at, dialect)
            )
        )
    }

    /// The metadata of a resource (RFC 9728), with addresses where they are played.
    private func learn(
        _ document: MetadataDocument,
        _ response: RecordedResponse,
        _ dialect: inout ProviderDialect
    ) {
        guard !document.isRouted, let played = addresses.played(document.url.withoutQuery) else { return }
        var template = AnswerTemplate(response)
        if let members = template.members {
            let bytes = JSONWriter.bytes(of: .object(members))
            let rewritten = Substitution([], addresses: addresses).applied(to: bytes)
            template.members = (try? JSONParser.parse(rewritten))?.object ?? members
        }
        dialect.documents[RecordedURL(played).path] = template
    }

    /// How often a device had to ask, and who asked for a user elsewhere.
    func learnPolls(_ dialect: inout ProviderDialect) {
        dialect.pendingPolls = pendingPolls(with: "device_code")
        if dialect.pendingPolls == nil, dialect.paths[.deviceAuthorization] != nil {
            dialect.pendingPolls = 1
        }
        dialect.pendingBackchannelPolls =
            pendingPolls(with: "auth_req_id") ?? dialect.pendingBackchannelPolls
    }

    /// `name`: of what is polled with; nil where nobody polled.
    private func pendingPolls(with name: String) -> Int? {
        let waiting: Set<String> = ["authorization_pending", "slow_down"]
        return issuer.flows.compactMap { flow in
            let polls = flow.tokenRequests.filter { $0.parameters.contains(name) }
            return polls.isEmpty ? nil : polls.count { waiting.contains($0.answer.error?.error ?? "") }
        }.max()
    }
}
