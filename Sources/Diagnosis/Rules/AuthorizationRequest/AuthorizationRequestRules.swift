/// Stage 4, in the order of the catalogue.
enum AuthorizationRequestRules {
    static let list: [any Rule] = [
        AuthzMissingParameter(),
        RedirectURINotRegistered(),
        RedirectURIHasFragment(),
        RedirectURIInsecure(),
        RedirectURIDoubleEncoded(),
        ClientIDUnknown(),
        PKCERequired(),
        PKCEMissingPublicClient(),
        PKCEMissingConfidential(),
        PKCEPlain(),
        PKCEMethodOmitted(),
        PKCEChallengeMalformed(),
        PKCEMethodUnsupported(),
        CSRFProtectionMissing(),
        NonceMissing(),
        ScopeOpenidMissing(),
        ScopeMalformed(),
        ScopeRejected(),
        ResponseTypeUnsupported(),
    ]
}
