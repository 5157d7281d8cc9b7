import Captures

/// Tokens on their way to a client whose user decided elsewhere, which are not signed yet (OpenID Connect CIBA, section 10.3.1).
struct TokenPush {
    var endpoint: String
    /// The client's own, by which it knows who sends.
    var notificationToken: String
    var answer: BuiltAnswer
}

extension AnswerRenderer {
    mutating func request(of push: TokenPush) -> ProviderNotice {
        ProviderNotice(
            backchannel: response(push.answer).body,
            to: push.endpoint,
            with: push.notificationToken
        )
    }
}
