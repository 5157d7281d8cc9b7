import JOSE
import JSON
import OAuth

/// A client that registered itself, and what it is told that it has (RFC 7591, section 3.2.1).
struct ClientRegistration {
    var client: ProviderConfiguration.Client
    var members: JSONObject

    /// Whether the client may use a grant (RFC 7591, section 2); refresh tokens come with all of them.
    func allows(grantType: String) -> Bool {
        guard grantType != "refresh_token", let registered = members["grant_types"]?.array else {
            return true
        }
        return registered.contains { $0.string == grantType }
    }

    /// Whether the client may ask for a `response_type`, whose words have no order (OAuth 2.0 Multiple Response Types, section 3).
    func allows(responseType types: Set<String>) -> Bool {
        guard let registered = members["response_types"]?.array else { return true }
        return registered.contains { Set(($0.string ?? "").spaceDelimited) == types }
    }

    /// Whether the client may authenticate in a way (RFC 7591, section 2).
    ///
    /// A missing secret is told as that, and a certificate is not asked for.
    func allows(authentication method: ClientAuthentication.Method) -> Bool {
        switch client.authenticationMethods.first {
        case "client_secret_basic": method == .secretBasic || method == .none
        case "client_secret_post": method == .secretPost || method == .none
        case "client_secret_jwt", "private_key_jwt": method == .assertion
        case "none": method != .assertion
        default: true
        }
    }

    /// Whether the client has to sign its authorization requests (RFC 9101, section 10.5).
    var requiresSignedRequests: Bool { members["require_signed_request_object"] == true }

    /// The `max_age` of requests that have none (OpenID Connect Registration, section 2).
    var defaultMaxAge: Int64? { members["default_max_age"]?.int }
}
