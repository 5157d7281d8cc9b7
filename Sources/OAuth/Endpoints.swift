package import Captures
package import JSON

/// The endpoints that a capture's metadata documents name.
package struct Endpoints: Sendable {
    /// What an endpoint is for, by the member of the metadata that names it (RFC 8414, section 2).
    package enum Role: String, Sendable, Hashable, CaseIterable {
        case authorization = "authorization_endpoint"
        case token = "token_endpoint"
        case userInfo = "userinfo_endpoint"
        case keys = "jwks_uri"
        case registration = "registration_endpoint"
        case pushedRequest = "pushed_authorization_request_endpoint"
        case introspection = "introspection_endpoint"
        case revocation = "revocation_endpoint"
        case endSession = "end_session_endpoint"
        case deviceAuthorization = "device_authorization_endpoint"
        case backchannelAuthentication = "backchannel_authentication_endpoint"
    }

    private var roles = EndpointTable<Role>()

    package init() {}

    /// Adds what a document names; the first one to name a URL decides.
    package mutating func add(_ document: JSONObject) {
        for role in Role.allCases {
            for object in [document, document["mtls_endpoint_aliases"]?.object ?? JSONObject()] {
                guard let url = object[role.rawValue]?.string, !url.isEmpty else { continue }
                roles.add(RecordedURL(url), role)
            }
        }
    }

    /// The role that the metadata give to a URL; not stated where a request has another query than the endpoints at its path, so that
    /// its parameters have to confirm it.
    func role(of url: RecordedURL) -> (role: Role, isStated: Bool)? {
        if let entry = roles.entry(of: url) { return (entry.value, true) }
        let all = roles.entries(at: url)
        guard let first = all.first, all.allSatisfy({ $0.value == first.value }) else { return nil }
        return (first.value, all.count == 1 && !first.address.contradicts(EndpointAddress(url)))
    }

    /// The endpoint that a request is made to: its URL, with no more of the query than belongs to the endpoint.
    package func endpoint(of url: RecordedURL) -> RecordedURL {
        guard url.query != nil || url.fragment != nil else { return url }
        let own = roles.entry(of: url).map { $0.url.query } ?? Self.route(in: url)?.item
        return RecordedURL(url.withoutQuery + (own.map { "?\($0)" } ?? ""))
    }

    /// The role that providers in the field give to a path, for captures without metadata.
    ///
    /// Parameters have to confirm it.
    package static func conventionalRole(of url: RecordedURL) -> Role? {
        conventionalRole(of: url.path) ?? route(in: url).flatMap { conventionalRole(of: $0.path) }
    }

    private static func conventionalRole(of path: String) -> Role? {
        var path = path.lowercased()
        // As frameworks write it that end every path so (Django's: Authentik, TikTok).
        if path.utf8.last == 0x2f { path.removeLast() }
        // Without rewriting of addresses (SimpleSAMLphp's, Moodle's plugins).
        if path.hasSuffix(".php") { path.removeLast(4) }
        for (role, suffixes) in conventions where suffixes.contains(where: path.hasSuffix) { return role }
        // MyInfo is asked for a person by the token's subject.
        return ["/com/v4/person/", "/com/v3/person/"].contains { ByteSearch.contains(path, $0) }
            ? .userInfo : nil
    }

    /// What tells the endpoints of a script or a site's home page apart: a path in a parameter, as PHP's frameworks have it where the
    /// server does not rewrite addresses (`index.php?route=oauth/token`, WordPress' `/?rest_route=/oauth/token` and `/?oauth=token`), or
    /// the policy of Azure AD B2C (`?p=B2C_1_signin`), which is in no path.
    static func route(in url: RecordedURL) -> (item: String, path: String)? {
        guard let query = url.query else { return nil }
        let isScript = url.path.isEmpty || url.path.hasSuffix("/") || url.path.hasSuffix(".php")
        for item in QueryItems(query).items {
            let text = "\(item.name)=\(item.rawValue)"
            // Yii's has a controller and an action; alone, an r is often a number against caches.
            let isRoute = routes.contains(item.name) && (item.name != "r" || item.value.containsBytes("/"))
            if isScript, isRoute, !item.value.isEmpty {
                // The one name that WordPress' plugin has of its own.
                return (text, item.name == "oauth" && item.value == "me" ? "/userinfo" : "/\(item.value)")
            }
            if item.name == "p", item.value.asciiLowercased().hasPrefix("b2c_1") { return (text, "") }
        }
        return nil
    }

    private static let routes: Set<String> = ["route", "rest_route", "r", "oauth"]

    /// Whether a path is one that only a provider's logout endpoint has.
    package static func isProtocolLogout(_ url: RecordedURL) -> Bool {
        let path = url.path.lowercased()
        return protocolLogouts.contains(where: path.hasSuffix)
            // Of one of Okta's authorization servers, which has its name before.
            || path.hasPrefix("/oauth2/") && path.hasSuffix("/v1/logout")
    }

    /// Whether an address is one that only a provider's revocation endpoint has.
    static func isProtocolRevocation(_ url: RecordedURL) -> Bool {
        let path = url.path.lowercased()
        return ["oauth2.googleapis.com", "appleid.apple.com"].contains(url.host)
            || ["/oauth/", "/oauth2/", "/openid-connect/", "/connect/"].contains(where: path.containsBytes)
    }

    private static let protocolLogouts = [
        "/openid-connect/logout", "/oidc/logout", "/oauth2/logout", "/oauth2/v1/logout",
        "/oauth2/v2.0/logout",
        "/v2/logout", "/end_session", "/endsession", "/end-session", "/session/end", "/oauth-logout",
        "/startslo.ping",
    ]

    private static let conventions: [(Role, [String])] = [
        // Before those that some of them end like: Auth0 and ForgeRock, Okta, Keycloak, Ping, WSO2 and Duende, Curity.
        (
            .backchannelAuthentication,
            [
                "/bc-authorize", "/bc/authorize", "/ciba/auth", "/bc-auth.ciba", "/oauth2/ciba",
                "/connect/ciba", "/oauth-backchannel-authentication",
                "/backchannel/authentication", "/backchannel_authentication", "/backchannel-authentication",
            ]
        ),
        (
            .deviceAuthorization,
            [
                "/device/code", "/device_authorization", "/devicecode", "/device-authorization",
                "/device/authorize", "/auth/device",
                "/deviceauthorization", "/device_authz.oauth2", "/oauth-device-authorization",
            ]
        ),
        (.pushedRequest, ["/par", "/as/par.oauth2", "/ext/par/request", "/oauth-authorize/par"]),
        (
            .introspection,
            ["/introspect", "/introspection", "/introspect.oauth2", "/oauth-introspect", "/token_info"]
        ),
        (.revocation, ["/revoke", "/revocation", "/revoke_token", "/oauth-revoke", "/token/revoke"]),
        (
            .userInfo,
            [
                "/userinfo", "/userinfo.openid", "/openid.connect.userinfo", "/oauth-userinfo", "/user_info",
                "/com/v4/person",
                "/v1/person",
            ]
        ),
        (
            .endSession,
            [
                "/logout", "/end_session", "/endsession", "/end-session", "/signout", "/session/end",
                "/oauth-logout", "/startslo.ping",
            ]
        ),
        (
            .token,
            [
                "/token", "/access_token", "/accesstoken", "/token.oauth2", "/oauth-token", "/oauth.access",
                "/oauth.v2.access", "/openid.connect.token",
            ]
        ),
        (
            .authorization,
            [
                "/authorize", "/authorise", "/authorization.oauth2", "/oauth-authorize", "/oidc/auth",
                "/openid-connect/auth", "/oauth2/v2/auth", "/oauth2/auth", "/authorization", "/auth",
            ]
        ),
        (.keys, ["/jwks", "/jwks.json", "/certs", "/keys", "/jwk_uri"]),
        (
            .registration,
            ["/register", "/registration", "/oauth-registration", "/clients-registrations/openid-connect"]
        ),
    ]
}
