import Captures
import OAuth

extension RecordedRequest {
    /// The access token of a request as often as it is sent: in the header, the form and the query (RFC 6750, section 2).
    var accessTokens: [String] {
        let name = "access_token"
        let parameters = [sentForm.first(name), url.queryItems.first(name)]
        // RFC 6749, section 3.1: a parameter without a value is as good as left out.
        return [BearerToken.of(self, exchange: 0)?.value].compactMap { $0 }
            + parameters.compactMap { $0 }.filter { !$0.isEmpty }
    }

    /// Whether the access token is sent as one that is bound to a key (RFC 9449, section 7.1).
    var sendsTokenAsBound: Bool {
        let header = headers.first("authorization")?.utf8.prefix(5)
        return header.map { String(decoding: $0, as: UTF8.self).lowercased() } == "dpop "
    }
}
