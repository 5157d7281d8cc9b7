/// Stage 6, in the order of the catalogue.
enum AuthorizationResponseRules {
    static let list: [any Rule] = [
        UserCancelled(),
        LoginAbandoned(),
        AccessDeniedByPolicy(),
        StateMismatch(),
        StateMissingInResponse(),
        IssuerParamMismatch(),
        IssuerParamMissing(),
        ResponseModeDiffers(),
        RedirectTargetDiffers(),
        JARMInvalid(),
        CodeMissing(),
        ProviderServerError(),
        AuthorizationError(),
    ]
}
