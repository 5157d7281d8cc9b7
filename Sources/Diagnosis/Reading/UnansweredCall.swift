import Captures
import Flows
import OAuth

extension Flow {
    /// Requests of the app's server to the provider's endpoints that the app gave up waiting for.
    ///
    /// It says so by closing the connection, after a second at least: who goes at once was not waiting. Or it answered the callback,
    /// and badly, while it had no answer itself, whatever ended the wait in the recording.
    var unansweredCalls: [FailedRequest] {
        let callbacks = RejectedCallback.all(in: self)
        return ClientCall.all(in: self).compactMap { call in
            let exchange = capture[call.exchange]
            guard exchange.response == nil, !call.isRepaired, !call.answer.isCancelled, !isOfPage(exchange),
                let words = exchange.failure, let origin = exchange.request.url.origin,
                [nil, .unanswered].contains(TransportFailure(words)), !RecorderRefusal.isOne(exchange)
            else { return nil }
            let isLeft =
                Self.departures.contains(where: words.hasPrefix)
                && exchange.endedAt - exchange.startedAt >= Self.shortestPatience
            let isBehind = callbacks.contains { callback in
                let asked = capture[callback.exchange]
                return callback.response.code == call.parameters["code"]
                    && asked.startedAt <= exchange.startedAt
                    && asked.endedAt >= exchange.startedAt
            }
            guard isLeft || isBehind else { return nil }
            return FailedRequest(exchange: call.exchange, origin: origin, words: words)
        }
    }

    private static let departures = [
        "the client closed the connection before", "the client reset the connection",
    ]
    private static let shortestPatience = Duration.seconds(1)

    /// Pages go without waiting.
    private func isOfPage(_ exchange: Exchange) -> Bool {
        ["origin", "sec-fetch-mode"].contains { exchange.request.headers.contains($0) }
    }
}
