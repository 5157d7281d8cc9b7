/// Stage 9, in the order of the catalogue.
enum IDTokenRules {
    static let list: [any Rule] = [
        IDTokenMalformed(),
        IDTokenClaimsMissing(),
        IDTokenIssuerMismatch(),
        IDTokenAudienceMismatch(),
        IDTokenAZPMismatch(),
        IDTokenExpired(),
        IDTokenNotYetValid(),
        ClientClockSkew(),
        IDTokenNonceMismatch(),
        IDTokenNonceMissing(),
        IDTokenAlgNone(),
        IDTokenAlgUnexpected(),
        IDTokenKidUnknown(),
        IDTokenSignatureInvalid(),
        IDTokenHashMismatch(),
        ACRNotSatisfied(),
        AuthTimeStale(),
        IDTokenEncrypted(),
    ]
}
