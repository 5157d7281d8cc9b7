/// Why the engine refuses a request.
enum Refusal: String, Sendable, Hashable, CaseIterable {
    // The client
    case clientUnknown
    case clientAuthenticationMissing
    case clientAuthenticationDoubled
    case clientDiffers
    case clientMethodDiffers
    case clientSecretWrong
    case clientAssertionInvalid
    case clientAssertionExpired
    case clientAssertionKeyUnknown
    case clientAssertionSignatureWrong
    case clientAssertionUsed
    // A token request
    case bodyNotForm
    case grantTypeMissing
    case grantTypeUnsupported
    case grantTypeUnregistered
    case parameterMissing
    case parameterRepeated
    case codeUnknown
    case codeUsed
    case codeExpired
    case redirectURIDiffers
    case verifierMissing
    case verifierMalformed
    case verifierWrong
    case verifierUnexpected
    case refreshTokenInvalid
    case refreshTokenUsed
    case scopeTooWide
    case resourceNotGranted
    case resourceMalformed
    case proofInvalid
    case proofNonceNeeded
    case devicePending
    case deviceTooFast
    case deviceExpired
    case deviceUnknown
    case deviceDenied
    case credentialsWrong
    case subjectTokenInvalid
    case assertionInvalid
    // A back-channel authentication request
    case userUnknown
    case expiryMalformed
    // A call with a token
    case tokenMissing
    case tokenDoubled
    case tokenInvalid
    case scopeInsufficient
    case tokenOfAnotherClient
    // An authorization request
    case redirectURIUnregistered
    case requestURIUnknown
    case requestURIPushed
    case requestURINotSupported
    case requestObjectInvalid
    case requestUnsigned
    case responseTypeMissing
    case responseTypeUnsupported
    case responseTypeUnregistered
    case responseModeUnsupported
    case openIDMissing
    case nonceMissing
    case challengeMissing
    case challengeMethodUnsupported
    case promptBesideNone
    case maxAgeMalformed
    case claimsMalformed
    case hintForeign
    case loginRequired
    case userCancelled
    // Registration
    case redirectURIInvalid
    case metadataInvalid
    case metadataForeign
    case authenticationMethodUnknown
    case keysDoubled

    /// Status, code and words of the specification (RFC 6749, sections 4.1.2.1 and 5.2; RFC 8628, section 3.5; OpenID Connect CIBA,
    /// section 13; RFC 9449, section 5; RFC 9101, section 6.2), where nothing is known of how a provider says it.
    var standard: (status: Int, error: String, description: String) {
        switch self {
        case .clientUnknown: (401, "invalid_client", "the client is not known")
        case .clientAuthenticationMissing: (401, "invalid_client", "client authentication is missing")
        case .clientAuthenticationDoubled:
            (400, "invalid_request", "two kinds of client authentication at once")
        case .clientDiffers:
            (400, "invalid_request", "client_id is not the client that authenticated")
        case .clientMethodDiffers:
            (401, "invalid_client", "the client is registered for another way of authentication")
        case .clientSecretWrong: (401, "invalid_client", "the client secret is wrong")
        case .clientAssertionInvalid:
            (401, "invalid_client", "the client assertion is not one of this client for this server")
        case .clientAssertionExpired:
            (401, "invalid_client", "the client assertion has expired, or is not yet valid")
        case .clientAssertionKeyUnknown:
            (401, "invalid_client", "the kid of the client assertion is of no key of the client")
        case .clientAssertionSignatureWrong:
            (401, "invalid_client", "the signature of the client assertion is not valid")
        case .clientAssertionUsed: (401, "invalid_client", "the client assertion was used before")
        case .bodyNotForm: (400, "invalid_request", "the parameters are not sent as a form")
        case .grantTypeMissing: (400, "invalid_request", "grant_type is missing")
        case .grantTypeUnsupported: (400, "unsupported_grant_type", "this grant is not supported")
        case .grantTypeUnregistered:
            (400, "unauthorized_client", "the client is not registered for this grant")
        case .parameterMissing: (400, "invalid_request", "a parameter is missing")
        case .parameterRepeated: (400, "invalid_request", "a parameter is included more than once")
        case .codeUnknown: (400, "invalid_grant", "the code is not known")
        case .codeUsed: (400, "invalid_grant", "the code was used before")
        case .codeExpired: (400, "invalid_grant", "the code has expired")
        case .redirectURIDiffers:
            (400, "invalid_grant", "redirect_uri differs from the authorization request's")
        case .verifierMissing: (400, "invalid_grant", "code_verifier is missing")
        case .verifierMalformed:
            (400, "invalid_grant", "the code_verifier has not 43 to 128 unreserved characters")
        case .verifierWrong: (400, "invalid_grant", "the code_verifier does not match the code_challenge")
        case .verifierUnexpected: (400, "invalid_grant", "a code_verifier without a code_challenge")
        case .refreshTokenInvalid: (400, "invalid_grant", "the refresh token is not valid")
        case .refreshTokenUsed: (400, "invalid_grant", "the refresh token was used before")
        case .scopeTooWide: (400, "invalid_scope", "more is asked for than was granted")
        case .resourceNotGranted:
            (400, "invalid_target", "the login was not for this resource")
        case .resourceMalformed:
            (400, "invalid_target", "a resource is an absolute URI without a fragment")
        case .proofInvalid:
            (400, "invalid_dpop_proof", "the DPoP proof is missing, of another key, or not valid")
        case .proofNonceNeeded: (400, "use_dpop_nonce", "the DPoP proof needs the nonce of this answer")
        case .devicePending: (400, "authorization_pending", "the user has not agreed yet")
        case .deviceTooFast: (400, "slow_down", "polled faster than the interval allows")
        case .deviceExpired: (400, "expired_token", "the device code has expired")
        case .deviceUnknown: (400, "invalid_grant", "what is polled for is not known, or was answered")
        case .deviceDenied: (400, "access_denied", "the user did not agree")
        case .credentialsWrong: (400, "invalid_grant", "user name or password is wrong")
        case .subjectTokenInvalid: (400, "invalid_request", "the subject_token is not valid")
        case .assertionInvalid: (400, "invalid_grant", "the assertion is not valid, or has expired")
        case .userUnknown: (400, "unknown_user_id", "the hint is of no user here")
        case .expiryMalformed: (400, "invalid_request", "requested_expiry is no positive number of seconds")
        case .tokenMissing: (401, "invalid_request", "an access token is missing")
        case .tokenDoubled: (400, "invalid_request", "the access token is sent twice")
        case .tokenInvalid: (401, "invalid_token", "the access token is not valid")
        case .scopeInsufficient: (403, "insufficient_scope", "the access token is not for openid")
        case .tokenOfAnotherClient: (400, "invalid_grant", "the token was issued to another client")
        case .redirectURIUnregistered:
            (400, "invalid_request", "The redirect_uri is not registered for this client.")
        case .requestURIUnknown:
            (400, "invalid_request_uri", "the request_uri is not known, was used, or has expired")
        case .requestURIPushed: (400, "invalid_request", "a request_uri cannot be pushed")
        case .requestURINotSupported:
            (400, "request_uri_not_supported", "request objects are not fetched: send them, or push them")
        case .requestObjectInvalid: (400, "invalid_request_object", "the request object is not valid")
        case .requestUnsigned:
            (400, "invalid_request", "the client is registered to sign its requests")
        case .responseTypeMissing: (400, "invalid_request", "response_type is missing")
        case .responseTypeUnsupported:
            (400, "unsupported_response_type", "this response_type is not supported")
        case .responseTypeUnregistered:
            (400, "unauthorized_client", "the client is not registered for this response_type")
        case .responseModeUnsupported: (400, "invalid_request", "response_mode is not supported")
        case .openIDMissing: (400, "invalid_scope", "scope does not name openid")
        case .nonceMissing:
            (400, "invalid_request", "a nonce is required where the ID token comes by way of the browser")
        case .challengeMissing: (400, "invalid_request", "code_challenge is required")
        case .challengeMethodUnsupported: (400, "invalid_request", "code_challenge_method is not supported")
        case .promptBesideNone: (400, "invalid_request", "prompt names none with another value")
        case .maxAgeMalformed: (400, "invalid_request", "max_age is no number of seconds")
        case .claimsMalformed: (400, "invalid_request", "claims is no JSON object")
        case .hintForeign: (400, "invalid_request", "the id_token_hint was not issued here")
        case .loginRequired: (400, "login_required", "there is no session")
        case .userCancelled: (400, "access_denied", "the user cancelled")
        case .redirectURIInvalid:
            (400, "invalid_redirect_uri", "redirect_uris is missing or empty, or has what is no absolute URI")
        case .metadataInvalid: (400, "invalid_client_metadata", "the body is no JSON object")
        case .metadataForeign:
            (400, "invalid_client_metadata", "client_id or client_secret is not this client's")
        case .authenticationMethodUnknown:
            (400, "invalid_client_metadata", "token_endpoint_auth_method is none that is known here")
        case .keysDoubled:
            (400, "invalid_client_metadata", "jwks and jwks_uri are not sent together")
        }
    }
}
