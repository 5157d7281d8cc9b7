package import Captures

/// A request to the authorization endpoint (RFC 6749, section 4.1.1), merged with what was pushed (RFC 9126)
/// and with its request object (RFC 9101).
package struct AuthorizationRequest: Sendable {
    /// Which exchange it was sent with.
    package var exchange: Int
    /// The endpoint, without what the query has of the request.
    package var endpoint: RecordedURL
    /// Those that count: of a pushed request and of a request object first.
    package var parameters: Parameters
    /// The pushed request whose `request_uri` this one carries.
    package var pushed: Int?
    /// Status of the direct answer; nil where there was none.
    package var status: Int?
    /// Whether it is known only by the redirect that sent the browser to the provider: ``exchange`` is the app's.
    package var isUnseen = false

    /// `endpoint`: nil where no query belongs to it.
    package init(
        exchange: Int,
        request: RecordedRequest,
        endpoint: RecordedURL? = nil,
        parameters: Parameters,
        status: Int?
    ) {
        self.exchange = exchange
        self.endpoint = endpoint ?? RecordedURL(request.url.withoutQuery)
        self.parameters = parameters.openingRequestObject
        self.status = status
    }

    /// The request that an app's redirect asks a browser for; nil where it asks for none.
    ///
    /// What a provider sends on within itself is none; on a machine of a developer's it differs from the app by its port.
    ///
    /// - Parameters:
    ///   - exchange: the app's.
    ///   - index: which.
    ///   - endpoints: what is known of the provider's.
    package init?(redirectedBy exchange: Exchange, at index: Int, to endpoints: Endpoints) {
        guard let location = exchange.response?.location,
            location.containsBytes("client_id=") || location.containsBytes("client_key="),
            location.containsBytes("response_type=") || location.containsBytes("request_uri=")
        else { return nil }
        let url = exchange.request.url.resolving(location)
        let parameters = OtherNames.standard(
            Parameters(url.queryItems, of: index, in: .responseLocation),
            at: url
        )
        guard url.isWeb, url.server != exchange.request.url.server, parameters.contains("client_id"),
            parameters.contains("response_type") && parameters.contains("redirect_uri")
                || parameters["request_uri"]?.hasPrefix("urn:ietf:params:oauth:request_uri:") ?? false
        else { return nil }
        self.exchange = index
        endpoint = endpoints.endpoint(of: url)
        self.parameters = parameters.openingRequestObject
        isUnseen = true
    }

    /// Takes over the parameters of the pushed request whose `request_uri` it carries, which count alone (RFC 9126, section 4).
    package mutating func merge(pushed call: EndpointCall) {
        pushed = call.exchange
        let asked = call.parameters.openingRequestObject.items.filter { !$0.value.isEmpty }
        parameters = Parameters(asked).merged(with: parameters)
    }

    /// `client_id`.
    package var clientID: String? { parameters["client_id"] }
    /// Nil where a name of the provider's own stands in its place (eBay's, `postmessage`), which is no address, or the mark of
    /// Google's window (`storagerelay:`), which hands the answer to the page that opened it.
    package var redirectURI: String? {
        parameters["redirect_uri"].flatMap { uri in
            let isName =
                !uri.isEmpty && uri.utf8.allSatisfy { $0.isASCIIAlphanumeric || $0 == 0x5f || $0 == 0x2d }
            return isName || isRelayed ? nil : uri
        }
    }
    /// Whether a window of the provider's hands the answer to the page that opened it, by script.
    package var isRelayed: Bool { parameters["redirect_uri"]?.hasPrefix("storagerelay:") ?? false }
    /// `state`, be it empty.
    package var state: String? { parameters["state"] }
    /// Nil where it is empty: a parameter without a value is none (RFC 6749, section 3.1).
    package var nonce: String? { parameters["nonce"].flatMap { $0.isEmpty ? nil : $0 } }
    /// `response_type`, as it was sent.
    package var responseType: String? { parameters["response_type"] }
    /// Nil where it is empty, too.
    package var codeChallenge: String? { parameters["code_challenge"].flatMap { $0.isEmpty ? nil : $0 } }
    /// `plain` where none is named (RFC 7636, section 4.3).
    package var codeChallengeMethod: String { parameters["code_challenge_method"] ?? "plain" }
    /// Whether no page may be shown (`prompt=none`; OpenID Connect Core, section 3.1.2.1).
    package var isSilent: Bool { parameters["prompt"]?.spaceDelimited.contains("none") ?? false }

    /// Two requests that have one of these in common are of the same login: the one is a reload of the other, or the provider's
    /// continuation that carries the client's values along with some of its own.
    package var sameness: [[String?]] {
        let all = ["all"] + parameters.items.map(\.value)
        let own = [state, nonce, codeChallenge]
        guard own.contains(where: { $0 != nil }) else { return [all] }
        return [all, ["own"] + own + [clientID, redirectURI, responseType, isSilent ? "none" : nil]]
    }

    /// Whether this is an earlier request as a page of the provider carries it on that does not know all of it: forms for
    /// consent drop `nonce`, or the parameters of PKCE.
    package func carriesOn(_ earlier: AuthorizationRequest) -> Bool {
        guard let state, !state.isEmpty, state == earlier.state, isSilent || !earlier.isSilent else {
            return false
        }
        return clientID == earlier.clientID && redirectURI == earlier.redirectURI
            && endpoint.origin == earlier.endpoint.origin
            && (nonce == nil || nonce == earlier.nonce)
            && (codeChallenge == nil || codeChallenge == earlier.codeChallenge)
    }
}
