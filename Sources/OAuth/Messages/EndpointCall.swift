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

    /// Whether it took a client's registration away (RFC 7592, section 2.3).
    package var isDeletion: Bool { method == "DELETE" && answer.isSuccess }

    /// Whether an introspection was answered with a token that is not active, or not known (RFC 7662, section 2.2).
    package var saysInactive: Bool { answer.json?["active"]?.bool == false }
}

/// Access tokens in requests.
package enum BearerToken {
    /// The token of the `Authorization` header; nil for other schemes.
    ///
    /// A mark in place of the header stands for its token.
    package static func of(_ request: RecordedRequest, exchange: Int) -> Parameter? {
        guard let header = request.headers.first("authorization") else {
            return ofPortal(request, exchange: exchange)
        }
        let place = Place(exchange: exchange, part: .requestHeader, name: "Authorization")
        if Placeholder.isOne(header) { return Parameter(name: "access_token", value: header, place: place) }
        let words = header.utf8.split(separator: 0x20, maxSplits: 1)
        guard words.count == 2, let scheme = String(words[0])?.lowercased(),
            schemes.contains(scheme),
            let token = String(words[1]),
            !token.utf8.contains(0x20) || Placeholder.isOne(token) || MissingToken.isOne(token)
        else { return nil }
        return Parameter(name: "access_token", value: token, rawValue: header, place: place)
    }

    /// The access portal of AWS IAM Identity Center has a header of its own for the token.
    private static func ofPortal(_ request: RecordedRequest, exchange: Int) -> Parameter? {
        guard let host = request.url.host, host.hasPrefix("portal.sso."),
            host.hasSuffix(".amazonaws.com") || host.hasSuffix(".amazonaws.com.cn"),
            let token = request.headers.first(portalHeader), !token.isEmpty
        else { return nil }
        let place = Place(exchange: exchange, part: .requestHeader, name: portalHeader)
        return Parameter(name: "access_token", value: token, place: place)
    }

    private static let portalHeader = "x-amz-sso_bearer_token"

    /// How a client wrote a header in which no server finds the token.
    package enum Misspelling: Sendable {
        /// `Bearer Bearer …`.
        case schemeTwice
        /// The token alone.
        case schemeless
    }

    /// The token of such a header; nil of any other.
    package static func unread(in request: RecordedRequest, exchange: Int)
        -> (token: Parameter, misspelling: Misspelling)?
    {
        guard let header = request.headers.first("authorization"), !Placeholder.isOne(header) else {
            return nil
        }
        let words = header.utf8.split(separator: 0x20, maxSplits: 3).compactMap { String($0) }
        let place = Place(exchange: exchange, part: .requestHeader, name: "Authorization")
        switch words.count {
        case 1:
            let token = Parameter(name: "access_token", value: words[0], rawValue: header, place: place)
            return (token, .schemeless)
        case 3 where schemes.contains(words[0].lowercased()) && schemes.contains(words[1].lowercased()):
            let token = Parameter(name: "access_token", value: words[2], rawValue: header, place: place)
            return (token, .schemeTwice)
        default: return nil
        }
    }

    /// The schemes that a token stands behind, in small letters: those of RFC 6750 and RFC 9449, and GitHub's.
    package static let schemes: Set<String> = ["bearer", "dpop", "token"]
}
