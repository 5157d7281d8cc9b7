import Captures
import Flows
import JSON
import OAuth

extension Flow {
    /// The metadata of the authorization server that has this endpoint; nil where the capture holds none.
    ///
    /// The document that names the endpoint, else the one that names the endpoint of the flow's login: a host
    /// may serve many providers.
    func metadata(of endpoint: RecordedURL) -> MetadataDocument? {
        let documents = messages.compactMap { message -> MetadataDocument? in
            guard case .discovery(let document) = message, !document.isProtectedResource,
                document.answer.json != nil
            else { return nil }
            return document
        }
        if let named = documents.last(where: { $0.names(endpoint) }) { return named }
        let login = authorizationRequests.first?.endpoint
        return documents.last { document in
            guard let login, let url = document.endpoint("authorization_endpoint").map(RecordedURL.init)
            else { return false }
            return url.origin == login.origin && url.path == login.path
        }
    }

    /// Whether an endpoint is the provider's own: an app may have a back end of its own that takes the same
    /// parameters.
    func isOfProvider(_ endpoint: RecordedURL) -> Bool {
        guard let host = endpoint.host else { return false }
        if ProviderRecognizer.kind(ofHost: host) != nil { return true }
        if metadata(of: endpoint)?.names(endpoint) ?? false { return true }
        let requests = authorizationRequests
        return requests.isEmpty || requests.contains { Site.of($0.endpoint.host ?? "") == Site.of(host) }
    }

    /// Registrations of a client that the capture holds, oldest first.
    func registrations(of client: String?) -> [EndpointCall] {
        guard let client else { return [] }
        return surroundings.registrations.filter { $0.answer.parameters["client_id"] == client }
    }

    /// Every token request with the login whose code it is certain to carry.
    var redemptions: [(login: Login, request: TokenRequest)] {
        logins.flatMap { login in certainTokenRequests(of: login).map { (login, $0) } }
    }
}

extension MetadataDocument {
    /// The strings of a list; nil where the document has no such list.
    func list(_ name: String) -> [String]? { answer.json?[name]?.array?.compactMap(\.string) }

    /// The endpoint for clients that show a certificate (RFC 8705, section 5).
    func mutualTLSAlias(_ name: String) -> String? {
        answer.json?["mtls_endpoint_aliases"]?[name]?.string
    }

    /// Whether it names this endpoint as one of those that take a client's credentials.
    func names(_ endpoint: RecordedURL) -> Bool {
        Self.endpoints.contains { name in
            [self.endpoint(name), mutualTLSAlias(name)].contains { text in
                guard let url = text.map(RecordedURL.init) else { return false }
                return url.path == endpoint.path && url.origin == endpoint.origin && url.origin != nil
            }
        }
    }

    private static let endpoints = [
        "token_endpoint", "pushed_authorization_request_endpoint", "revocation_endpoint",
        "introspection_endpoint",
    ]
}

extension AuthorizationRequest {
    /// Whether all of its parameters are in the capture: what was pushed, and a request object that can be
    /// read.
    var isKnownInFull: Bool {
        if parameters.contains("request_uri"), pushed == nil { return false }
        // Its claims are merged in where they can be read; `response_type` has to be among them.
        return !parameters.contains("request")
            || parameters.items.contains { $0.place.part == .jwtClaims }
    }
}
