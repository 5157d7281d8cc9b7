/// How a refusal is said where nothing is known of how a provider says it.
extension Refusal {
    /// Status, code and words of the specification (RFC 6749, sections 4.1.2.1 and 5.2; RFC 8628, section 3.5; OpenID Connect CIBA,
    /// section 13; RFC 9449, section 5; RFC 9101, section 6.2).
    var standard: (status: Int, error: String, description: String) {
        // Each refusal has its row.
        Self.standards[self] ?? (400, "invalid_request", "the request is refused")
    }

    private static let standards = Dictionary(
        table.map { ($0.refusal, (status: $0.status, error: $0.error, description: $0.description)) },
        uniquingKeysWith: { first, _ in first }
    )

    /// Of each refusal one.
    static let table: [(refusal: Refusal, status: Int, error: String, description: String)] = [
        // The client
        (.clientUnknown, 401, "invalid_client", "the client is not known"),
        (.clientAuthenticationMissing, 401, "invalid_client", "client authentication is missing"),
        (.clientAuthenticationDoubled, 400, "invalid_request", "two kinds of client authentication at once"),
        (.clientDiffers, 400, "invalid_request", "client_id is not the client that authenticated"),
        (
            .clientMethodDiffers, 401, "invalid_client",
            "the client is registered for another way of authentication"
        ),
        (.clientSecretWrong, 401, "invalid_client", "the client secret is wrong"),
        (
            .clientAssertionInvalid, 401, "invalid_client",
            "the client assertion is not one of this client for this server"
        ),
        (
            .clientAssertionExpired, 401, "invalid_client",
            "the client assertion has expired, or is not yet valid"
        ),
        (
            .clientAssertionKeyUnknown, 401, "invalid_client",
            "the kid of the client assertion is of no key of the client"
        ),
        (
            .clientAssertionSignatureWrong, 401, "invalid_client",
            "the signature of the client assertion is not valid"
        ),
        (.clientAssertionUsed, 401, "invalid_client", "the client assertion was used before"),
        // A token request
        (.bodyNotForm, 400, "invalid_request", "the parameters are not sent as a form"),
        (.grantTypeMissing, 400, "invalid_request", "grant_type is missing"),
        (.grantTypeUnsupported, 400, "unsupported_grant_type", "this grant is not supported"),
        (.grantTypeUnregistered, 400, "unauthorized_client", "the client is not registered for this grant"),
        (.parameterMissing, 400, "invalid_request", "a parameter is missing"),
        (.parameterRepeated, 400, "invalid_request", "a parameter is included more than once"),
        (.codeUnknown, 400, "invalid_grant", "the code is not known"),
        (.codeUsed, 400, "invalid_grant", "the code was used before"),
        (.codeExpired, 400, "invalid_grant", "the code has expired"),
        (.redirectURIDiffers, 400, "invalid_grant", "redirect_uri differs from the authorization request's"),
        (.verifierMissing, 400, "invalid_grant", "code_verifier is missing"),
        (
            .verifierMalformed, 400, "invalid_grant",
            "the code_verifier has not 43 to 128 unreserved characters"
        ),
        (.verifierWrong, 400, "invalid_grant", "the code_verifier does not match the code_challenge"),
        (.verifierUnexpected, 400, "invalid_grant", "a code_verifier without a code_challenge"),
        (.refreshTokenInvalid, 400, "invalid_grant", "the refresh token is not valid"),
        (.refreshTokenUsed, 400, "invalid_grant", "the refresh token was used before"),
        (.scopeTooWide, 400, "invalid_scope", "more is asked for than was granted"),
        (.resourceNotGranted, 400, "invalid_target", "the login was not for this resource"),
        (.resourceMalformed, 400, "invalid_target", "a resource is an absolute URI without a fragment"),
        (.proofInvalid, 400, "invalid_dpop_proof", "the DPoP proof is missing, of another key, or not valid"),
        (.proofNonceNeeded, 400, "use_dpop_nonce", "the DPoP proof needs the nonce of this answer"),
        (.devicePending, 400, "authorization_pending", "the user has not agreed yet"),
        (.deviceTooFast, 400, "slow_down", "polled faster than the interval allows"),
        (.deviceExpired, 400, "expired_token", "the device code has expired"),
        (.deviceUnknown, 400, "invalid_grant", "what is polled for is not known, or was answered"),
        (.deviceDenied, 400, "access_denied", "the user did not agree"),
        (.credentialsWrong, 400, "invalid_grant", "user name or password is wrong"),
        (.subjectTokenInvalid, 400, "invalid_request", "the subject_token is not valid"),
        (.assertionInvalid, 400, "invalid_grant", "the assertion is not valid, or has expired"),
        // A back-channel authentication request
        (.userUnknown, 400, "unknown_user_id", "the hint is of no user here"),
        (.expiryMalformed, 400, "invalid_request", "requested_expiry is no positive number of seconds"),
        // A call with a token
        (.tokenMissing, 401, "invalid_request", "an access token is missing"),
        (.tokenDoubled, 400, "invalid_request", "the access token is sent twice"),
        (.tokenInvalid, 401, "invalid_token", "the access token is not valid"),
        (.scopeInsufficient, 403, "insufficient_scope", "the access token is not for openid"),
        (.tokenOfAnotherClient, 400, "invalid_grant", "the token was issued to another client"),
        // An authorization request
        (
            .redirectURIUnregistered, 400, "invalid_request",
            "The redirect_uri is not registered for this client."
        ),
        (
            .requestURIUnknown, 400, "invalid_request_uri",
            "the request_uri is not known, was used, or has expired"
        ),
        (.requestURIPushed, 400, "invalid_request", "a request_uri cannot be pushed"),
        (
            .requestURINotSupported, 400, "request_uri_not_supported",
            "request objects are not fetched: send them, or push them"
        ),
        (.requestObjectInvalid, 400, "invalid_request_object", "the request object is not valid"),
        (.requestUnsigned, 400, "invalid_request", "the client is registered to sign its requests"),
        (.responseTypeMissing, 400, "invalid_request", "response_type is missing"),
        (.responseTypeUnsupported, 400, "unsupported_response_type", "this response_type is not supported"),
        (
            .responseTypeUnregistered, 400, "unauthorized_client",
            "the client is not registered for this response_type"
        ),
        (.responseModeUnsupported, 400, "invalid_request", "response_mode is not supported"),
        (.openIDMissing, 400, "invalid_scope", "scope does not name openid"),
        (
            .nonceMissing, 400, "invalid_request",
            "a nonce is required where the ID token comes by way of the browser"
        ),
        (.challengeMissing, 400, "invalid_request", "code_challenge is required"),
        (.challengeMethodUnsupported, 400, "invalid_request", "code_challenge_method is not supported"),
        (.promptBesideNone, 400, "invalid_request", "prompt names none with another value"),
        (.maxAgeMalformed, 400, "invalid_request", "max_age is no number of seconds"),
        (.claimsMalformed, 400, "invalid_request", "claims is no JSON object"),
        (.hintForeign, 400, "invalid_request", "the id_token_hint was not issued here"),
        (.loginRequired, 400, "login_required", "there is no session"),
        (.userCancelled, 400, "access_denied", "the user cancelled"),
        // Registration
        (
            .redirectURIInvalid, 400, "invalid_redirect_uri",
            "redirect_uris is missing or empty, or has what is no absolute URI"
        ),
        (.metadataInvalid, 400, "invalid_client_metadata", "the body is no JSON object"),
        (.metadataForeign, 400, "invalid_client_metadata", "client_id or client_secret is not this client's"),
        (
            .authenticationMethodUnknown, 400, "invalid_client_metadata",
            "token_endpoint_auth_method is none that is known here"
        ),
        (.keysDoubled, 400, "invalid_client_metadata", "jwks and jwks_uri are not sent together"),
    ]
}
