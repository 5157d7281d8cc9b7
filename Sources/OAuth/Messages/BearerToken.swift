package import Captures
import JOSE
import JSON

/// Access tokens in requests.
package enum BearerToken {
    /// The token of the `Authorization` header; nil for other schemes.
    ///
    /// A mark in place of the header stands for its token.
    package static func of(_ request: RecordedRequest, exchange: Int) -> Parameter? {
        if let token = ofSnowflake(request, exchange: exchange) { return token }
        guard let header = request.headers.first("authorization") else {
            return ofPortal(request, exchange: exchange)
        }
        let place = Place(exchange: exchange, part: .requestHeader, name: "Authorization")
        if Placeholder.isOne(header) { return Parameter(name: "access_token", value: header, place: place) }
        if let token = behindSignature(in: header) {
            return Parameter(name: "access_token", value: token, rawValue: header, place: place)
        }
        let words = header.utf8.split(separator: 0x20, maxSplits: 1)
        guard words.count == 2, let scheme = String(words[0])?.lowercased(),
            schemes.contains(scheme),
            let token = String(words[1]),
            !token.utf8.contains(0x20) || Placeholder.isOne(token) || MissingToken.isOne(token)
        else { return nil }
        return Parameter(name: "access_token", value: token, rawValue: header, place: place)
    }

    /// MyInfo's third version has the token behind the signature of the request: `PKI_SIGN app_id="…",…,Bearer eyJ…`.
    private static func behindSignature(in header: String) -> String? {
        guard header.utf8.starts(with: "PKI_SIGN ".utf8), let mark = header.ranges(of: ",Bearer ").last else {
            return nil
        }
        let token = header[mark.upperBound...]
        return token.isEmpty || token.utf8.contains(0x20) ? nil : String(token)
    }

    /// What stands for a token whose header the capture was saved without.
    package static let leftOut = "[left out]"

    /// The token of a call that must have shown one, in the header that the capture was saved without.
    package static func leftOut(of exchange: Int) -> Parameter {
        let place = Place(exchange: exchange, part: .requestHeader, name: "Authorization")
        return Parameter(name: "access_token", value: leftOut, place: place)
    }

    /// The access portal of AWS IAM Identity Center has a header of its own for the token.
    private static func ofPortal(_ request: RecordedRequest, exchange: Int) -> Parameter? {
        guard let host = request.url.host, host.hasPrefix("portal.sso."), AWSHost.isOne(host),
            let token = request.headers.first(portalHeader), !token.isEmpty
        else { return nil }
        let place = Place(exchange: exchange, part: .requestHeader, name: portalHeader)
        return Parameter(name: "access_token", value: token, place: place)
    }

    /// The name of the header.
    package static let portalHeader = "x-amz-sso_bearer_token"

    /// Snowflake's drivers begin a session with a token in the JSON of the request; the header that they have for the session's own
    /// stands there as well, with nothing in it (`Snowflake Token="None"`).
    private static func ofSnowflake(_ request: RecordedRequest, exchange: Int) -> Parameter? {
        guard request.method == "POST", request.url.path == "/session/v1/login-request",
            let host = request.url.host, snowflakes.contains(where: host.hasSuffix),
            let bytes = request.body?.bytes, bytes.count < 1 << 16,
            let data = (try? JSONParser.parse(bytes))?.object?["data"]?.object,
            data["AUTHENTICATOR"]?.string?.asciiLowercased() == "oauth",
            let token = data["TOKEN"]?.string, !token.isEmpty
        else { return nil }
        let place = Place(exchange: exchange, part: .requestBody, name: "TOKEN")
        return Parameter(name: "access_token", value: token, place: place)
    }

    private static let snowflakes = [".snowflakecomputing.com", ".snowflakecomputing.cn"]

    /// How a client wrote a header in which no server finds the token.
    package enum Misspelling: Sendable {
        /// `Bearer Bearer …`.
        case schemeTwice
        /// The token alone.
        case schemeless
        /// `Bearer`, and nothing behind it.
        case tokenless
    }

    /// The token of such a header, where it has none its scheme; nil of any other.
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
            return (token, schemes.contains(words[0].lowercased()) ? .tokenless : .schemeless)
        case 3 where schemes.contains(words[0].lowercased()) && schemes.contains(words[1].lowercased()):
            let token = Parameter(name: "access_token", value: words[2], rawValue: header, place: place)
            return (token, .schemeTwice)
        default: return nil
        }
    }

    /// The schemes that a token stands behind, in small letters: those of RFC 6750 and RFC 9449, and GitHub's.
    package static let schemes: Set<String> = ["bearer", "dpop", "token"]
}
