import Captures
import Flows
import OAuth

/// A request to the provider that got no answer.
struct FailedRequest {
    var exchange: Int
    var origin: String
    var words: String

    /// Whether its client went, by the recorder's words.
    var isLeftByClient: Bool { Self.isDeparture(words) }

    /// Whether that is what a recorder's words say.
    static func isDeparture(_ words: String) -> Bool { departures.contains(where: words.hasPrefix) }

    private static let departures = [
        "the client closed the connection before", AnswerLoss.clientReset,
        // mitmproxy's, of a connection and of one request of many on it.
        "Client disconnected.", "stream reset by client",
    ]

    /// Each origin once a client, with the recorder's words and the URL, and where answers broke off, what came of them.
    static func evidence(of failed: [FailedRequest], in flow: Flow, isCut: Bool = false) -> [Evidence] {
        var told: Set<String> = []
        return failed.filter {
            told.insert("\($0.origin) \(flow.capture[$0.exchange].client.process ?? "")").inserted
        }.prefix(6).flatMap { request in
            let exchange = flow.capture[request.exchange]
            let url = flow.urlEvidence(
                of: request.exchange,
                note: exchange.client.process.map { "client: \($0)" }
            )
            let waited = exchange.duration.flatMap(wait)
            guard !isCut else { return [url] + request.breakingOff(waited, in: flow) }
            return [
                url,
                Evidence(
                    place: request.place(exchange),
                    value: Excerpt.start(of: request.words),
                    note: waited
                ),
            ]
        }
    }

    /// The status, and the words with how much came behind it; `wait`: until when.
    private func breakingOff(_ wait: String?, in flow: Flow) -> [Evidence] {
        let answer = Answer(of: flow.capture[exchange], at: exchange)
        return [answer.statusEvidence()]
            + UnreadableAnswer.breakingOff(of: answer, in: flow.capture).map { evidence in
                var evidence = evidence
                evidence.note = [evidence.note, wait].compactMap(\.self).joined(separator: "; ")
                return evidence
            }
    }

    /// In clear there is no TLS: it failed where the status should be, or behind it.
    private func place(_ exchange: Exchange) -> Place {
        guard origin.hasPrefix("http://") else {
            return Place(exchange: self.exchange, part: .tls, name: exchange.request.url.host ?? "")
        }
        let part = exchange.response == nil ? Place.Part.responseStatus : .responseBody
        return Place(exchange: self.exchange, part: part, name: "")
    }

    /// A wait to the tenth of a second, so that a setting is found by it; nil for what nobody noticed.
    private static func wait(_ duration: Duration) -> String? {
        let tenths = (duration + .milliseconds(50)) / .milliseconds(100)
        guard tenths >= 9 else { return nil }
        let whole = Int(tenths)
        return "after \(whole / 10).\(whole % 10) s"
    }
}

extension FailedRequest {
    /// The ids of the rules that tell what came of such requests: of a callback that the app's server refused while it made one, or
    /// never answered.
    static func explained(by requests: [FailedRequest], in flow: Flow) -> Set<String> {
        let begun = requests.map { flow.capture[$0.exchange] }.sorted { $0.startedAt < $1.startedAt }
        let isOfCallback = RejectedCallback.all(in: flow).contains { callback in
            let received = flow.capture[callback.place]
            return Self.others(in: begun, beside: received).contains { $0.endedAt <= received.endedAt }
        }
        let isOfSilence = flow.authorizationResponses.compactMap(\.callback).contains { callback in
            let received = flow.capture[callback]
            guard received.response == nil,
                received.failure.flatMap({ TransportFailure($0) }) == .unanswered
            else { return false }
            return !Self.others(in: begun, beside: received).isEmpty
        }
        return Set(
            (isOfCallback ? ["callback-rejected-by-app"] : [])
                + (isOfSilence ? ["callback-unreachable"] : [])
        )
    }

    /// The exchanges of other clients that began while one was under way; `begun` is in the order of their beginnings.
    private static func others(in begun: [Exchange], beside received: Exchange) -> [Exchange] {
        let first = begun.partitionPoint { $0.startedAt >= received.startedAt }
        return begun[first...].prefix(mostBeside).prefix { $0.startedAt <= received.endedAt }
            .filter { $0.client.isOther(than: received.client) }
    }

    /// Of what a server asks for while it answers one request, nobody looks at more.
    private static let mostBeside = 50
}

extension Flow {
    /// Requests to the provider's endpoints that failed in one way for good: no try after it was answered.
    ///
    /// What goes to the app, to other sites or for pages' assets is left out; what goes to the provider's origin without being a
    /// message counts where a login cannot do without: a tunnel, a form, a redirect, a connection of the app's server at work on
    /// a request of the login; so does what that server could not do without when it refused the callback.
    func failedRequests(_ failure: TransportFailure) -> [FailedRequest] {
        let failed = exchanges.compactMap { index -> FailedRequest? in
            let exchange = capture[index]
            guard exchange.response == nil || exchange.request.method == "CONNECT",
                let words = exchange.failure, TransportFailure(words) == failure,
                !RecorderRefusal.isOne(exchange), let origin = exchange.request.url.origin
            else { return nil }
            return FailedRequest(exchange: index, origin: origin, words: words)
        }
        guard !failed.isEmpty else { return [] }
        let endpoints = endpoints
        let authorities = Set(endpoints.compactMap { capture[$0].request.url.origin.map(Self.authority) })
        let redirects = Set(
            authorizationRequests.compactMap { $0.redirectURI.map { RecordedURL($0).normalizedWithoutQuery } }
        )
        let repetitions = Repetitions(in: self)
        let own = Set(exchanges)
        let wanted = wantedAtCallbacks
        return failed.filter { request in
            let exchange = capture[request.exchange]
            let isMeant =
                grant == "connection" || endpoints.contains(request.exchange)
                || authorities.contains(Self.authority(request.origin)) && isNeeded(request.exchange)
                || isSentOn(request.exchange, from: endpoints)
                || isBehindFailedWork(request.exchange, of: own) || wanted.contains(request.exchange)
            guard isMeant, !redirects.contains(exchange.request.url.normalizedWithoutQuery) else {
                return false
            }
            return endpoints.contains(request.exchange)
                ? !repetitions.wentWell(after: request.exchange)
                : !isAnswered(request)
        }
    }

    /// Whether an endpoint of the provider sent the browser to another scheme or port of its own host, as one does that stands
    /// behind a proxy for TLS and does not know it.
    private func isSentOn(_ index: Int, from endpoints: Set<Int>) -> Bool {
        guard let source = surroundings.redirectedFrom[index], endpoints.contains(source) else {
            return false
        }
        return capture[source].request.url.host == capture[index].request.url.host
            && !authorizationResponses.contains { $0.callback == index }
    }

    /// Whether the server answered the client, or one nobody knows, later.
    ///
    /// A tunnel does not say what was to be spoken in it.
    private func isAnswered(_ request: FailedRequest) -> Bool {
        let exchange = capture[request.exchange]
        let isTunnel = exchange.request.method == "CONNECT"
        let origins =
            isTunnel ? ["http://", "https://"].map { $0 + Self.authority(request.origin) } : [request.origin]
        return origins.contains {
            surroundings.latest.isAnswered(
                $0,
                to: exchange.client.process,
                after: surroundings.position[request.exchange]
            )
        }
    }

    /// Whether the app's server wanted this connection while it worked on a request of the flow, which failed, and never
    /// brought the code anywhere.
    private func isBehindFailedWork(_ index: Int, of own: Set<Int>) -> Bool {
        guard tokenRequests.isEmpty, let work = surroundings.failedWork(behind: index) else { return false }
        return own.contains(work)
    }

    /// What the app's server, at work on a callback that it then refused, wanted in vain: of the provider's host at whatever port
    /// (but on this machine, where others listen as well), or with a token of the flow.
    private var wantedAtCallbacks: Set<Int> {
        let called = Set(
            messages.compactMap { if case .resource(let call) = $0 { call.exchange } else { nil } }
        )
        return Set(RejectedCallback.all(in: self).flatMap { $0.unservedCalls(in: self) }).filter {
            called.contains($0)
                || capture[$0].request.url.host.map {
                    providerHosts.contains($0) && !LoopbackHost.isLoopback($0)
                } ?? false
        }
    }

    /// `HOST:PORT` of an origin.
    private static func authority(_ origin: String) -> String {
        origin.utf8.firstRange(of: Array("://".utf8)).map { String(origin[$0.upperBound...]) } ?? origin
    }

    /// Exchanges that are requests to endpoints of the provider.
    var endpoints: Set<Int> {
        Set(
            messages.compactMap { message in
                switch message {
                // Those go to the app.
                case .backChannelLogout, .frontChannelLogout: nil
                case .resource, .authorizationResponse: nil
                default: message.exchange
                }
            }
        )
    }

    /// Whether a request was answered to the end, and not with one to serve nobody for a time.
    func isServed(_ index: Int) -> Bool {
        guard let response = capture[index].response, !capture[index].isBrokenOff else { return false }
        return !Throttling.isOne(response)
    }

    /// Whether all that was not served was asked for metadata or keys: a client that knows them goes on without.
    var lacksOnlyDocuments: Bool {
        let documents = Set(
            messages.compactMap { message in
                switch message {
                case .discovery, .keySet: message.exchange
                default: nil
                }
            }
        )
        let endpoints = endpoints
        return exchanges.allSatisfy {
            isServed($0) || documents.contains($0)
                || !endpoints.contains($0) && !(isNeeded($0) && capture[$0].request.url.isWeb)
        }
    }

    /// Requests that are no messages, and without which no sign-in goes on.
    private func isNeeded(_ index: Int) -> Bool {
        let method = capture[index].request.method
        return method == "CONNECT" || method == "POST" || surroundings.redirectedFrom[index] != nil
    }
}
