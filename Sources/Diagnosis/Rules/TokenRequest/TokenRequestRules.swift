/// Stage 7, in the order of the catalogue.
enum TokenRequestRules {
    static let list: [any Rule] = [
        RedirectURITokenMismatch(),
        PKCEVerifierMismatch(),
        PKCEVerifierMissing(),
        CodeReused(),
        ClientSecretMismatch(),
        TokenInvalidGrant(),
        TokenInvalidClient(),
    ]
}
