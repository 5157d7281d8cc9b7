package import Captures
import JSON

/// Tells which protocol message an exchange is: by the metadata of the capture, by the paths providers use,
/// by its parameters.
package struct MessageRecognizer: Sendable {
    package var endpoints: Endpoints
    /// What was told of clients so far: exchanges are looked at in the order of time.
    private var configurations = ClientConfigurations()

    package init(endpoints: Endpoints) { self.endpoints = endpoints }

    /// Notes what a message says of the messages behind it: where a client that was registered finds its registration, and with which
    /// tokens it looks for other things.
    package mutating func note(_ message: OAuthMessage) {
        switch message {
        case .registration(let call), .clientConfiguration(let call): configurations.add(call)
        case .token(let request): configurations.add(request)
        default: break
        }
    }

    /// Whether a URL is that of a metadata document.
    package static func isMetadata(_ url: RecordedURL) -> Bool { metadataPath(of: url) != nil }

    /// The path at which metadata are asked for, which may be one in the query where the server does not rewrite addresses
    /// (`/index.php?route=.well-known/openid-configuration`); nil for every other URL.
    static func metadataPath(of url: RecordedURL) -> String? {
        if isMetadata(path: url.path) { return url.path }
        guard let query = url.query, ByteSearch.contains(query, ".well-known"),
            let path = Endpoints.route(in: url)?.path, isMetadata(path: path), !isAddress(path)
        else { return nil }
        return path
    }

    /// Whether a route is the address of another server, which a script fetches for its caller (`/?r=https://…`).
    private static func isAddress(_ route: String) -> Bool {
        let url = RecordedURL(String(route.drop { $0 == "/" }))
        return url.scheme != nil && url.authority != nil
    }

    private static func isMetadata(path: String) -> Bool {
        // Some serve their keys below the document.
        ByteSearch.contains(path, "/.well-known/") && !path.hasSuffix("/jwks")
            && ["openid-configuration", "oauth-authorization-server", "oauth-protected-resource"].contains {
                ByteSearch.contains(path, $0)
            }
    }

    /// The message of an exchange; nil for pages, assets, and everything else.
    ///
    /// Responses of the authorization endpoint are found by who knows the redirect URIs.
    package func message(of exchange: Exchange, at index: Int) -> OAuthMessage? {
        let request = exchange.request
        let url = request.url
        guard url.isWeb, request.method != "OPTIONS", request.method != "CONNECT" else { return nil }
        if let path = Self.metadataPath(of: url) {
            return .discovery(
                MetadataDocument(
                    exchange: index,
                    url: url,
                    answer: Answer(of: exchange, at: index),
                    isProtectedResource: ByteSearch.contains(path, "oauth-protected-resource")
                )
            )
        }
        let stated = endpoints.role(of: url)
        let role = stated?.role ?? Endpoints.conventionalRole(of: url)
        let isStated = stated?.isStated ?? false
        if let client = configurations.client(of: exchange, at: index, endpoints) {
            return .clientConfiguration(configurationCall(exchange, index, client))
        }
        return request.method == "GET" || request.method == "HEAD"
            ? get(exchange, index, role, isStated: isStated)
            : post(exchange, index, role, isStated: isStated)
    }

    // MARK: - GET

    private func get(_ exchange: Exchange, _ index: Int, _ role: Endpoints.Role?, isStated: Bool)
        -> OAuthMessage?
    {
        let url = exchange.request.url
        let query = Parameters(url.queryItems, of: index, in: .requestQuery)
        if exchange.request.method == "GET", Self.isDeviceAuthorization(exchange, index, query) {
            return .deviceAuthorization(call(exchange, index, query))
        }
        if Self.isAuthorizationRequest(query, role, isStated: isStated) {
            return .authorizationRequest(authorizationRequest(exchange, index, query))
        }
        if EndpointCall.isRefusedStatus(exchange), query.contains("client_id") {
            return .identityAssertion(call(exchange, index, query))
        }
        // The app's page of this name may well be called as the provider's would be.
        if !isStated, role == nil || role == .endSession, Self.isFrontChannelLogout(query, at: url) {
            return .frontChannelLogout(call(exchange, index, query))
        }
        switch role {
        // In a query where a form belongs: a fault to be told.
        case .token
        where exchange.request.method == "GET"
            && (isStated || query.contains("grant_type") || Self.isExchangeOfCode(query)):
            return .token(tokenRequest(exchange, index, query))
        case .keys:
            let answer = Answer(of: exchange, at: index)
            guard isStated || answer.json?["keys"]?.array != nil else { return nil }
            return .keySet(
                KeySetDocument(
                    exchange: index,
                    url: url,
                    endpoint: endpoints.endpoint(of: url),
                    answer: answer,
                    servedAt: exchange.endedAt
                )
            )
        case .userInfo:
            let call = call(exchange, index, query)
            return isStated || call.token != nil ? .userInfo(call) : nil
        case .endSession:
            guard isStated || Self.isLogout(query, at: url) else { return nil }
            return .endSession(call(exchange, index, query))
        default: return nil
        }
    }

    // MARK: - POST and the rest

    private func post(_ exchange: Exchange, _ index: Int, _ role: Endpoints.Role?, isStated: Bool)
        -> OAuthMessage?
    {
        let request = exchange.request
        // An object of JSON is one under a form's name as well.
        let json = jsonBody(request)
        let isObjectsName = FormBody.isObjectsName(request.body)
        let items =
            json == nil && !isObjectsName
            ? FormBody.items(of: request.body)
                ?? (role == .token ? FormBody.misnamedItems(of: request.body) : nil) : nil
        let form = items.map { Parameters($0, of: index, in: .requestBody) }
        var parameters = form ?? json.map { Parameters($0, of: index, in: .requestBody) } ?? Parameters()
        if role == .token {
            parameters =
                GoTrueRequest.parameters(of: request, index, parameters)
                ?? Self.withQuery(of: request.url, index, parameters)
        }
        if let token = form?.parameter("logout_token"), !token.value.isEmpty {
            return .backChannelLogout(
                LogoutTokenDelivery(
                    exchange: index,
                    parameter: token,
                    answer: Answer(of: exchange, at: index)
                )
            )
        }
        if let form, EndpointCall.isIdentityAssertion(request, form) {
            return .identityAssertion(call(exchange, index, form))
        }
        if role != .authorization || Self.isTakenToAuthorizationEndpoint(parameters), role != .pushedRequest,
            isTokenRequest(parameters, role, isStated: isStated)
                || role == .token && isObjectsName
                    && (isStated || Answer(of: exchange, at: index).error != nil)
                || role == .token && Self.isAnsweredAsOne(exchange, index)
        {
            return .token(tokenRequest(exchange, index, parameters))
        }
        switch role {
        // What a template of the provider's has, an installation that registers itself from it leaves out (RFC 7591, section 2).
        case .registration
        where isStated
            || ["redirect_uris", "software_id", "software_statement"].contains(where: { json?[$0] != nil }):
            return Self.registration(call(exchange, index, parameters))
        case .pushedRequest
        where isStated || ["client_id", "request", "response_type"].contains(where: parameters.contains):
            return .pushedRequest(call(exchange, index, parameters))
        case .introspection where parameters.contains("token"):
            return .introspection(call(exchange, index, parameters))
        case .revocation where parameters.contains("token"):
            return .revocation(call(exchange, index, parameters))
        case .deviceAuthorization where parameters.contains("client_id") || isStated:
            return .deviceAuthorization(call(exchange, index, parameters))
        case .backchannelAuthentication
        where isStated
            || ["login_hint", "login_hint_token", "id_token_hint", "request"].contains(
                where: parameters.contains
            ):
            return .backchannelAuthentication(call(exchange, index, parameters))
        case .userInfo:
            let call = call(exchange, index, parameters)
            return isStated || call.token != nil ? .userInfo(call) : nil
        case .endSession where Self.isLogout(parameters, at: request.url):
            return .endSession(call(exchange, index, parameters))
        default: break
        }
        if Self.isDeviceAuthorization(exchange, index, parameters) {
            return .deviceAuthorization(call(exchange, index, parameters))
        }
        if Self.isAnsweredToBackchannelAuthentication(exchange, index) {
            return .backchannelAuthentication(call(exchange, index, parameters))
        }
        if json?["redirect_uris"]?.array != nil {
            return Self.registration(call(exchange, index, parameters))
        }
        if let form, form.contains("response_type"), form.contains("client_id") {
            let answer = Answer(of: exchange, at: index)
            // A pushed request to a path nobody knows: posted by a client, answered with a request_uri.
            if answer.parameters.contains("request_uri") {
                return .pushedRequest(call(exchange, index, form))
            }
            return .authorizationRequest(authorizationRequest(exchange, index, form))
        }
        return nil
    }

    /// What is sent about a client: a new one, or, by PUT, a change of one (RFC 7592, section 2.2).
    private static func registration(_ call: EndpointCall) -> OAuthMessage {
        call.method == "PUT" ? .clientConfiguration(call) : .registration(call)
    }

    /// The parameters of a token request: those of its query where the body has none, as some servers take them.
    private static func withQuery(of url: RecordedURL, _ index: Int, _ body: Parameters) -> Parameters {
        guard url.query != nil, body.isEmpty else { return body }
        let query = Parameters(url.queryItems, of: index, in: .requestQuery)
        return query.contains("grant_type") ? query : body
    }

    // MARK: - Conditions

    /// A page of the app that the provider loads in a hidden frame (OpenID Connect Front-Channel Logout, section 3): it is
    /// told whose session, and by whom, which belong together.
    private static func isFrontChannelLogout(_ query: Parameters, at url: RecordedURL) -> Bool {
        guard let session = query["sid"], !session.isEmpty,
            let issuer = query["iss"].map({ RecordedURL($0) }), issuer.isWeb, issuer.host != url.host
        else { return false }
        return !["code", "error", "id_token", "response", "state"].contains(where: query.contains)
    }

    /// A device authorization request at a path that nobody knows, by its answer (RFC 8628, section 3.2); where it is refused, by
    /// the OAuth error and the path.
    private static func isDeviceAuthorization(_ exchange: Exchange, _ index: Int, _ parameters: Parameters)
        -> Bool
    {
        guard parameters.contains("client_id"), !parameters.contains("grant_type"),
            !parameters.contains("user_code"),
            exchange.response?.body?.essence?.hasSuffix("json") == true
        else { return false }
        let answer = Answer(of: exchange, at: index)
        if answer.parameters.contains("device_code") { return answer.parameters.contains("user_code") }
        // An app may have devices of its own.
        guard exchange.request.method == "POST", FormBody.items(of: exchange.request.body) != nil,
            !["response_type", "redirect_uri"].contains(where: parameters.contains),
            BearerToken.of(exchange.request, exchange: index) == nil
        else { return false }
        return answer.isRefusal && answer.error.map { errors.contains($0.error) } ?? false
            && ByteSearch.contains(exchange.request.url.path.asciiLowercased(), "device")
    }

    /// Whether an answer is that to a client that asks for a user's sign-in on another device, at whatever path (OpenID Connect CIBA,
    /// section 7.3).
    private static func isAnsweredToBackchannelAuthentication(_ exchange: Exchange, _ index: Int) -> Bool {
        guard exchange.request.method == "POST", let body = exchange.response?.body,
            body.essence?.hasSuffix("json") == true, (body.size ?? 0) < 1 << 13
        else { return false }
        let answer = Answer(of: exchange, at: index)
        return answer.isSuccess && ["auth_req_id", "expires_in"].allSatisfy(answer.parameters.contains)
    }

    private static func isAuthorizationRequest(_ query: Parameters, _ role: Endpoints.Role?, isStated: Bool)
        -> Bool
    {
        let hasClient = query.contains("client_id")
        if hasClient,
            query.contains("response_type") || query.contains("request_uri") || query.contains("request")
        {
            // Logout pages and others carry these names along; an endpoint of another role is none.
            return role == nil || role == .authorization
        }
        guard role == .authorization else { return false }
        // Without the client's id, too: that is a fault to be told, not another kind of request.
        if query.contains("response_type"), isStated || query.contains("redirect_uri") { return true }
        if let uri = query["request_uri"], uri.hasPrefix("urn:ietf:params:oauth:request_uri:") { return true }
        return hasClient && (isStated || query.contains("redirect_uri"))
    }

    private func isTokenRequest(_ parameters: Parameters, _ role: Endpoints.Role?, isStated: Bool) -> Bool {
        if role == .token, isStated { return true }
        if let grant = parameters["grant_type"], !grant.isEmpty {
            return role == .token || Self.isKnownGrant(grant)
        }
        return role == .token && Self.isExchangeOfCode(parameters)
    }

    /// Whether a request that was saved without its body is answered as a token request is (RFC 6749, section 5).
    private static func isAnsweredAsOne(_ exchange: Exchange, _ index: Int) -> Bool {
        guard exchange.request.isBodyUnsaved, exchange.request.url.query == nil else { return false }
        let answer = Answer(of: exchange, at: index)
        if answer.parameters.contains("access_token") { return answer.parameters.contains("token_type") }
        return answer.error.map { errors.contains($0.error) } ?? false
    }

    private static let errors: Set<String> = [
        "invalid_client", "invalid_grant", "unauthorized_client", "unsupported_grant_type", "invalid_scope",
    ]

    /// The endpoints of GitHub, Slack and Facebook take a code without the grant being named.
    ///
    /// Some clients send GitHub the `state` as well; without the secret it is a callback's.
    private static func isExchangeOfCode(_ parameters: Parameters) -> Bool {
        // The client may be named in the header.
        parameters.contains("code")
            && ["client_id", "client_secret", "redirect_uri"].contains(where: parameters.contains)
            && (!parameters.contains("state") || parameters.contains("client_secret"))
    }

    /// Whether a client has taken a code, or a refresh token, to the address where logins begin: no page of the provider's sends
    /// those back there.
    private static func isTakenToAuthorizationEndpoint(_ parameters: Parameters) -> Bool {
        switch parameters["grant_type"] {
        case "authorization_code": isExchangeOfCode(parameters)
        case "refresh_token": parameters.contains("refresh_token")
        default: false
        }
    }

    private static func isKnownGrant(_ grant: String) -> Bool {
        ["authorization_code", "refresh_token", "client_credentials", "password"].contains(grant)
            || grant.hasPrefix("urn:ietf:params:oauth:grant-type:")
            || grant.hasPrefix("urn:openid:params:grant-type:")
    }

    /// Whether parameters at a path that ends like a logout's make it one of the protocol: an app has pages of
    /// that name, too.
    private static func isLogout(_ parameters: Parameters, at url: RecordedURL) -> Bool {
        if parameters.items.contains(where: { logoutNames.contains($0.name) }) { return true }
        // Who it is that asks, and not where to go on: Cognito refuses that, others show a page of their own.
        if let client = parameters["client_id"], !client.isEmpty { return true }
        guard parameters.contains("returnTo") || parameters.contains("redirect_uri") else { return false }
        return parameters.contains("client_id") || Endpoints.isProtocolLogout(url)
    }

    private static let logoutNames: Set<String> = [
        "id_token_hint", "post_logout_redirect_uri", "logout_uri", "logout_hint",
    ]

    // MARK: - Making

    private func authorizationRequest(_ exchange: Exchange, _ index: Int, _ parameters: Parameters)
        -> AuthorizationRequest
    {
        AuthorizationRequest(
            exchange: index,
            request: exchange.request,
            endpoint: endpoints.endpoint(of: exchange.request.url),
            parameters: parameters,
            status: exchange.response?.status
        )
    }

    private func tokenRequest(_ exchange: Exchange, _ index: Int, _ parameters: Parameters) -> TokenRequest {
        TokenRequest(
            exchange: index,
            request: exchange.request,
            endpoint: endpoints.endpoint(of: exchange.request.url),
            parameters: parameters,
            answer: Answer.ofTokenEndpoint(exchange, at: index),
            startedAt: exchange.startedAt
        )
    }

    private func call(_ exchange: Exchange, _ index: Int, _ parameters: Parameters) -> EndpointCall {
        EndpointCall(
            exchange: index,
            request: exchange.request,
            endpoint: endpoints.endpoint(of: exchange.request.url),
            parameters: parameters,
            answer: Answer(of: exchange, at: index)
        )
    }

    /// `client`: as the address names it, for what the request does not say itself.
    private func configurationCall(_ exchange: Exchange, _ index: Int, _ client: Parameter) -> EndpointCall {
        let request = exchange.request
        var parameters =
            jsonBody(request).map { Parameters($0, of: index, in: .requestBody) }
            ?? Parameters(request.url.queryItems, of: index, in: .requestQuery)
        if !parameters.contains("client_id") { parameters.items.append(client) }
        return EndpointCall(
            exchange: index,
            request: request,
            endpoint: request.url,
            parameters: parameters,
            answer: Answer(of: exchange, at: index)
        )
    }

    private func jsonBody(_ request: RecordedRequest) -> JSONObject? {
        guard let bytes = request.body?.bytes, bytes.first(where: { $0 > 0x20 }) == 0x7b else { return nil }
        return (try? JSONParser.parse(bytes))?.object
    }
}
