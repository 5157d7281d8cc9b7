/// Stage 9, in the order of the catalogue.
enum IDTokenRules {
    static let list: [any Rule] = [
        IDTokenAudienceMismatch(),
        IDTokenNonceMismatch(),
        IDTokenKidUnknown(),
        IDTokenSignatureInvalid(),
    ]
}
