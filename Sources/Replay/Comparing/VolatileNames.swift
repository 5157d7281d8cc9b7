/// What the specifications say of values by their names: which are made up for one login, which are times, which are
/// sets, which are the client's own constants.
enum VolatileNames {
    /// How values of a name compare, whatever carries them.
    static func treatment(of name: String) -> Fact.Treatment {
        if isRemark(name) { return .remark }
        if isSet(name) { return .set }
        if isTime(name) { return .time }
        if isSpan(name) { return .span }
        return isVolatile(name) ? .volatile : .value
    }

    /// Made for one login, or of what was made for it.
    static func isVolatile(_ name: String) -> Bool { volatile.contains(name) }

    /// Seconds since the epoch.
    static func isTime(_ name: String) -> Bool { times.contains(name) }

    /// A number of seconds that a server counts down.
    static func isSpan(_ name: String) -> Bool { name.hasSuffix("expires_in") }

    /// Words in no order, separated by spaces (RFC 6749, section 3.3).
    static func isSet(_ name: String) -> Bool { sets.contains(name) }

    /// What a client is set up with: compared, though it travels like a value of one login.
    static func isConfiguration(_ name: String) -> Bool { configuration.contains(name.lowercased()) }

    /// Words for people, and numbers by which a provider finds its own log.
    static func isRemark(_ name: String) -> Bool { remarks.contains(name) }

    /// What a provider says of the person who signed in (OpenID Connect Core, section 5.1; Microsoft's `oid`, `upn`).
    static func isOfPerson(_ name: String) -> Bool { person.contains(name) }

    private static let person: Set<String> = [
        "sub", "name", "given_name", "family_name", "middle_name", "nickname", "preferred_username",
        "profile",
        "picture", "website", "email", "email_verified", "gender", "birthdate", "zoneinfo", "locale",
        "phone_number", "phone_number_verified", "address", "formatted", "street_address", "locality",
        "region",
        "postal_code", "country", "oid", "upn", "unique_name", "username", "user_id", "displayName",
    ]

    private static let volatile: Set<String> = [
        "state", "nonce", "code", "code_challenge", "code_verifier", "access_token", "refresh_token",
        "id_token",
        "id_token_hint", "request_uri", "device_code", "user_code", "session_state", "sid", "jti", "at_hash",
        "c_hash", "s_hash", "ath", "client_assertion", "assertion", "request", "response", "logout_token",
        "token",
        "subject_token", "actor_token", "auth_req_id", "registration_access_token", "jkt", "x5t", "x5t#S256",
        "kid",
    ]

    private static let times: Set<String> = [
        "exp", "iat", "nbf", "auth_time", "updated_at", "client_id_issued_at", "expires_at", "expires_on",
        "not_before", "last_login",
    ]

    private static let sets: Set<String> = [
        "scope", "scp", "response_type", "prompt", "acr_values", "ui_locales", "claims_locales",
    ]

    private static let configuration: Set<String> = [
        "client_id", "client_secret", "redirect_uri", "post_logout_redirect_uri", "username", "user", "login",
        "email", "password", "login_hint", "iss", "issuer", "aud", "azp", "tid", "tenant", "scope",
        "resource",
        "audience", "registration_client_uri", "domain_hint", "organization", "connection",
    ]

    private static let remarks: Set<String> = [
        "error_description", "error_uri", "error_codes", "trace_id", "correlation_id", "timestamp", "message",
        "suberror", "updated_at",
    ]
}
