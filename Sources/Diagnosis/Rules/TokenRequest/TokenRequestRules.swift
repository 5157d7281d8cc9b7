/// Stage 7, in the order of the catalogue.
enum TokenRequestRules {
    static let list: [any Rule] = [
        RedirectURITokenMismatch(),
        PKCEVerifierMismatch(),
        PKCENotEnforced(),
        PKCEVerifierMissing(),
        PKCEVerifierMalformed(),
        PKCEVerifierUnexpected(),
        CodeReused(),
        CodeExpired(),
        CodeAltered(),
        CodeWrongClient(),
        ClientAuthMissing(),
        ClientAuthDuplicate(),
        BasicCredentialsEncoding(),
        ClientSecretMismatch(),
        PublicClientSendsSecret(),
        ClientAuthMethodUnsupported(),
        ClientAssertionMissing(),
        TokenInvalidGrant(),
        TokenInvalidClient(),
    ]
}
