import Flows

/// Words that products are known to refuse with, for what a recording does not show.
///
/// The strings are those that the rules' catalogue knows them by.
enum ProviderWording {
    struct Words: Sendable {
        var status: Int
        var error: String
        /// Nil where the product says no more than the code.
        var description: String?

        init(_ status: Int, _ error: String, _ description: String?) {
            self.status = status
            self.error = error
            self.description = description
        }
    }

    static func of(_ refusal: Refusal, _ kind: ProviderKind) -> Words? {
        switch kind {
        case .keycloak: keycloak[refusal]
        case .google: google[refusal]
        case .github: github[refusal]
        case .okta: okta[refusal]
        case .auth0: auth0[refusal]
        case .wso2: wso2[refusal]
        case .glewlwyd: glewlwyd[refusal]
        case .forgerock: forgerock[refusal]
        default: nil
        }
    }

    private static let keycloak: [Refusal: Words] = [
        .clientUnknown: Words(401, "invalid_client", "Invalid client or Invalid client credentials"),
        .clientSecretWrong: Words(401, "unauthorized_client", "Invalid client or Invalid client credentials"),
        .codeUnknown: Words(400, "invalid_grant", "Code not valid"),
        .codeUsed: Words(400, "invalid_grant", "Code not valid"),
        .codeExpired: Words(400, "invalid_grant", "Code not valid"),
        .redirectURIDiffers: Words(400, "invalid_grant", "Incorrect redirect_uri"),
        .verifierMissing: Words(400, "invalid_grant", "PKCE code verifier not specified"),
        .verifierWrong: Words(400, "invalid_grant", "PKCE verification failed: Code mismatch"),
        .refreshTokenInvalid: Words(400, "invalid_grant", "Token is not active"),
        .refreshTokenUsed: Words(400, "invalid_grant", "Maximum allowed refresh token reuse exceeded"),
        .deviceExpired: Words(400, "expired_token", "Device code is expired"),
        .redirectURIUnregistered: Words(400, "invalid_request", "Invalid parameter: redirect_uri"),
    ]

    private static let google: [Refusal: Words] = [
        .clientSecretWrong: Words(401, "invalid_client", "The provided client secret is invalid."),
        .clientUnknown: Words(401, "invalid_client", "The OAuth client was not found."),
        .codeUnknown: Words(400, "invalid_grant", "Malformed auth code."),
        .codeUsed: Words(400, "invalid_grant", "Bad Request"),
        .codeExpired: Words(400, "invalid_grant", "Bad Request"),
        .redirectURIDiffers: Words(400, "redirect_uri_mismatch", "Bad Request"),
        .verifierWrong: Words(400, "invalid_grant", "Invalid code verifier."),
        .refreshTokenInvalid: Words(400, "invalid_grant", "Token has been expired or revoked."),
        .devicePending: Words(428, "authorization_pending", nil),
    ]

    /// Errors travel with status 200.
    private static let github: [Refusal: Words] = [
        .codeUnknown: Words(200, "bad_verification_code", "The code passed is incorrect or expired."),
        .codeUsed: Words(200, "bad_verification_code", "The code passed is incorrect or expired."),
        .codeExpired: Words(200, "bad_verification_code", "The code passed is incorrect or expired."),
        .clientSecretWrong: Words(200, "incorrect_client_credentials", nil),
        .clientUnknown: Words(200, "incorrect_client_credentials", nil),
        .redirectURIDiffers: Words(
            200,
            "redirect_uri_mismatch",
            "The redirect_uri MUST match the registered callback URL for this application."
        ),
        .devicePending: Words(200, "authorization_pending", nil),
        .deviceTooFast: Words(200, "slow_down", nil),
        .deviceExpired: Words(200, "expired_token", nil),
    ]

    private static let okta: [Refusal: Words] = [
        .codeUnknown: Words(400, "invalid_grant", "The authorization code is invalid or has expired."),
        .codeUsed: Words(400, "invalid_grant", "The authorization code is invalid or has expired."),
        .codeExpired: Words(400, "invalid_grant", "The authorization code is invalid or has expired."),
        .verifierMissing: Words(400, "invalid_grant", "PKCE verification failed."),
        .verifierWrong: Words(400, "invalid_grant", "PKCE verification failed."),
        .refreshTokenInvalid: Words(400, "invalid_grant", "The refresh token is invalid or expired."),
        .refreshTokenUsed: Words(400, "invalid_grant", "The refresh token is invalid or expired."),
        .loginRequired: Words(
            400,
            "login_required",
            "The client specified not to prompt, but the user is not logged in."
        ),
    ]

    private static let auth0: [Refusal: Words] = [
        .codeUnknown: Words(400, "invalid_grant", "Invalid authorization code"),
        .codeUsed: Words(400, "invalid_grant", "Invalid authorization code"),
        .codeExpired: Words(400, "invalid_grant", "Invalid authorization code"),
        .verifierWrong: Words(400, "invalid_grant", "Failed to verify code verifier"),
        .refreshTokenInvalid: Words(400, "invalid_grant", "Unknown or invalid refresh token."),
        .refreshTokenUsed: Words(400, "invalid_grant", "Unknown or invalid refresh token."),
        .loginRequired: Words(400, "login_required", "Login required"),
    ]

    private static let wso2: [Refusal: Words] = [
        .codeUsed: Words(400, "invalid_grant", "Inactive authorization code received from token request"),
        .codeExpired: Words(
            400,
            "invalid_grant",
            "Expired or Revoked authorization code received from token request"
        ),
        .redirectURIDiffers: Words(400, "invalid_grant", "Callback url mismatch"),
        .verifierMissing: Words(400, "invalid_grant", "Empty PKCE code_verifier sent."),
        .verifierWrong: Words(400, "invalid_grant", "PKCE validation failed"),
        .refreshTokenInvalid: Words(400, "invalid_grant", "Persisted access token data not found"),
        .clientUnknown: Words(
            401,
            "invalid_client",
            "A valid OAuth client could not be found for client_id"
        ),
    ]

    private static let glewlwyd: [Refusal: Words] = [
        .clientSecretWrong: Words(403, "unauthorized_client", nil),
        .clientUnknown: Words(403, "unauthorized_client", nil),
        .codeUnknown: Words(403, "invalid_code", nil),
        .codeUsed: Words(403, "invalid_code", nil),
        .codeExpired: Words(403, "invalid_code", nil),
        .verifierMissing: Words(403, "invalid_code", nil),
        .verifierWrong: Words(403, "invalid_code", nil),
        .devicePending: Words(400, "authorization_pending", nil),
    ]

    private static let forgerock: [Refusal: Words] = [
        .codeUnknown: Words(
            400,
            "invalid_grant",
            "The provided access grant is invalid, expired, or revoked."
        ),
        .codeUsed: Words(400, "invalid_grant", "The provided access grant is invalid, expired, or revoked."),
        .codeExpired: Words(
            400,
            "invalid_grant",
            "The provided access grant is invalid, expired, or revoked."
        ),
        .verifierMissing: Words(400, "invalid_request", "code_verifier parameter required"),
        .redirectURIUnregistered: Words(
            400,
            "redirect_uri_mismatch",
            "The redirection URI provided does not match a pre-registered value."
        ),
    ]
}
