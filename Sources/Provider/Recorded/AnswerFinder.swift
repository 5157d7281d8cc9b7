import Captures
import Flows
import JOSE
import OAuth

/// How a recorded provider answers what it grants: token responses, authorization responses, userinfo and the rest.
struct AnswerFinder {
    let issuer: RecordedIssuer
    let users: UserFinder.Users
    let addresses: AddressMap
    /// The key for tokens of which nobody saw what they were signed with.
    let signing: ProviderConfiguration.SigningKeyEntry?

    init(
        _ issuer: RecordedIssuer,
        users: UserFinder.Users,
        addresses: AddressMap,
        signing: ProviderConfiguration.SigningKeyEntry?
    ) {
        self.signing = signing
        self.issuer = issuer
        self.users = users
        self.addresses = addresses
    }

    func learn(_ dialect: inout ProviderDialect) {
        dialect.withheldScopes = withheldScopes()
        let history = RefreshTokenHistory(of: issuer)
        dialect.tolerances.refreshTokenSharers = history.sharers
        for flow in issuer.flows {
            for login in flow.wholeLogins { learn(login, flow, &dialect) }
            for request in flow.tokenRequests { learn(request, flow, history, &dialect) }
            for message in flow.messages { learn(message, flow, &dialect) }
        }
        learnPolls(&dialect)
        dialect.tolerances.reusesRequestURIs = reusesRequestURIs()
        dialect.tolerances.revokesTokensOfOthers = revokesTokensOfOthers()
    }

    /// Whether a token was revoked for another client than the one it was issued to.
    private func revokesTokensOfOthers() -> Bool {
        var owners: [String: String] = [:]
        for flow in issuer.flows {
            for request in flow.tokenRequests where request.answer.isSuccess {
                guard let client = flow.client(named: request.authentication) else { continue }
                for token in [request.accessToken, request.issuedRefreshToken] {
                    if let token, !Placeholder.isOne(token), owners[token] == nil { owners[token] = client }
                }
            }
        }
        return issuer.flows.contains { flow in
            flow.messages.contains { message in
                guard case .revocation(let call) = message, call.answer.isSuccess,
                    let owner = call.parameters["token"].flatMap({ owners[$0] }),
                    let client = flow.client(named: call.authentication)
                else { return false }
                return client != owner
            }
        }
    }

    /// Whether a pushed request was gone on with though it had brought a response before.
    private func reusesRequestURIs() -> Bool {
        issuer.flows.contains { flow in
            let position = flow.surroundings.position
            let ends = flow.authorizationResponses.filter { $0.error == nil }.map { position[$0.exchange] }
                .sorted()
            var first: [String: Int] = [:]
            return flow.authorizationRequests.contains { request in
                guard let uri = request.parameters["request_uri"], !RecordedURL(uri).isWeb else {
                    return false
                }
                let place = position[request.exchange]
                guard let earlier = first[uri] else {
                    first[uri] = place
                    return false
                }
                let end = ends.partitionPoint { $0 >= earlier }
                return end < ends.count && ends[end] < place && Self.isTaken(flow.capture[request.exchange])
            }
        }
    }

    private static func isTaken(_ exchange: Exchange) -> Bool {
        guard let response = exchange.response, response.status < 400 else { return false }
        let target = response.location.map { RecordedURL($0) }
        return target.map { !$0.queryItems.contains("error") && !$0.fragmentItems.contains("error") } ?? true
    }

    // MARK: - Whose values they are

    func origin(
        _ flow: Flow,
        clientID: String?,
        scope: String?,
        issuedAt: Int64,
        _ dialect: ProviderDialect
    )
        -> RecordedOrigin
    {
        var origin = RecordedOrigin()
        let request = flow.authorizationRequests.last
        origin.clientID = clientID ?? flow.clientID ?? ""
        origin.subject = users.subjects[UserFinder.FlowKey(flow)] ?? ""
        origin.userName = users.list.first { $0.subject == origin.subject }?.name
        origin.scope = scope ?? request?.parameters["scope"] ?? ""
        origin.grantedScope = dialect.granted(origin.scope)
        origin.redirectURI = request?.redirectURI
        origin.resource = request?.parameters["resource"]
        origin.acrValues = request?.parameters["acr_values"]
        origin.issuedAt = issuedAt
        return origin
    }

    /// An endpoint as it is played: its path and own query.
    func played(_ endpoint: RecordedURL) -> String? {
        addresses.played(endpoint.text).map { RecordedURL($0).pathAndQuery }
    }

    /// Keeps the shape of a value, unless it is known, or too short for one to be made like it.
    func note(_ name: String, _ value: String?, _ dialect: inout ProviderDialect) {
        guard let value, !value.isEmpty, dialect.shapes[name] == nil, !Placeholder.isOne(value) else {
            return
        }
        let shape = ValueTemplate(like: value)
        if shape.isUnguessable { dialect.shapes[name] = shape }
    }

    /// Scopes that some login asked for and none was granted.
    private func withheldScopes() -> Set<String> {
        var asked: Set<String> = []
        var granted: Set<String> = []
        for flow in issuer.flows {
            for login in flow.wholeLogins {
                let answers = login.tokenRequests.filter(\.answer.isSuccess).map(\.answer.parameters)
                for answer in answers + [login.response?.parameters].compactMap({ $0 }) {
                    guard let scope = answer["scope"], let wanted = login.request.parameters["scope"] else {
                        continue
                    }
                    granted.formUnion(scope.split { $0 == " " || $0 == "," }.map(String.init))
                    asked.formUnion(wanted.split { $0 == " " || $0 == "," }.map(String.init))
                }
            }
        }
        // Some leave out what goes without saying, and call the others by another name.
        return asked.subtracting(granted).filter { name in
            name != "openid" && name != "offline_access"
                && !granted.contains { $0.hasSuffix("/" + name) || $0.hasSuffix("." + name) }
        }
    }
}
