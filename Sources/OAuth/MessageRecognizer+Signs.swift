import Captures
import JSON

/// What shows which message an exchange is, where its address does not say it all.
extension MessageRecognizer {
    /// A page of the app that the provider loads in a hidden frame (OpenID Connect Front-Channel Logout, section 3): it is
    /// told whose session, and by whom, which belong together.
    ///
    /// On a machine of a developer's the app and the provider differ by their ports.
    static func isFrontChannelLogout(_ query: Parameters, at url: RecordedURL) -> Bool {
        guard let session = query["sid"], !session.isEmpty,
            let issuer = query["iss"].map({ RecordedURL($0) }), issuer.isWeb,
            issuer.server != url.server
        else { return false }
        return !["code", "error", "id_token", "response", "state"].contains(where: query.contains)
    }

    /// A device authorization request at a path that nobody knows, by its answer (RFC 8628, section 3.2); where it is refused, by
    /// the OAuth error and the path.
    static func isDeviceAuthorization(_ exchange: Exchange, _ index: Int, _ parameters: Parameters)
        -> Bool
    {
        if exchange.request.isBodyUnsaved, isAnsweredAsDeviceAuthorization(exchange, index) { return true }
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

    /// The same of one that was saved without its body, by all that such an answer has to hold.
    private static func isAnsweredAsDeviceAuthorization(_ exchange: Exchange, _ index: Int) -> Bool {
        guard exchange.request.method == "POST", exchange.response?.body?.essence?.hasSuffix("json") == true
        else { return false }
        let answer = Answer(of: exchange, at: index)
        return answer.isSuccess
            && ["device_code", "user_code", "expires_in"].allSatisfy(answer.parameters.contains)
    }

    /// Whether an answer is that to a client that asks for a user's sign-in on another device, at whatever path (OpenID Connect CIBA,
    /// section 7.3).
    static func isAnsweredToBackchannelAuthentication(_ exchange: Exchange, _ index: Int) -> Bool {
        guard exchange.request.method == "POST", let body = exchange.response?.body,
            body.essence?.hasSuffix("json") == true, (body.size ?? 0) < 1 << 13
        else { return false }
        let answer = Answer(of: exchange, at: index)
        return answer.isSuccess && ["auth_req_id", "expires_in"].allSatisfy(answer.parameters.contains)
    }

    static func isAuthorizationRequest(_ query: Parameters, _ role: Endpoints.Role?, isStated: Bool)
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

    /// Whether a request that was saved without its body is answered as a token request is (RFC 6749, section 5).
    static func isAnsweredAsTokenRequest(_ exchange: Exchange, _ index: Int) -> Bool {
        guard exchange.request.isBodyUnsaved, exchange.request.url.query == nil else { return false }
        let answer = Answer(of: exchange, at: index)
        if answer.parameters.contains("access_token") { return answer.parameters.contains("token_type") }
        // Any app's server may call so what it does not like; what pages send it is no form mostly.
        if answer.error?.error == "invalid_request" {
            return isForm(exchange.request) && answer.parameters.contains("error_description")
        }
        return answer.error.map { errors.contains($0.error) || waits.contains($0.error) } ?? false
    }

    /// What a token endpoint alone answers: to the polls of a device (RFC 8628, section 3.5), and to a proof without nonce.
    private static let waits: Set<String> = ["authorization_pending", "slow_down", "use_dpop_nonce"]

    /// Whether a request that was saved without its body is answered as the registration of a client is (RFC 7591, section 3.2.1).
    static func isAnsweredAsRegistration(_ exchange: Exchange, _ index: Int) -> Bool {
        guard exchange.request.isBodyUnsaved else { return false }
        let answer = Answer(of: exchange, at: index)
        return answer.isSuccess && answer.json?["client_id"]?.string != nil
            && answer.json?["redirect_uris"]?.array != nil
    }

    /// Whether a request that was saved without its body is answered as a revocation is (RFC 7009, section 2.2).
    ///
    /// An empty answer is anybody's: metadata have to name the address, or a form be sent to one that only a provider has, by a client
    /// that is no page, and that is shown none: its cookies may be left out of the capture.
    static func isAnsweredAsRevocation(_ exchange: Exchange, _ index: Int, isStated: Bool) -> Bool {
        let request = exchange.request
        guard request.isBodyUnsaved else { return false }
        let answer = Answer(of: exchange, at: index)
        guard !answer.isSuccess else {
            let isProtocol =
                isForm(request) && !request.headers.contains("cookie")
                && !(exchange.response?.body?.isPage ?? false)
                && Endpoints.isProtocolRevocation(request.url)
            return isStated || isProtocol
        }
        return (isStated || isForm(request)) && answer.error?.error == "invalid_client"
    }

    private static func isForm(_ request: RecordedRequest) -> Bool {
        let type = request.headers.first("content-type").map(Body.essence(of:)) ?? request.body?.essence
        return type == FormBody.mediaType
    }

    private static let errors: Set<String> = [
        "invalid_client", "invalid_grant", "unauthorized_client", "unsupported_grant_type", "invalid_scope",
    ]

    /// The endpoints of GitHub, Slack and Facebook take a code without the grant being named.
    ///
    /// Some clients send GitHub the `state` as well; without the secret it is a callback's.
    static func isExchangeOfCode(_ parameters: Parameters) -> Bool {
        // The client may be named in the header.
        parameters.contains("code")
            && ["client_id", "client_secret", "redirect_uri"].contains(where: parameters.contains)
            && (!parameters.contains("state") || parameters.contains("client_secret"))
    }

    /// Whether a client has taken a code, or a refresh token, to the address where logins begin, or its own credentials: no page of the
    /// provider's sends those back there.
    static func isTakenToAuthorizationEndpoint(_ parameters: Parameters) -> Bool {
        switch parameters["grant_type"] {
        case "authorization_code": isExchangeOfCode(parameters)
        case "refresh_token": parameters.contains("refresh_token")
        case "client_credentials": true
        default: false
        }
    }

    static func isKnownGrant(_ grant: String) -> Bool {
        ["authorization_code", "refresh_token", "client_credentials", "password"].contains(grant)
            || grant.hasPrefix("urn:ietf:params:oauth:grant-type:")
            || grant.hasPrefix("urn:openid:params:grant-type:")
    }

    /// Whether parameters at a path that ends like a logout's make it one of the protocol: an app has pages of
    /// that name, too.
    static func isLogout(_ parameters: Parameters, at url: RecordedURL) -> Bool {
        if parameters.items.contains(where: { logoutNames.contains($0.name) }) { return true }
        // Who it is that asks, and not where to go on: Cognito refuses that, others show a page of their own.
        if let client = parameters["client_id"], !client.isEmpty { return true }
        guard parameters.contains("returnTo") || parameters.contains("redirect_uri") else { return false }
        return parameters.contains("client_id") || Endpoints.isProtocolLogout(url)
    }

    private static let logoutNames: Set<String> = [
        "id_token_hint", "post_logout_redirect_uri", "logout_uri", "logout_hint",
    ]
}
