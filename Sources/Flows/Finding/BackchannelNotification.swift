package import Captures
import JOSE
import JSON
package import OAuth

/// What a provider tells a client at its notification endpoint: that a user has decided (ping), or the tokens or the error at once (push)
/// (OpenID Connect CIBA, sections 10.2, 10.3 and 12).
package struct BackchannelNotification {
    /// The request that it is about.
    let requestID: String
    let exchange: Int
    let parameters: Parameters
    /// By which the client knows the provider.
    private let token: String?

    /// Nil for every other exchange.
    package init?(_ request: RecordedRequest, at exchange: Int) {
        guard request.method == "POST",
            let object = JSONBody.object(of: request.body, below: Self.largest),
            let requestID = object["auth_req_id"]?.string, !requestID.isEmpty
        else { return nil }
        self.requestID = requestID
        self.exchange = exchange
        token = BearerToken.of(request, exchange: exchange)?.value
        parameters = Parameters(object, of: exchange, in: .requestBody)
    }

    /// Whether it is of the provider that was asked: it brings the token that the client gave for that, by itself or in its request
    /// object (sections 7.1 and 7.1.1).
    package func isAnswer(to call: EndpointCall) -> Bool {
        let object = call.parameters["request"].flatMap { JSONWebToken.parse($0) }
        let given =
            call.parameters["client_notification_token"]
            ?? object?.claim("client_notification_token")?.string
        return given != nil && given == token && call.answer.parameters["auth_req_id"] == requestID
    }

    /// In bytes.
    private static let largest = 1 << 16

    /// The tokens of a push.
    var tokens: [String] { tokenNames.compactMap { parameters[$0] } }

    /// What the tokens of a push are called; none of a ping.
    package var tokenNames: [String] {
        ["access_token", "refresh_token", "id_token"].filter { parameters.contains($0) }
    }

    /// Why a push brings no tokens; nil of every other notification.
    package var error: String? { ErrorResponse(parameters)?.error }

    /// What a push says of the sign-in; nil of a ping, behind which the client asks.
    var outcome: Outcome? {
        if let error = ErrorResponse(parameters) {
            return AccessPolicy.isCancellation(error) ? .cancelled : .failure
        }
        return parameters.contains("access_token") ? .success : nil
    }
}
