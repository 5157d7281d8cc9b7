package import Captures
import JOSE
import JSON

/// A request to one of the endpoints that take parameters and answer JSON: registration, pushed requests,
/// device authorization, userinfo, introspection, revocation, logout, and resources called with a token.
package struct EndpointCall: Sendable {
    /// Which exchange it was sent with.
    package var exchange: Int
    /// As on the wire, `POST`.
    package var method: String
    /// Without what the query has of the request.
    package var endpoint: RecordedURL
    /// Query, form or JSON members of the request.
    package var parameters: Parameters
    /// Who the client says it is.
    package var authentication: ClientAuthentication
    /// What it was answered.
    package var answer: Answer
    /// The token of an `Authorization: Bearer` or `DPoP` header, or of the parameter `access_token` (RFC
    /// 6750, section 2).
    package var token: Parameter?

    /// `endpoint`: nil where no query belongs to it.
    package init(
        exchange: Int,
        request: RecordedRequest,
        endpoint: RecordedURL? = nil,
        parameters: Parameters,
        answer: Answer
    ) {
        self.exchange = exchange
        method = request.method
        self.endpoint = endpoint ?? RecordedURL(request.url.withoutQuery)
        self.parameters = parameters
        self.authentication = ClientAuthentication(of: request, exchange: exchange, parameters: parameters)
        self.answer = answer
        token =
            BearerToken.of(request, exchange: exchange) ?? parameters.parameter("access_token")
            ?? (answer.isRefusal ? BearerToken.unread(in: request, exchange: exchange)?.token : nil)
    }

    /// The token as it can be compared with others': empty where there is none, or it was taken out of the capture.
    package var knownToken: String {
        token.flatMap { Placeholder.isOne($0.value) ? nil : $0.value } ?? ""
    }

    /// The client whose registration is asked for or about: as the answer names it, else the request.
    package var registeredClient: String? { answer.parameters["client_id"] ?? parameters["client_id"] }

    /// The secret that a registration was answered with (RFC 7591, section 3.2.1); nil where the answer has none, a null or an empty one.
    package var issuedSecret: Parameter? {
        answer.parameters.parameter("client_secret").flatMap { $0.value.isEmpty ? nil : $0 }
    }

    /// Whether a client that was to be registered was not, by a status, or by an error and no client in an answer whose status says success.
    package var isRefusedRegistration: Bool {
        guard let status = answer.status else { return false }
        return status >= 400 || answer.error != nil && !answer.parameters.contains("client_id")
    }

    /// Whether it took a client's registration away (RFC 7592, section 2.3).
    package var isDeletion: Bool { method == "DELETE" && answer.isSuccess }

    /// Whether an introspection was answered with a token that is not active, or not known (RFC 7662, section 2.2).
    package var saysInactive: Bool { answer.json?["active"]?.bool == false }
}
