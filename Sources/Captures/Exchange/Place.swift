/// Where in a capture a value stands: what evidence and links point at.
package struct Place: Sendable, Hashable {
    /// The part of an exchange; the raw values are those of the JSON that `diagnose` prints.
    package enum Part: String, Sendable, Hashable, CaseIterable {
        case requestURL = "request.url"
        case requestQuery = "request.query"
        case requestHeader = "request.header"
        case requestCookie = "request.cookie"
        case requestBody = "request.body"
        case responseStatus = "response.status"
        case responseHeader = "response.header"
        case responseBody = "response.body"
        case responseLocation = "response.location"
        case jwtHeader = "jwt.header"
        case jwtClaims = "jwt.claims"
        case timing = "timing"
        case tls = "tls"
    }

    /// The index of the entry in `log.entries`, from zero; nil for a computed value.
    package var exchange: Int?
    package var part: Part
    /// The parameter, header, cookie, member or claim; empty where the part has no names.
    package var name: String

    package init(exchange: Int?, part: Part, name: String) {
        self.exchange = exchange
        self.part = part
        self.name = name
    }
}
