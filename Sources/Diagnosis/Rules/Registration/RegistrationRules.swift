/// Stage 3, in the order of the catalogue.
enum RegistrationRules {
    static let list: [any Rule] = [
        RegistrationRejected(),
        RegistrationRedirectDiffers(),
        RegistrationAuthMethodMismatch(),
        RegistrationGrantMissing(),
        RegistrationSecretExpired(),
        RegistrationOpen(),
    ]
}
