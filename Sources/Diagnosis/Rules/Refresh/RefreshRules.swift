/// Stage 11, in the order of the catalogue.
enum RefreshRules {
    static let list: [any Rule] = [
        RefreshTokenReused(),
        RefreshTokenExpired(),
        RefreshScopeWidened(),
        RefreshWrongClient(),
        RefreshSubjectChanged(),
    ]
}
