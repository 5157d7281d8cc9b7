import Captures
import Flows
import JOSE
import JSON
import OAuth

/// The clients of a recording: their redirect URIs, secrets and ways of authentication, as the provider accepted them.
struct ClientFinder {
    private let issuer: RecordedIssuer

    init(_ issuer: RecordedIssuer) { self.issuer = issuer }

    /// The clients that are known so far, in the order in which they were met.
    private struct Found {
        let algorithm: SignatureAlgorithm?
        private(set) var order: [String] = []
        var clients: [String: ProviderConfiguration.Client] = [:]
        /// Those of which a secret was sent, whether it was the right one or not.
        var sentSecrets: Set<String> = []
        /// Those that asked for a code.
        var codeClients: Set<String> = []
        /// Those that were seen to ask for tokens, with a proof of who they are or without.
        var askers: Set<String> = []

        /// `algorithm`: of ID tokens for clients that nobody saw one of.
        init(algorithm: SignatureAlgorithm?) { self.algorithm = algorithm }

        /// Changes a client, which is one from then on; none where nobody is named.
        mutating func edit(
            _ id: String?,
            _ change: (inout ProviderConfiguration.Client) -> Void = { _ in }
        ) {
            guard let id, !id.isEmpty else { return }
            var client: ProviderConfiguration.Client
            if let known = clients[id] {
                client = known
            } else {
                order.append(id)
                client = ProviderConfiguration.Client(id: id, redirectURIs: [], requiresPKCE: false)
                if let algorithm { client.idTokenAlgorithm = algorithm }
            }
            change(&client)
            clients[id] = client
        }
    }

    func clients(
        _ options: RecordedProviderOptions,
        _ keys: [ProviderConfiguration.SigningKeyEntry],
        _ remarks: inout [String]
    ) -> [ProviderConfiguration.Client] {
        var found = Found(algorithm: keys.first?.algorithm)
        for flow in issuer.flows {
            found.edit(flow.clientID)
            for login in flow.wholeLogins { learn(login, flow, &found) }
            for request in flow.tokenRequests { learn(request, flow, &found) }
            for message in flow.messages { learn(message, flow, &found) }
        }
        learnRedirects(&found)
        for index in issuer.captures {
            for (id, secret) in index.knownSecrets { found.clients[id]?.secret = secret }
        }
        return found.order.compactMap { id in
            found.clients[id].map { finish($0, options, found, &remarks) }
        } + own(options, found.order)
    }

    private func learn(_ login: Login, _ flow: Flow, _ found: inout Found) {
        if let id = login.request.clientID, login.request.asksForCode { found.codeClients.insert(id) }
        let isTaken = Self.isAccepted(login, in: flow)
        found.edit(login.request.clientID) { client in
            if isTaken, let uri = login.request.redirectURI { client.add(redirectURI: uri) }
            if Self.wantsChallenge(login, in: flow) { client.requiresPKCE = true }
        }
    }

    private func learn(_ request: TokenRequest, _ flow: Flow, _ found: inout Found) {
        let id = flow.client(named: request.authentication)
        if let id {
            found.askers.insert(id)
            if request.authentication.secret != nil { found.sentSecrets.insert(id) }
        }
        found.edit(id) { client in
            guard request.answer.isSuccess else { return }
            client.learn(request.authentication)
            if let token = request.idToken.map(flow.surroundings.readable)?.token,
                let algorithm = token.algorithm.flatMap(SignatureAlgorithm.init(rawValue:))
            {
                client.idTokenAlgorithm = algorithm
            }
        }
    }

    /// Of clients of which a server recorded its own half: the redirect URI of a token request is the login's (RFC 6749, section
    /// 4.1.3), and none was seen where there is no such parameter (OAuth 2.1).
    private func learnRedirects(_ found: inout Found) {
        let unseen = Set(found.clients.values.filter(\.redirectURIs.isEmpty).map(\.id))
        for flow in issuer.flows {
            for request in flow.tokenRequests where request.isCodeExchange && request.answer.isSuccess {
                guard let id = flow.client(named: request.authentication), unseen.contains(id),
                    !found.codeClients.contains(id)
                else { continue }
                found.edit(id) { client in
                    if let uri = request.redirectURI {
                        client.add(redirectURI: uri)
                    } else {
                        client.acceptsLocalRedirects = true
                    }
                }
            }
        }
    }

    private func learn(_ message: OAuthMessage, _ flow: Flow, _ found: inout Found) {
        switch message {
        case .pushedRequest(let call):
            found.edit(flow.client(named: call.authentication)) { client in
                guard call.answer.isSuccess else { return }
                if let uri = call.parameters.openingRequestObject["redirect_uri"] {
                    client.add(redirectURI: uri)
                }
                client.learn(call.authentication)
            }
        case .deviceAuthorization(let call), .backchannelAuthentication(let call), .introspection(let call),
            .revocation(let call):
            found.edit(flow.client(named: call.authentication)) { client in
                if call.answer.isSuccess { client.learn(call.authentication) }
            }
        case .registration(let call) where call.answer.isSuccess,
            .clientConfiguration(let call) where call.answer.isSuccess:
            found.edit(call.answer.parameters["client_id"]) { client in
                let answer = call.answer.json
                for uri in answer?["redirect_uris"]?.array?.compactMap(\.string) ?? [] {
                    client.add(redirectURI: uri)
                }
                client.postLogoutRedirectURIs +=
                    answer?["post_logout_redirect_uris"]?.array?.compactMap(\.string) ?? []
                client.keys = answer?["jwks"].flatMap { JSONWebKeySet(json: $0) }?.keys ?? []
            }
        case .endSession(let call):
            let targets = LogoutCourse.targetNames.compactMap { call.parameters[$0] }
            let hint = call.parameters["id_token_hint"].flatMap { JSONWebToken.parse($0) }
            found.edit(call.parameters["client_id"] ?? hint?.audience.first) { client in
                guard call.answer.status.map({ $0 < 400 }) ?? false else { return }
                for target in targets where !client.postLogoutRedirectURIs.contains(target) {
                    client.postLogoutRedirectURIs.append(target)
                }
            }
        default: break
        }
    }

    /// What options say, and what nobody knows.
    private func finish(
        _ client: ProviderConfiguration.Client,
        _ options: RecordedProviderOptions,
        _ found: Found,
        _ remarks: inout [String]
    ) -> ProviderConfiguration.Client {
        var client = client
        for uri in options.redirectURIs { client.add(redirectURI: uri) }
        if let keys = options.clientKeys[client.id] { client.keys = keys }
        if let secret = options.clients.first(where: { $0.id == client.id })?.secret {
            client.secret = secret
        }
        let naming = "--client \(ShellWord.quoted(client.id)):SECRET names the right one"
        if client.secret.map(Placeholder.isOne) ?? found.sentSecrets.contains(client.id) {
            client.secret = nil
            client.acceptsAnySecret = true
            remarks.append("the secret of \(client.id) is not in the capture: any is taken, \(naming)")
        } else if found.codeClients.contains(client.id), !found.askers.contains(client.id),
            client.secret == nil, client.authenticationMethods.isEmpty,
            !options.clients.contains(where: { $0.id == client.id })
        {
            client.acceptsAnySecret = true
            remarks.append(
                "the capture does not show how \(client.id) authenticates: any secret is taken, and none, \(naming)"
            )
        }
        if client.authenticationMethods.contains("private_key_jwt"), client.keys.isEmpty {
            remarks.append(
                "the key of \(client.id) is not in the capture: the signatures of its assertions are not checked"
            )
        }
        return client
    }

    /// Clients of the options that the recording does not know.
    private func own(_ options: RecordedProviderOptions, _ known: [String]) -> [ProviderConfiguration.Client]
    {
        options.clients.filter { !known.contains($0.id) }.map { client in
            var own = ProviderConfiguration.Client(
                id: client.id,
                secret: client.secret,
                redirectURIs: options.redirectURIs,
                requiresPKCE: false
            )
            own.acceptsLocalRedirects = options.redirectURIs.isEmpty
            own.keys = options.clientKeys[client.id] ?? []
            return own
        }
    }

    // MARK: - Judging

    /// Whether the provider took a request's redirect URI.
    private static func isAccepted(_ login: Login, in flow: Flow) -> Bool {
        if login.response != nil { return true }
        let first = flow.capture[login.request.exchange].response
        guard let first, first.status < 400 else { return false }
        // Some send the browser to a page that says no.
        guard let location = first.location else { return true }
        let words = location.lowercased()
        return !["error", "mismatch", "invalid"].contains { words.contains($0) }
    }

    /// Whether a request was refused because it had no code challenge.
    private static func wantsChallenge(_ login: Login, in flow: Flow) -> Bool {
        guard login.request.codeChallenge == nil, let text = login.response?.error?.text.lowercased() else {
            return false
        }
        return text.contains("pkce") || text.contains("code_challenge") || text.contains("code challenge")
    }

    /// Redirect URIs of clients of which the recording shows only refused ones: nobody could log in otherwise.
    static func admitRefused(_ clients: inout [ProviderConfiguration.Client], _ issuer: RecordedIssuer) {
        for index in clients.indices where clients[index].redirectURIs.isEmpty {
            for flow in issuer.flows {
                for request in flow.authorizationRequests where request.clientID == clients[index].id {
                    if let uri = request.redirectURI { clients[index].add(redirectURI: uri) }
                }
                for request in flow.tokenRequests
                where request.isCodeExchange
                    && flow.client(named: request.authentication) == clients[index].id
                {
                    if let uri = request.redirectURI { clients[index].add(redirectURI: uri) }
                }
            }
        }
    }
}

extension ProviderConfiguration.Client {
    fileprivate mutating func add(redirectURI: String) {
        if !redirectURI.isEmpty, !redirectURIs.contains(bytesOf: redirectURI) {
            redirectURIs.append(redirectURI)
        }
    }

    /// Keeps how it authenticated where that was taken.
    fileprivate mutating func learn(_ authentication: ClientAuthentication) {
        if secret == nil { secret = authentication.secret?.value }
        for method in authentication.methods {
            let name: String
            switch method {
            case .assertion:
                let algorithm = authentication.assertion.flatMap { ClientAssertion($0) }?.token.algorithm
                name = algorithm?.hasPrefix("HS") ?? false ? "client_secret_jwt" : "private_key_jwt"
            default: name = method.rawValue
            }
            if !authenticationMethods.contains(name) { authenticationMethods.append(name) }
        }
    }
}

extension AuthorizationRequest {
    /// Whether its client has to ask for its tokens afterwards; a request that names no response type is taken for one that does.
    var asksForCode: Bool { (responseType ?? "code").spaceDelimited.contains("code") }
}
