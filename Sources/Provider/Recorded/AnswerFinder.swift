import Captures
import Flows
import JOSE
import JSON
import OAuth

/// How a recorded provider answers what it grants: token responses, authorization responses, userinfo and the rest.
struct AnswerFinder {
    let issuer: RecordedIssuer
    let users: UserFinder.Users
    let addresses: AddressMap
    /// The key for tokens of which nobody saw what they were signed with.
    private let signing: ProviderConfiguration.SigningKeyEntry?

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
        dialect.refreshTokenSharers = history.sharers
        for flow in issuer.flows {
            for login in flow.wholeLogins { learn(login, flow, &dialect) }
            for request in flow.tokenRequests { learn(request, flow, history, &dialect) }
            for message in flow.messages { learn(message, flow, &dialect) }
        }
        learnPolls(&dialect)
        dialect.reusesRequestURIs = reusesRequestURIs()
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
    private func played(_ endpoint: RecordedURL) -> String? {
        addresses.played(endpoint.text).map { RecordedURL($0).pathAndQuery }
    }

    // MARK: - Authorization responses

    private func learn(_ login: Login, _ flow: Flow, _ dialect: inout ProviderDialect) {
        guard let response = login.response, response.error == nil else { return }
        let index = flow.surroundings
        let exchange = flow.capture[response.exchange]
        var template = exchange.response.map { AnswerTemplate($0) } ?? AnswerTemplate(status: 302)
        // Seen only where it arrived.
        if response.deliveredBy == nil { template = AnswerTemplate(status: 302) }
        let at = exchange.startedAt.seconds
        let origin = origin(flow, clientID: login.request.clientID, scope: nil, issuedAt: at, dialect)
        // The redirect URI's own query is the client's.
        let own = RecordedURL(login.request.redirectURI ?? "").queryItems
        var parameters = response.parameters.items.filter { item in
            !own.items.contains { $0.name == item.name && $0.value == item.value }
        }.map { (name: $0.name, value: $0.value) }
        if let method = login.request.parameters["code_challenge_method"] {
            dialect.challengeMethods.insert(method)
        }
        let asked = login.request
        let isWhole = !asked.parameters.contains("request") && !asked.parameters.contains("request_uri")
        if isWhole || asked.pushed != nil, (asked.responseType ?? "").isEmpty { dialect.assumesCode = true }
        for request in [asked.pushed, asked.exchange].compactMap({ $0 }) {
            let repeated = ProviderEngine.repeatedNames(in: flow.capture[request].request)
            dialect.repeatedParameters.formUnion(repeated)
        }
        let prompt = (asked.parameters["prompt"] ?? "").split(separator: " ").map(String.init)
        if PendingLogin.isNoneAndMore(prompt) { dialect.takesPromptsBesideNone = true }
        if let pushed = asked.pushed, let state = asked.parameters.parameter("state"),
            state.place.exchange != pushed, response.parameters["state"] == state.value
        {
            dialect.mergesOuterParameters = true
        }
        var envelope: TokenTemplate?
        if let token = response.parameters["response"].flatMap({ JSONWebToken.parse($0) }),
            let claims = token.claims
        {
            let own: Set<String> = ["iss", "aud", "exp"]
            parameters = claims.members.filter { !own.contains($0.name) }.map {
                ($0.name, $0.value.string ?? JSONWriter.text(of: $0.value))
            }
            envelope = TokenTemplate(header: token.header ?? JSONObject(), claims: claims, origin: origin)
        }
        var form = ProviderDialect.Authorization(
            clientID: login.request.clientID,
            endpoint: played(login.request.endpoint),
            responseType: login.request.responseType ?? "code",
            askedMode: login.request.parameters["response_mode"],
            mode: response.mode,
            envelope: envelope,
            parameters: parameters,
            answer: template,
            origin: origin
        )
        for (name, value) in parameters {
            switch name {
            case "id_token": form.idToken = tokenForm(value, index, origin)
            case "access_token": form.accessToken = tokenForm(value, index, origin)
            case "code", "session_state": note(name, value, &dialect)
            default: break
            }
        }
        dialect.authorizations.append(form)
    }

    func note(_ name: String, _ value: String?, _ dialect: inout ProviderDialect) {
        guard let value, !value.isEmpty, dialect.shapes[name] == nil, !Placeholder.isOne(value) else {
            return
        }
        let shape = ValueTemplate(like: value)
        if shape.isUnguessable { dialect.shapes[name] = shape }
    }

    // MARK: - Token responses

    /// More answers to one refresh token than anybody needs to tell them apart.
    private static let maximumUses = 8

    private func learn(
        _ request: TokenRequest,
        _ flow: Flow,
        _ history: RefreshTokenHistory,
        _ dialect: inout ProviderDialect
    ) {
        let exchange = flow.capture[request.exchange]
        guard request.answer.isSuccess, request.accessToken != nil, let response = exchange.response else {
            return
        }
        dialect.repeatedParameters.formUnion(ProviderEngine.repeatedNames(in: exchange.request))
        let index = flow.surroundings
        let earlierUses = history.earlierUses(by: request, in: index)
        let endpoint = played(request.endpoint)
        let isKnown = dialect.tokens.contains {
            $0.grantType == request.grantType && $0.clientID == request.clientID
                && $0.endpoint == endpoint && $0.earlierUses == earlierUses
        }
        guard !isKnown, earlierUses < Self.maximumUses else { return }
        let scope = request.isCodeExchange ? nil : request.parameters["scope"]
        let device = flow.messages.lazy.compactMap { message -> String? in
            switch message {
            case .deviceAuthorization(let call), .backchannelAuthentication(let call):
                call.parameters["scope"]
            default: nil
            }
        }.first
        let asked = scope ?? device
        let at = exchange.endedAt.seconds
        var origin = origin(flow, clientID: request.clientID, scope: asked, issuedAt: at, dialect)
        origin.nonces = nonces(of: flow)
        var form = ProviderDialect.Tokens(
            grantType: request.grantType,
            answer: AnswerTemplate(response),
            origin: origin
        )
        form.clientID = request.clientID
        form.endpoint = endpoint
        form.accessToken = request.accessToken.flatMap { tokenForm($0, index, origin) }
        form.refreshToken = request.issuedRefreshToken.flatMap { refreshForm($0, index, origin) }
        form.idToken = request.answer.parameters["id_token"].flatMap { tokenForm($0, index, origin) }
        form.keepsRefreshToken = request.issuedRefreshToken == request.refreshToken
        form.reusesRefreshToken = history.showsReuse(by: request.clientID)
        form.earlierUses = earlierUses
        if exchange.request.headers.contains("dpop"),
            request.answer.parameters["token_type"]?.lowercased() != "dpop"
        {
            dialect.ignoresProofs = true
        }
        Self.learnProof(of: request, flow, &dialect)
        let assertion = request.authentication.assertion.flatMap { ClientAssertion($0) }
        if let name = assertion?.token.issuer { dialect.assertionIssuers.insert(name) }
        dialect.tokens.append(form)
        note("code", request.code, &dialect)
        note("access_token", request.accessToken, &dialect)
        note("refresh_token", request.issuedRefreshToken ?? request.refreshToken, &dialect)
    }

    /// What was taken for the proof of a code (RFC 7636, section 4.6) and is none by the specification.
    private static func learnProof(
        of request: TokenRequest,
        _ flow: Flow,
        _ dialect: inout ProviderDialect
    ) {
        guard let code = request.code,
            let asked = flow.wholeLogins.first(where: { $0.response?.code == code })?.request
        else { return }
        guard let challenge = asked.codeChallenge, !challenge.isEmpty else {
            // Pushed or in a request object it would not show.
            let isWhole = !asked.parameters.contains("request") && !asked.parameters.contains("request_uri")
            if request.codeVerifier != nil, isWhole { dialect.ignoresNeedlessVerifiers = true }
            return
        }
        if asked.parameters["code_challenge_method"] == nil,
            request.codeVerifier.map({ CodeChallenge.s256(of: $0) }) == challenge
        {
            dialect.assumesS256 = true
        }
    }

    /// Those that logins asked for, and those of their first ID tokens; nil where no login was recorded.
    private func nonces(of flow: Flow) -> Set<String>? {
        let first = flow.idTokens.filter { !($0.request?.isRefresh ?? false) }
        let logins = flow.wholeLogins
        guard !logins.isEmpty || !first.isEmpty else { return nil }
        return Set(
            logins.compactMap(\.request.nonce) + first.compactMap { $0.token.token.claim("nonce")?.string }
        )
    }

    /// A token's own times count from its own `iat`.
    ///
    /// `unread`: stands for an encrypted one that nobody opened.
    func tokenForm(
        _ text: String,
        _ index: CaptureIndex,
        _ origin: RecordedOrigin,
        unread: (RecordedOrigin) -> JSONObject = Self.standardIDToken
    ) -> TokenForm? {
        guard !text.isEmpty else { return nil }
        guard let token = JSONWebToken.parse(text) else { return .opaque(ValueTemplate(like: text)) }
        var envelope: JSONObject?
        var inner = token
        if token.form == .encrypted {
            envelope = token.header
            guard let opened = index.opened[token]?.token else {
                // Nobody saw what was inside: what the specification wants is.
                return .signed(
                    TokenTemplate(
                        header: signedHeader,
                        claims: unread(origin),
                        origin: origin,
                        envelope: envelope
                    )
                )
            }
            inner = opened
        }
        guard let header = inner.header, let claims = inner.claims else {
            return .opaque(ValueTemplate(like: text))
        }
        var origin = origin
        origin.issuedAt = inner.issuedAt ?? inner.notBefore ?? origin.issuedAt
        if let subject = inner.subject, subject != origin.clientID { origin.subject = subject }
        return .signed(TokenTemplate(header: header, claims: claims, origin: origin, envelope: envelope))
    }

    /// Of a token of which only the envelope is known.
    private var signedHeader: JSONObject {
        var header: JSONObject = ["typ": "JWT"]
        if let signing {
            header["alg"] = .string(signing.algorithm.rawValue)
            header["kid"] = .string(signing.id)
        }
        return header
    }

    /// What an ID token says at least (OpenID Connect Core, section 2).
    private static func standardIDToken(_ origin: RecordedOrigin) -> JSONObject {
        let at = JSONValue.number(JSONNumber(origin.issuedAt))
        return [
            "iss": "", "sub": .string(origin.subject), "aud": .string(origin.clientID), "iat": at,
            "exp": .number(JSONNumber(origin.issuedAt &+ 600)), "nonce": "", "at_hash": "",
        ]
    }

    /// What signed userinfo says at least (OpenID Connect Core, section 5.3.2).
    static func standardUserInfo(_ origin: RecordedOrigin) -> JSONObject {
        ["iss": "", "sub": .string(origin.subject), "aud": .string(origin.clientID)]
    }

    /// Refresh tokens are read by nobody but the provider: those under a secret of its own only look the same.
    private func refreshForm(_ text: String, _ index: CaptureIndex, _ origin: RecordedOrigin) -> TokenForm? {
        guard let token = JSONWebToken.parse(text), token.form == .signed,
            let algorithm = token.algorithm.flatMap(SignatureAlgorithm.init(rawValue:)),
            !algorithm.isSymmetric
        else { return .opaque(ValueTemplate(like: text)) }
        return tokenForm(text, index, origin)
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
