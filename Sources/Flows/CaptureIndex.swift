package import Captures
import JOSE
import JSON
package import OAuth

/// What a capture holds, read once: every message, and what rules ask about the rest of the file.
///
/// Immutable after `init`, and shared by all flows of the capture.
package final class CaptureIndex: Sendable {
    package let capture: Capture
    /// What is read out of the whole capture once, for the flows that ask.
    package let derived = DerivedValues()
    /// Indices into `log.entries` by time; entries of the same instant in file order.
    ///
    /// Without those that another entry has as a service worker passed them on.
    package let order: [Int]
    /// Where each entry stands in ``order``, or the one that has it.
    package let position: [Int]
    /// The message of each exchange that is one, authorization responses aside.
    package let messages: [Int: OAuthMessage]
    /// In order of time.
    package let authorizationRequests: [AuthorizationRequest]
    package let responses: [AuthorizationResponse]
    package let tokenRequests: [TokenRequest]
    package let metadata: [MetadataDocument]
    package let keySets: [KeySetDocument]
    package let registrations: [EndpointCall]
    /// The exchange whose redirect led to this one.
    package let redirectedFrom: [Int: Int]
    /// Not a single cookie or credential in the whole file, though it went to an authorization endpoint: an
    /// export without them, of another program than ours.
    package let isSanitized: Bool
    /// Client secrets by `client_id`: issued by a registration, or accepted by a token endpoint.
    package let knownSecrets: [String: String]
    /// Registrations by the `client_id` they gave out, oldest first.
    package let registrationsByClient: [String: [EndpointCall]]
    /// Codes by the client whose login they answer, as far as `state` shows it; oldest first.
    package let codesByClient: [String: [Parameter]]
    /// Exchanges that carry a client assertion, by what tells it from others (``ClientAssertion/key``), in the
    /// order of time.
    package let assertionUses: [String: [Int]]
    /// Questions of a browser whether a page may call another origin (Fetch standard, CORS), by the host that
    /// is asked, in the order of time.
    package let preflights: [String: [Int]]
    /// Hosts with at least one exchange that was seen in clear.
    package let openedHosts: Set<String>
    /// Encrypted tokens, as far as the capture has their keys.
    package let opened: OpenedTokens
    /// The app's servers, as far as they speak through the recorder.
    package let backChannel: BackChannel
    package let latest: LatestRequests
    /// Values of logins by which they meet again elsewhere in the capture.
    package let loginValues: LoginValues
    /// The 401 answers, in order of time, by the origin of the resource.
    ///
    /// Kept only where somebody asked for a resource's metadata.
    package let challenges: [String: [ResourceChallenge]]

    package init(_ capture: Capture) {
        self.capture = capture
        let entries = capture.indices.sorted {
            (capture[$0].startedAt.nanoseconds, $0) < (capture[$1].startedAt.nanoseconds, $1)
        }
        let passedOn = ServiceWorkerTwins(capture, order: entries).passedOn
        order = passedOn.isEmpty ? entries : entries.filter { passedOn[$0] == nil }
        var position = [Int](repeating: 0, count: entries.count)
        for (place, entry) in order.enumerated() { position[entry] = place }
        for (entry, twin) in passedOn { position[entry] = position[twin] }
        self.position = position
        var endpoints = Endpoints()
        for index in capture.indices where MessageRecognizer.isMetadata(capture[index].request.url) {
            if let json = Answer(of: capture[index], at: index).json { endpoints.add(json) }
        }
        let recognizer = MessageRecognizer(endpoints: endpoints)
        var messages: [Int: OAuthMessage] = [:]
        var requests: [AuthorizationRequest] = []
        var tokens: [TokenRequest] = []
        var metadata: [MetadataDocument] = []
        var keySets: [KeySetDocument] = []
        var registrations: [EndpointCall] = []
        var pushed: [String: EndpointCall] = [:]
        for index in order {
            guard var message = recognizer.message(of: capture[index], at: index) else { continue }
            switch message {
            case .authorizationRequest(var request):
                if let uri = request.parameters["request_uri"], let call = pushed[uri] {
                    request.merge(pushed: call)
                    message = .authorizationRequest(request)
                }
                requests.append(request)
            case .token(let request): tokens.append(request)
            case .discovery(let document): metadata.append(document)
            case .keySet(let document): keySets.append(document)
            case .registration(let call): registrations.append(call)
            case .pushedRequest(let call):
                if let uri = call.answer.parameters["request_uri"] { pushed[uri] = call }
            default: break
            }
            messages[index] = message
        }
        redirectedFrom = RedirectChain.sources(in: capture, order: order)
        let redirected = ResponseFinder(
            capture: capture,
            order: order,
            requests: requests,
            tokens: tokens,
            registrations: registrations
        ).responses()
        responses =
            redirected
            + CredentialFinder(
                capture: capture,
                order: order,
                messages: messages,
                requests: requests,
                known: Self.issuedTokens(tokens, redirected)
            ).responses(besides: redirected)
        self.messages = Self.addingResources(
            messages,
            capture: capture,
            order: order,
            issued: Self.issuedTokens(tokens, responses)
        )
        authorizationRequests = requests
        tokenRequests = tokens
        self.metadata = metadata
        backChannel = BackChannel(capture, order: order, messages: messages, metadata: metadata)
        self.keySets = keySets
        self.registrations = registrations
        challenges =
            metadata.contains(where: \.isProtectedResource)
            ? Dictionary(
                grouping: order.compactMap { ResourceChallenge(capture[$0], at: $0) },
                by: { $0.resource.origin ?? "" }
            ) : [:]
        latest = LatestRequests(capture, order: order, messages: messages)
        loginValues = LoginValues(
            capture,
            order: order,
            requests: requests,
            responses: responses,
            tokens: tokens
        )
        // Who saw the browser's connection itself saw that there was none.
        isSanitized =
            !requests.isEmpty && requests.allSatisfy { capture[$0.exchange].client.address == nil }
            && Self.hasNoCredentials(capture)
        knownSecrets = Self.secrets(tokens, registrations)
        opened = OpenedTokens(
            capture,
            tokens: tokens,
            responses: responses,
            keySets: keySets,
            registrations: registrations,
            secrets: knownSecrets
        )
        registrationsByClient = registrations.reduce(into: [:]) { list, call in
            if let client = call.answer.parameters["client_id"] { list[client, default: []].append(call) }
        }
        let clients = requests.reduce(into: [String: String]()) { list, request in
            if let state = request.state, let client = request.clientID { list[state] = client }
        }
        codesByClient = responses.reduce(into: [:]) { list, response in
            guard let client = response.state.flatMap({ clients[$0] }),
                let code = response.parameters.parameter("code")
            else { return }
            list[client, default: []].append(code)
        }
        assertionUses = order.reduce(into: [:]) { uses, index in
            let parameter: Parameter? =
                switch messages[index] {
                case .token(let request): request.authentication.assertion
                case .pushedRequest(let call), .revocation(let call), .introspection(let call):
                    call.authentication.assertion
                default: nil
                }
            guard let assertion = parameter.flatMap({ ClientAssertion($0) }) else { return }
            uses[assertion.key, default: []].append(index)
        }
        preflights = order.reduce(into: [:]) { found, index in
            let request = capture[index].request
            guard request.method == "OPTIONS", request.headers.contains("origin") else { return }
            found[request.url.host ?? "", default: []].append(index)
        }
        openedHosts = Set(
            capture.indices.compactMap { index in
                // A CONNECT that was answered opens a tunnel, it shows nothing of what is in it.
                capture[index].response == nil || capture[index].request.method == "CONNECT"
                    ? nil : capture[index].request.url.host
            }
        )
    }

    /// Requests that carry a token issued in the capture, to something that is no endpoint: resource calls.
    private static func addingResources(
        _ messages: [Int: OAuthMessage],
        capture: Capture,
        order: [Int],
        issued: Set<String>
    ) -> [Int: OAuthMessage] {
        guard !issued.isEmpty else { return messages }
        var messages = messages
        // Where a token was asked for once, the marks in place of tokens are marks of tokens.
        let resources = Set(
            capture.indices.compactMap {
                isChallenged(capture[$0]) ? capture[$0].request.url.withoutQuery : nil
            }
        )
        for index in order where messages[index] == nil {
            let exchange = capture[index]
            guard let token = bearer(exchange.request, index),
                issued.contains(token.value) || MissingToken.isOne(token.value)
                    || Placeholder.isOne(token.value) && resources.contains(exchange.request.url.withoutQuery)
            else { continue }
            messages[index] = .resource(
                EndpointCall(
                    exchange: index,
                    request: exchange.request,
                    parameters: Parameters(exchange.request.url.queryItems, of: index, in: .requestQuery),
                    answer: Answer(of: exchange, at: index)
                )
            )
        }
        return messages
    }

    /// Access tokens, and ID tokens, which some clients send in their place.
    private static func issuedTokens(_ tokens: [TokenRequest], _ responses: [AuthorizationResponse]) -> Set<
        String
    > {
        let sources = tokens.map(\.answer.parameters) + responses.map(\.parameters)
        return Set(
            sources.flatMap { [$0["access_token"], $0["id_token"]] }.compactMap { $0 }.filter { !$0.isEmpty }
        )
    }

    /// In the header, or in the query, where it ought not to be (RFC 6750, section 2.3).
    private static func bearer(_ request: RecordedRequest, _ index: Int) -> Parameter? {
        if let token = BearerToken.of(request, exchange: index) { return token }
        guard let query = request.url.query, query.containsBytes("access_token=") else { return nil }
        return Parameters(QueryItems(query), of: index, in: .requestQuery).parameter("access_token")
    }

    /// Whether the answer says that a token was expected, and refused (RFC 6750, section 3; RFC 9449, section 7.1).
    private static func isChallenged(_ exchange: Exchange) -> Bool {
        exchange.response?.headers.all("www-authenticate").contains { field in
            ["bearer", "dpop"].contains(field.prefix { $0 != " " }.lowercased())
        } ?? false
    }

    private static func hasNoCredentials(_ capture: Capture) -> Bool {
        capture.indices.allSatisfy { index in
            let exchange = capture[index]
            return !exchange.request.headers.contains("cookie")
                && !exchange.request.headers.contains("authorization")
                && exchange.request.listedCookies.isEmpty
                && !(exchange.response?.headers.contains("set-cookie") ?? false)
                && (exchange.response?.listedCookies.isEmpty ?? true)
        }
    }

    private static func secrets(_ tokens: [TokenRequest], _ registrations: [EndpointCall]) -> [String: String]
    {
        var secrets: [String: String] = [:]
        for call in registrations {
            if let id = call.answer.parameters["client_id"],
                let secret = call.answer.parameters["client_secret"]
            {
                secrets[id] = secret
            }
        }
        for request in tokens where request.answer.isSuccess {
            if let id = request.clientID, let secret = request.authentication.secret?.value,
                secrets[id] == nil
            {
                secrets[id] = secret
            }
        }
        return secrets
    }
}
