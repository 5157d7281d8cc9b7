/// Stage 8, in the order of the catalogue.
enum TokenResponseRules {
    static let list: [any Rule] = [
        IDTokenMissing(),
        TokenResponseNotJSON(),
        TokenErrorWith200(),
        TokenTypeInvalid(),
        ExpiresInNotNumber(),
        TokenResponseCacheable(),
        ScopeReduced(),
        RefreshTokenMissing(),
    ]
}
