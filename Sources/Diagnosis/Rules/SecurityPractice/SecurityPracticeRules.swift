/// Stage 14, in the order of the catalogue.
enum SecurityPracticeRules {
    static let list: [any Rule] = [
        ImplicitFlow(),
        PasswordGrant(),
        TokenInQuery(),
        CredentialsInURL(),
        StateReused(),
        NonceReused(),
        PKCEChallengeReused(),
        CodeInReferer(),
        TokensRelayedToApp(),
        ClaimedHTTPSOpenedInBrowser(),
        LoopbackPortMismatch(),
        LoopbackLocalhost(),
        CustomSchemeShort(),
    ]
}
