/// The errors by which a provider answers an authorization request at the redirect URI.
enum AuthorizationErrors {
    /// RFC 6749, section 4.1.2.1; OpenID Connect Core, section 3.1.2.6; RFC 8707, section 2; RFC 9396, section 5; OpenID
    /// Connect Prompt Create, section 4.1; OpenID Connect Unmet Authentication Requirements, section 2.
    ///
    /// Last, what providers send besides.
    static let names = Set(PostedMessage.silentErrors).union([
        "invalid_request", "unauthorized_client", "access_denied", "unsupported_response_type",
        "invalid_scope", "server_error", "temporarily_unavailable", "invalid_request_uri",
        "invalid_request_object",
        "request_not_supported", "request_uri_not_supported", "registration_not_supported", "invalid_target",
        "invalid_authorization_details", "unmet_authentication_requirements", "invalid_client",
        "invalid_grant",
        "unauthorized", "consent_denied", "user_cancelled", "cancelled", "redirect_uri_mismatch",
    ])
}
