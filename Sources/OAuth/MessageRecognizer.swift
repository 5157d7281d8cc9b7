package import Captures
import JSON

/// Tells which protocol message an exchange is: by the metadata of the capture, by the paths providers use,
/// by its parameters.
package struct MessageRecognizer: Sendable {
    var endpoints: Endpoints
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
            return .discovery(metadata(exchange, index, askedAt: path))
        }
        if let client = configurations.client(of: exchange, at: index, endpoints) {
            return .clientConfiguration(configurationCall(exchange, index, client))
        }
        let candidate = Candidate(exchange, index, endpoints)
        return request.method == "GET" || request.method == "HEAD" ? get(candidate) : post(candidate)
    }

    /// An exchange whose message is to be told, with what its address says of it.
    private struct Candidate {
        let exchange: Exchange
        let index: Int
        /// As metadata have it, else by the paths that providers use.
        let role: Endpoints.Role?
        /// Whether metadata name the endpoint.
        let isStated: Bool

        init(_ exchange: Exchange, _ index: Int, _ endpoints: Endpoints) {
            self.exchange = exchange
            self.index = index
            let url = exchange.request.url
            let stated = endpoints.role(of: url)
            role = stated?.role ?? Endpoints.conventionalRole(of: url)
            isStated = stated?.isStated ?? false
        }

        var request: RecordedRequest { exchange.request }
        var answer: Answer { Answer(of: exchange, at: index) }
    }

    // MARK: - GET

    private func get(_ candidate: Candidate) -> OAuthMessage? {
        let request = candidate.request
        let query = OtherNames.standard(
            Parameters(request.url.queryItems, of: candidate.index, in: .requestQuery),
            at: request.url
        )
        if request.method == "GET", Self.isDeviceAuthorization(candidate.exchange, candidate.index, query) {
            return .deviceAuthorization(call(candidate, query))
        }
        // Nobody signs in or out by HEAD: it asks whether there is a page.
        if request.method == "GET", !candidate.exchange.isRefusedAhead,
            Self.isAuthorizationRequest(query, candidate.role, isStated: candidate.isStated)
        {
            return .authorizationRequest(authorizationRequest(candidate, query))
        }
        if EndpointCall.isRefusedStatus(candidate.exchange), query.contains("client_id") {
            return .identityAssertion(call(candidate, query))
        }
        // The app's page of this name may well be called as the provider's would be.
        if !candidate.isStated, candidate.role == nil || candidate.role == .endSession,
            Self.isFrontChannelLogout(query, at: request.url)
        {
            return .frontChannelLogout(call(candidate, query))
        }
        return get(byRoleOf: candidate, query)
    }

    private func get(byRoleOf candidate: Candidate, _ query: Parameters) -> OAuthMessage? {
        let isStated = candidate.isStated
        switch candidate.role {
        // In a query where a form belongs: a fault to be told.
        case .token
        where candidate.request.method == "GET"
            && (isStated || query.contains("grant_type") || Self.isExchangeOfCode(query)):
            return .token(tokenRequest(candidate, query))
        case .keys where isStated || candidate.answer.json?["keys"]?.array != nil:
            return .keySet(keySet(candidate))
        case .userInfo: return userInfo(candidate, query)
        case .endSession
        where candidate.request.method == "GET"
            && (isStated || Self.isLogout(query, at: candidate.request.url)):
            return .endSession(call(candidate, query))
        default: return nil
        }
    }

    // MARK: - POST and the rest

    private func post(_ candidate: Candidate) -> OAuthMessage? {
        let posted = PostedParameters(candidate.request, at: candidate.index, to: candidate.role)
        if let message = message(ofForm: posted.form, candidate) { return message }
        if isTokenRequest(posted, candidate) { return .token(tokenRequest(candidate, posted.all)) }
        // Without a token, and where no metadata name it, a path of this name is any app's.
        if candidate.role == .userInfo { return userInfo(candidate, posted.all) }
        return post(byRoleOf: candidate, posted) ?? post(byContentOf: posted, candidate)
    }

    /// A message that a form shows to be one, wherever it is sent.
    private func message(ofForm form: Parameters?, _ candidate: Candidate) -> OAuthMessage? {
        guard let form else { return nil }
        if let token = form.parameter("logout_token"), !token.value.isEmpty {
            return .backChannelLogout(
                LogoutTokenDelivery(exchange: candidate.index, parameter: token, answer: candidate.answer)
            )
        }
        guard EndpointCall.isIdentityAssertion(candidate.request, form) else { return nil }
        return .identityAssertion(call(candidate, form))
    }

    private func isTokenRequest(_ posted: PostedParameters, _ candidate: Candidate) -> Bool {
        let parameters = posted.all
        let grant = parameters["grant_type"] ?? ""
        switch candidate.role {
        case .token:
            return candidate.isStated || !grant.isEmpty || Self.isExchangeOfCode(parameters)
                || (posted.isObjectsName || posted.json.map(CallSettings.isOne) ?? false)
                    && candidate.answer.error != nil
                || Self.isAnsweredAsTokenRequest(candidate.exchange, candidate.index)
        case .authorization: return Self.isTakenToAuthorizationEndpoint(parameters)
        case .pushedRequest: return false
        default: return Self.isKnownGrant(grant)
        }
    }

    private func post(byRoleOf candidate: Candidate, _ posted: PostedParameters) -> OAuthMessage? {
        let parameters = posted.all
        let isStated = candidate.isStated
        switch candidate.role {
        // What a template of the provider's has, an installation that registers itself from it leaves out (RFC 7591, section 2).
        case .registration
        where isStated || OtherNames.isRegistration(at: candidate.request.url)
            || ["redirect_uris", "grant_types", "software_id", "software_statement"].contains {
                posted.json?[$0] != nil
            } || Self.isAnsweredAsRegistration(candidate.exchange, candidate.index):
            return Self.registration(call(candidate, parameters))
        case .pushedRequest
        where isStated || ["client_id", "request", "response_type"].contains(where: parameters.contains):
            return .pushedRequest(call(candidate, parameters))
        case .introspection where parameters.contains("token"):
            return .introspection(call(candidate, parameters))
        case .revocation
        where parameters.contains("token")
            || Self.isAnsweredAsRevocation(candidate.exchange, candidate.index, isStated: isStated):
            return .revocation(call(candidate, parameters))
        case .deviceAuthorization where parameters.contains("client_id") || isStated:
            return .deviceAuthorization(call(candidate, parameters))
        case .backchannelAuthentication
        where isStated
            || ["login_hint", "login_hint_token", "id_token_hint", "request"].contains(
                where: parameters.contains
            ):
            return .backchannelAuthentication(call(candidate, parameters))
        case .endSession where Self.isLogout(parameters, at: candidate.request.url):
            return .endSession(call(candidate, parameters))
        default: return nil
        }
    }

    /// A message at a path that nobody knows, by its parameters and its answer.
    private func post(byContentOf posted: PostedParameters, _ candidate: Candidate) -> OAuthMessage? {
        let parameters = posted.all
        if Self.isDeviceAuthorization(candidate.exchange, candidate.index, parameters) {
            return .deviceAuthorization(call(candidate, parameters))
        }
        if Self.isAnsweredToBackchannelAuthentication(candidate.exchange, candidate.index) {
            return .backchannelAuthentication(call(candidate, parameters))
        }
        if posted.json?["redirect_uris"]?.array != nil {
            return Self.registration(call(candidate, parameters))
        }
        guard let form = posted.form, form.contains("response_type"), form.contains("client_id") else {
            return nil
        }
        // Posted by a client, and answered with a request_uri.
        return candidate.answer.parameters.contains("request_uri")
            ? .pushedRequest(call(candidate, form))
            : .authorizationRequest(authorizationRequest(candidate, form))
    }

    private func userInfo(_ candidate: Candidate, _ parameters: Parameters) -> OAuthMessage? {
        let call = call(candidate, parameters)
        return candidate.isStated || call.token != nil ? .userInfo(call) : nil
    }

    /// What is sent about a client: a new one, or, by PUT, a change of one (RFC 7592, section 2.2).
    private static func registration(_ call: EndpointCall) -> OAuthMessage {
        call.method == "PUT" ? .clientConfiguration(call) : .registration(call)
    }

    // MARK: - Making

    private func authorizationRequest(_ candidate: Candidate, _ parameters: Parameters)
        -> AuthorizationRequest
    {
        AuthorizationRequest(
            exchange: candidate.index,
            request: candidate.request,
            endpoint: endpoints.endpoint(of: candidate.request.url),
            parameters: parameters,
            status: candidate.exchange.response?.status
        )
    }

    private func tokenRequest(_ candidate: Candidate, _ parameters: Parameters) -> TokenRequest {
        TokenRequest(
            exchange: candidate.index,
            request: candidate.request,
            endpoint: endpoints.endpoint(of: candidate.request.url),
            parameters: parameters,
            answer: Answer.ofTokenEndpoint(candidate.exchange, at: candidate.index),
            startedAt: candidate.exchange.startedAt
        )
    }

    private func metadata(_ exchange: Exchange, _ index: Int, askedAt path: String) -> MetadataDocument {
        MetadataDocument(
            exchange: index,
            url: exchange.request.url,
            answer: Answer(of: exchange, at: index),
            isProtectedResource: ByteSearch.contains(path, "oauth-protected-resource")
        )
    }

    private func keySet(_ candidate: Candidate) -> KeySetDocument {
        KeySetDocument(
            exchange: candidate.index,
            url: candidate.request.url,
            endpoint: endpoints.endpoint(of: candidate.request.url),
            answer: candidate.answer,
            servedAt: candidate.exchange.endedAt
        )
    }

    private func call(_ candidate: Candidate, _ parameters: Parameters) -> EndpointCall {
        EndpointCall(
            exchange: candidate.index,
            request: candidate.request,
            endpoint: endpoints.endpoint(of: candidate.request.url),
            parameters: parameters,
            answer: candidate.answer
        )
    }

    /// `client`: as the address names it, for what the request does not say itself.
    private func configurationCall(_ exchange: Exchange, _ index: Int, _ client: Parameter) -> EndpointCall {
        let request = exchange.request
        var parameters =
            PostedParameters.object(in: request).map { Parameters($0, of: index, in: .requestBody) }
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
}
