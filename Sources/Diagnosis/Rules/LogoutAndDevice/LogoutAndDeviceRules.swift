/// Stage 12, in the order of the catalogue.
enum LogoutAndDeviceRules {
    static let list: [any Rule] = [
        LogoutHintMissing(),
        LogoutHintInvalid(),
        LogoutRedirectNotRegistered(),
        LogoutParameterWrong(),
        LogoutLocalOnly(),
        LogoutTokenInvalid(),
        DevicePollingTooFast(),
        DeviceCodeExpired(),
    ]
}
