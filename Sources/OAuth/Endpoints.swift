package import Captures
package import JSON

/// The endpoints that a capture's metadata documents name, by URL without query.
package struct Endpoints: Sendable {
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
    }

    private var roles: [String: Role] = [:]

    package init() {}

    /// Adds what a document names; the first one to name a URL decides.
    package mutating func add(_ document: JSONObject) {
        for role in Role.allCases {
            for object in [document, document["mtls_endpoint_aliases"]?.object ?? JSONObject()] {
                guard let url = object[role.rawValue]?.string, !url.isEmpty else { continue }
                let key = Self.key(RecordedURL(url))
                if roles[key] == nil { roles[key] = role }
            }
        }
    }

    package func role(of url: RecordedURL) -> Role? { roles[Self.key(url)] }

    private static func key(_ url: RecordedURL) -> String { (url.origin ?? "") + url.path }

    /// The role that providers in the field give to a path, for captures without metadata.
    ///
    /// Parameters have to confirm it.
    package static func conventionalRole(of url: RecordedURL) -> Role? {
        var path = url.path.lowercased()
        // As frameworks write it that end every path so (Django's: Authentik, TikTok).
        if path.utf8.last == 0x2f { path.removeLast() }
        for (role, suffixes) in conventions where suffixes.contains(where: path.hasSuffix) { return role }
        return nil
    }

    /// Whether a path is one that only a provider's logout endpoint has.
    package static func isProtocolLogout(_ url: RecordedURL) -> Bool {
        let path = url.path.lowercased()
        return protocolLogouts.contains(where: path.hasSuffix)
    }

    private static let protocolLogouts = [
        "/openid-connect/logout", "/oidc/logout", "/oauth2/logout", "/oauth2/v1/logout",
        "/oauth2/v2.0/logout",
        "/v2/logout", "/end_session", "/endsession", "/end-session", "/session/end", "/oauth-logout",
        "/startslo.ping",
    ]

    private static let conventions: [(Role, [String])] = [
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
                "/authorize", "/authorization.oauth2", "/oauth-authorize", "/oidc/auth",
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
