/// Why the engine refuses a request.
enum Refusal: String, Error, Hashable, CaseIterable {
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
}
