/// Stage 15, in the order of the catalogue.
enum ProviderSpecificRules {
    static let list: [any Rule] = [
        SingpassParameterMissing(),
        SingpassAppLaunchURLMissing(),
        SingpassHTTPSTypeMissing(),
        SingpassHTTPSTypeOnMyinfo(),
        MyinfoPurposeMissing(),
        AppleClientSecretInvalid(),
        GoogleOfflineMissing(),
    ]
}
