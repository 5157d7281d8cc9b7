import Captures
import JSON

/// Where clients read, change and delete their registrations (RFC 7592, section 2), as far as registrations tell.
struct ClientConfigurations: Sendable {
    /// By the address that the registration names.
    private var clients = EndpointTable<String>()
    private var registered: Set<String> = []
    private var accessTokens: Set<String> = []

    /// Learns which tokens are for other things than registrations.
    mutating func add(_ request: TokenRequest) {
        if let token = request.answer.parameters["access_token"] { accessTokens.insert(token) }
    }

    /// Learns from what a registration was answered (RFC 7592, section 3).
    mutating func add(_ call: EndpointCall) {
        guard call.answer.isSuccess, let client = call.answer.parameters["client_id"], !client.isEmpty else {
            return
        }
        registered.insert(client)
        guard let uri = call.answer.parameters["registration_client_uri"].map({ RecordedURL($0) }), uri.isWeb
        else { return }
        clients.update(uri, default: client) { $0 = client }
    }

    /// The client whose registration a request is about; nil for every other request.
    ///
    /// Behind a proxy the address need not be the one that was named, and a recording may begin after the registration. So the last
    /// part of a path below the registration endpoint (Curity, Keycloak, WSO2), or the parameter `client_id` there (ForgeRock, Spring),
    /// names the client, too, if it is known or the answer confirms it. Other things are below that path as well: no endpoint of
    /// another role is meant, nor what an access token was refused for.
    func client(of exchange: Exchange, at index: Int, _ endpoints: Endpoints) -> Parameter? {
        let request = exchange.request
        guard ["GET", "PUT", "DELETE"].contains(request.method) else { return nil }
        let isAuthorized = request.headers.contains("authorization")
        guard isAuthorized || !registered.isEmpty,
            endpoints.role(of: request.url).map({ $0.role == .registration || !$0.isStated }) ?? true
        else { return nil }
        let known = clients.entry(of: request.url)?.value
        guard let (client, isStated) = known.map({ ($0, true) }) ?? named(in: request.url, endpoints) else {
            return nil
        }
        let answer = Answer(of: exchange, at: index)
        let answered = answer.json?["client_id"]?.string
        // A page for people who sign up is found at such an address, too.
        guard request.method != "GET" || isAuthorized || answered != nil else { return nil }
        let isConfirmed =
            (answered?.equalsBytes(of: client) ?? false)
            && Self.members.contains { answer.json?[$0] != nil }
            || isStated && isAuthorized && (answer.isRefusal || request.method == "DELETE")
                && !hasAccessToken(request, at: index)
        guard known != nil || registered.contains(client) || isConfirmed else { return nil }
        return Parameter(
            name: "client_id",
            value: client,
            place: Place(exchange: index, part: .requestURL, name: "")
        )
    }

    private func hasAccessToken(_ request: RecordedRequest, at index: Int) -> Bool {
        BearerToken.of(request, exchange: index).map { accessTokens.contains($0.value) } ?? false
    }

    /// The client that an address at or below a registration endpoint names; stated where metadata name that endpoint.
    private func named(in url: RecordedURL, _ endpoints: Endpoints) -> (client: String, isStated: Bool)? {
        let isStated = { (url: RecordedURL) -> Bool? in
            guard let stated = endpoints.role(of: url) else {
                return Endpoints.conventionalRole(of: url) == .registration ? false : nil
            }
            return stated.role == .registration ? stated.isStated : nil
        }
        if let client = url.queryItems.first("client_id"), !client.isEmpty {
            return isStated(url).map { (client, $0) }
        }
        guard let slash = url.withoutQuery.utf8.lastIndex(of: 0x2f) else { return nil }
        let last = String(url.withoutQuery[url.withoutQuery.utf8.index(after: slash)...])
        guard !last.isEmpty else { return nil }
        return isStated(RecordedURL(String(url.withoutQuery[..<slash]))).map {
            (PercentEncoding.decode(last), $0)
        }
    }

    /// What tells the answer about a client from another one (RFC 7591, section 3.2.1).
    private static let members = [
        "redirect_uris", "registration_client_uri", "registration_access_token", "client_secret",
        "grant_types",
    ]
}
