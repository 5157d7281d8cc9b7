package import Captures
import JOSE

/// How a client identified itself at an endpoint of the provider (RFC 6749, section 2.3; OpenID Connect Core,
/// section 9).
package struct ClientAuthentication: Sendable, Hashable {
    /// The methods as OpenID Connect Core, section 9, names them.
    package enum Method: String, Sendable, Hashable {
        case none
        case secretBasic = "client_secret_basic"
        case secretPost = "client_secret_post"
        /// `client_assertion`; which of the two JWT methods shows in its `alg`.
        case assertion = "client_assertion"
    }

    /// In the order Basic, assertion, body.
    ///
    /// Several at once are what RFC 6749 forbids.
    package var methods: [Method]
    /// Of the Basic credentials, else the parameter, else the subject of the assertion.
    package var clientID: Parameter?
    /// As it was sent; Basic credentials form-decoded (RFC 6749, section 2.3.1).
    package var secret: Parameter?
    /// Basic credentials without form decoding, where that gives another secret: half of the field does it
    /// so.
    package var undecodedSecret: String?
    /// The `client_assertion`, which need not be a token; nil where it is empty.
    package var assertion: Parameter?

    /// Of a request to an endpoint.
    ///
    /// `parameters`: of its body.
    package init(of request: RecordedRequest, exchange: Int, parameters: Parameters) {
        methods = []
        // What has no value counts as left out (RFC 6749, section 3.2).
        clientID = parameters.parameter("client_id").flatMap { $0.value.isEmpty ? nil : $0 }
        let header = request.headers.first("authorization") ?? ""
        if Placeholder.isOne(header) {
            // A client authenticates in that header with Basic, or with another scheme that nobody uses.
            methods.append(.secretBasic)
        } else if header.utf8.count > 6, header.prefix(6).lowercased() == "basic " {
            methods.append(.secretBasic)
            let place = Place(exchange: exchange, part: .requestHeader, name: "Authorization")
            let decoded = String(decoding: Base64.decode(String(header.dropFirst(6))), as: UTF8.self)
            if let colon = decoded.utf8.firstIndex(of: 0x3a) {
                let name = String(decoded[..<colon])
                let raw = String(decoded[decoded.utf8.index(after: colon)...])
                clientID = Parameter(
                    name: "client_id",
                    value: PercentEncoding.decode(name, plusIsSpace: true),
                    rawValue: name,
                    place: place
                )
                let value = PercentEncoding.decode(raw, plusIsSpace: true)
                secret = Parameter(name: "client_secret", value: value, rawValue: raw, place: place)
                if value != raw { undecodedSecret = raw }
            }
        }
        if let parameter = parameters.parameter("client_assertion"), !parameter.value.isEmpty {
            methods.append(.assertion)
            assertion = parameter
            if clientID == nil, let subject = JSONWebToken.parse(parameter.value)?.subject {
                clientID = Parameter(name: "client_id", value: subject, place: parameter.place)
            }
        }
        if let parameter = parameters.parameter("client_secret"), !parameter.value.isEmpty {
            methods.append(.secretPost)
            if secret == nil { secret = parameter }
        }
        if methods.isEmpty { methods = [.none] }
    }

    /// Whether it may be that of a client: a mark in place of the name may stand for any.
    package func mayBe(_ client: String?) -> Bool {
        guard let own = clientID?.value else { return client == nil || methods == [.secretBasic] }
        return own == client || Placeholder.isOne(own) || client.map(Placeholder.isOne) ?? false
    }
}
