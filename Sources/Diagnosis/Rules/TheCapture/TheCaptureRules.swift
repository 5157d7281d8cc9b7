/// Stage 1, in the order of the catalogue.
enum TheCaptureRules {
    static let list: [any Rule] = [
        CaptureSanitized(),
        BackchannelNotRecorded(),
        ResponseBodyMissing(),
        CodeNeverRedeemed(),
    ]
}
