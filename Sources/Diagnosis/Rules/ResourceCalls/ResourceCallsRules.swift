/// Stage 10, in the order of the catalogue.
enum ResourceCallsRules {
    static let list: [any Rule] = [
        UserinfoSubMismatch(),
        AccessTokenExpired(),
        AccessTokenWrongKind(),
        BearerRejected(),
        AudienceMismatch(),
        APIAudienceNotRequested(),
        AccessTokenIssuerMismatch(),
        InsufficientScope(),
    ]
}
