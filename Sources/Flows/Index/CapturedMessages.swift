import Captures
import JOSE
import JSON
import OAuth

/// The messages that exchanges show by themselves: authorization responses and calls of resources are found by others.
struct CapturedMessages {
    /// By their exchanges.
    private(set) var all: [Int: OAuthMessage] = [:]
    /// In the order of time, as all that follow.
    private(set) var requests: [AuthorizationRequest] = []
    private(set) var tokens: [TokenRequest] = []
    private(set) var metadata: [MetadataDocument] = []
    private(set) var keySets: [KeySetDocument] = []
    private(set) var registrations: [EndpointCall] = []
    /// By the `request_uri` that they were given.
    private var pushed: [String: EndpointCall] = [:]
    /// Those whose `request_uri` the capture lacks, with when they were answered, until a browser brings one that nothing else tells of.
    private var unnamed: [(call: EndpointCall, at: Timestamp)] = []

    /// - Parameters:
    ///   - capture: whose metadata say which URLs are endpoints.
    ///   - order: indices of its entries by time.
    ///   - redirectedFrom: the exchange whose redirect led to each.
    init(_ capture: Capture, order: [Int], redirectedFrom: [Int: Int]) {
        var endpoints = Endpoints()
        for index in capture.indices where MessageRecognizer.isMetadata(capture[index].request.url) {
            if let json = Answer(of: capture[index], at: index).json { endpoints.add(json) }
        }
        var recognizer = MessageRecognizer(endpoints: endpoints)
        lazy var addresses = Addresses(capture, endpoints)
        for index in order {
            if let message = recognizer.message(of: capture[index], at: index) {
                guard !isPage(message, of: capture, redirectedFrom) else { continue }
                recognizer.note(message)
                add(message, at: index, of: capture)
            } else if var request = AuthorizationRequest(
                redirectedBy: capture[index],
                at: index,
                to: endpoints
            ) {
                if let call = request.parameters["request_uri"].flatMap({ pushed[$0] }) {
                    request.merge(pushed: call)
                }
                if addresses.isUnseen(request, in: capture) {
                    add(.authorizationRequest(request), at: index, of: capture)
                }
            }
        }
    }

    /// Whether it is the provider's sign-in page that a message asks for: redirects of the provider's own led there from an
    /// authorization request, whose names it has along with some of the page's, and not the values that the client made for it
    /// (WSO2, where it is told to keep those back).
    private func isPage(_ message: OAuthMessage, of capture: Capture, _ redirectedFrom: [Int: Int]) -> Bool {
        guard case .authorizationRequest(let request) = message, !Self.hasOwnValues(request) else {
            return false
        }
        let origin = request.endpoint.origin
        var exchange = request.exchange
        for _ in 0..<5 {
            guard let source = redirectedFrom[exchange], capture[source].request.url.origin == origin else {
                return false
            }
            if case .authorizationRequest(let asked)? = all[source] {
                return Self.hasOwnValues(asked) && Self.names(of: asked) == Self.names(of: request)
            }
            exchange = source
        }
        return false
    }

    /// What the client is known by, and what it asks for.
    private static func names(of request: AuthorizationRequest) -> [ByteText?] {
        [request.clientID, request.redirectURI, request.responseType].map { $0.map(ByteText.init) }
    }

    private static func hasOwnValues(_ request: AuthorizationRequest) -> Bool {
        ["state", "nonce", "code_challenge", "request", "request_uri"].contains(
            where: request.parameters.contains
        )
    }

    /// What was asked for in a capture.
    private struct Addresses {
        /// Alone, for a proxy may have the provider at another address than the app.
        private var queries: Set<String> = []
        private var withoutQuery: Set<String> = []
        private var endpoints: Set<EndpointAddress> = []
        /// How many redirects to providers have each state.
        private var states: [String: Int] = [:]

        init(_ capture: Capture, _ endpoints: Endpoints) {
            for index in capture.indices {
                if let query = capture[index].request.url.query { queries.insert(query) }
                withoutQuery.insert(capture[index].request.url.normalizedWithoutQuery)
                self.endpoints.insert(EndpointAddress(endpoints.endpoint(of: capture[index].request.url)))
                let sent = AuthorizationRequest(redirectedBy: capture[index], at: index, to: endpoints)
                if let state = sent?.state { states[state, default: 0] += 1 }
            }
        }

        /// Whether the capture has the app's half of a login alone: the way to the provider, where its answer comes in, and not what
        /// the browser asked the provider.
        func isUnseen(_ request: AuthorizationRequest, in capture: Capture) -> Bool {
            let exchange = capture[request.exchange]
            // Without a state of its own nobody could tell whose answer is whose.
            guard let location = exchange.response?.location, let uri = request.redirectURI,
                let state = request.state, states[state, default: 0] <= 1
            else { return false }
            return !queries.contains(exchange.request.url.resolving(location).query ?? "")
                && !endpoints.contains(EndpointAddress(request.endpoint))
                && withoutQuery.contains(RecordedURL(uri).normalizedWithoutQuery)
        }
    }

    private mutating func add(_ message: OAuthMessage, at index: Int, of capture: Capture) {
        var message = message
        switch message {
        case .authorizationRequest(var request):
            if let call = push(broughtBy: request, at: capture[index].startedAt) {
                request.merge(pushed: call)
                message = .authorizationRequest(request)
            }
            requests.append(request)
        case .token(let request): tokens.append(request)
        case .discovery(let document): metadata.append(document)
        case .keySet(let document): keySets.append(document)
        case .registration(let call), .clientConfiguration(let call): registrations.append(call)
        case .pushedRequest(let call):
            if let uri = call.answer.parameters["request_uri"] {
                pushed[uri] = call
            } else if call.answer.isUnsaved {
                unnamed.append((call, capture[index].endedAt))
                if unnamed.count > Self.mostUnnamed { unnamed.removeFirst() }
            }
        default: break
        }
        all[index] = message
    }

    /// The pushed request whose `request_uri` a browser brings; where nothing tells which, the only one of its client's that was answered
    /// out of sight, and not long before.
    private mutating func push(broughtBy request: AuthorizationRequest, at time: Timestamp) -> EndpointCall? {
        guard let uri = request.parameters["request_uri"] else { return nil }
        if let call = pushed[uri] { return call }
        // What is at a URL was not pushed, and a mark is in every login.
        guard !unnamed.isEmpty, let client = request.clientID, !RecordedURL(uri).isWeb,
            !Placeholder.isOne(uri)
        else { return nil }
        let places = unnamed.indices.filter {
            unnamed[$0].call.authentication.clientID?.value == client
                && unnamed[$0].call.endpoint.host == request.endpoint.host
                && time - unnamed[$0].at <= Self.longestLifetime
        }
        guard places.count == 1 else { return nil }
        let call = unnamed.remove(at: places[0]).call
        pushed[uri] = call
        return call
    }

    /// Of a `request_uri` (RFC 9126, section 2.2).
    private static let longestLifetime = Duration.seconds(600)
    private static let mostUnnamed = 50
}
