import Captures
import Flows
import OAuth

/// A request to the provider that got no answer.
struct FailedRequest {
    var exchange: Int
    var origin: String
    var words: String

    /// Each origin once a client, with the recorder's words and the URL.
    static func evidence(of failed: [FailedRequest], in flow: Flow) -> [Evidence] {
        var told: Set<String> = []
        return failed.filter {
            told.insert("\($0.origin) \(flow.capture[$0.exchange].client.process ?? "")").inserted
        }.prefix(6).flatMap { request in
            let exchange = flow.capture[request.exchange]
            return [
                Evidence(
                    place: Place(exchange: request.exchange, part: .requestURL, name: ""),
                    value: exchange.request.url.withoutQuery,
                    note: exchange.client.process.map { "client: \($0)" }
                ),
                Evidence(
                    place: Place(
                        exchange: request.exchange,
                        part: .tls,
                        name: exchange.request.url.host ?? ""
                    ),
                    value: Excerpt.start(of: request.words)
                ),
            ]
        }
    }
}

extension Flow {
    /// Requests to the provider's endpoints that failed in one way for good: nothing of the origin answered this client later.
    ///
    /// What goes to the app, to other sites or for pages' assets is left out; what goes to the provider's origin without being a
    /// message counts where a login cannot do without: a tunnel, a form, a redirect.
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
        let origins = Set(endpoints.compactMap { capture[$0].request.url.origin })
        let redirects = Set(
            authorizationRequests.compactMap { $0.redirectURI.map { RecordedURL($0).withoutQuery } }
        )
        return failed.filter { request in
            let exchange = capture[request.exchange]
            let isMeant =
                grant == "connection" || endpoints.contains(request.exchange)
                || origins.contains(request.origin) && isNeeded(request.exchange)
            guard isMeant, !redirects.contains(exchange.request.url.withoutQuery) else { return false }
            return !surroundings.latest.isAnswered(
                request.origin,
                to: exchange.client.process,
                after: surroundings.position[request.exchange]
            )
        }
    }

    /// Exchanges that are requests to endpoints of the provider.
    var endpoints: Set<Int> {
        Set(
            messages.compactMap { message in
                switch message {
                case .resource, .authorizationResponse: nil
                default: message.exchange
                }
            }
        )
    }

    /// Requests that are no messages, and without which no sign-in goes on.
    private func isNeeded(_ index: Int) -> Bool {
        let method = capture[index].request.method
        return method == "CONNECT" || method == "POST" || surroundings.redirectedFrom[index] != nil
    }
}
