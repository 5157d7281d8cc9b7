import Flows
import OAuth

/// An answer that gave tokens out: of the token endpoint, or in the front channel.
struct TokenGrant {
    var exchange: Int
    var parameters: Parameters
    /// Nil in the front channel.
    var request: TokenRequest?

    var accessToken: String? { parameters["access_token"] }

    /// Seconds; nil where the answer has none, or something that is no number.
    var lifetime: Int64? { parameters["expires_in"].flatMap { Int64($0) } }

    /// In order of time.
    static func all(in flow: Flow) -> [TokenGrant] {
        flow.messages.compactMap { message in
            switch message {
            case .token(let request):
                TokenGrant(
                    exchange: request.exchange,
                    parameters: request.answer.parameters,
                    request: request
                )
            case .authorizationResponse(let response):
                TokenGrant(exchange: response.exchange, parameters: response.parameters)
            default: nil
            }
        }
    }
}
