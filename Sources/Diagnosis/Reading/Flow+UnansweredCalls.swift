import Captures
import Flows
import JOSE
import OAuth

extension Flow {
    /// Requests of the app to the provider's endpoints whose answers broke off, or that the app's server gave up waiting for.
    ///
    /// It says so by closing the connection, after about a second at least: who goes at once was not waiting. Or it answered the callback,
    /// and badly, while it had no answer itself, whatever ended the wait in the recording, and no other try was answered.
    /// What was never asked to its end is none of them.
    var unansweredCalls: [FailedRequest] {
        let callbacks = RejectedCallback.all(in: self).map { capture[$0.exchange] }
        let repetitions = Repetitions(in: self)
        let calls =
            ClientCall.all(in: self).filter { !$0.isRepaired }.map(\.answer)
            + messages.compactMap { if case .userInfo(let call) = $0 { call.answer } else { nil } }
        return calls.compactMap { answer in
            let exchange = capture[answer.exchange]
            guard let words = exchange.failure, let origin = exchange.request.url.origin,
                !isRead(answer, of: exchange),
                !answer.isCancelled, !RecorderRefusal.isOne(exchange), !exchange.lacksItsAnswer,
                !exchange.isRequestCut
            else { return nil }
            let failure = TransportFailure(words)
            guard failure == nil || failure == .unanswered else { return nil }
            let isBroken = exchange.response != nil && failure == .unanswered
            guard
                isBroken
                    || (exchange.response == nil || answer.isBrokenOff) && !isOfPage(exchange)
                        && isGivenUp(answer.exchange, words, callbacks, repetitions)
                        && !isLeftByClosedApp(answer.exchange)
            else {
                return nil
            }
            return FailedRequest(exchange: answer.exchange, origin: origin, words: words)
        }
    }

    /// Whether what came can be read, however the connection ended.
    private func isRead(_ answer: Answer, of exchange: Exchange) -> Bool {
        answer.json != nil || !answer.parameters.isEmpty
            || exchange.response?.body?.text.flatMap { JSONWebToken.parse($0) } != nil
    }

    /// Whether the app refused its callback behind a request whose answer the capture lacks, by packets or by keys: it was no good one.
    func isGivenUp(behind request: TokenRequest) -> Bool {
        let exchange = capture[request.exchange]
        return exchange.response == nil && exchange.lacksItsAnswer
            && RejectedCallback.all(in: self).contains { $0.response.code == request.code }
    }

    /// Whether an app on a device went before an answer came, as one does that its user closes: after a time that nobody sets a limit
    /// to, and no request of it came any more, nor the same code.
    ///
    /// Who only gave up waiting goes on, or did after a whole number of seconds.
    func isLeftByClosedApp(_ index: Int) -> Bool {
        let exchange = capture[index]
        guard exchange.response == nil, exchange.failure.map(FailedRequest.isDeparture) ?? false,
            let agent = exchange.request.userAgent, UserAgentName.isNativeApp(agent),
            let wait = exchange.duration, wait < Self.usualPatience, !isWhole(wait)
        else { return false }
        let code = tokenRequests.first { $0.exchange == index }?.code
        // A closed app does not bring its code again.
        if code != nil,
            tokenRequests.contains(where: { $0.code == code && $0.startedAt > exchange.startedAt })
        {
            return false
        }
        return !exchanges(after: index, within: wait + Self.timeToGoOn).contains {
            capture[$0].startedAt >= exchange.endedAt
                && capture[$0].request.userAgent == agent
        }
    }

    /// Whether a time is one of full seconds, counted by the client from a little before.
    private func isWhole(_ wait: Duration) -> Bool {
        let rest = Int((wait / .milliseconds(1)).rounded()) % 1000
        return rest >= 900 || rest <= 50
    }

    /// Shorter than what HTTP clients wait unless they are told otherwise.
    static let usualPatience = Duration.seconds(9)
    private static let timeToGoOn = Duration.seconds(10)

    private func isGivenUp(
        _ index: Int,
        _ words: String,
        _ callbacks: [Exchange],
        _ repetitions: Repetitions
    ) -> Bool {
        let exchange = capture[index]
        let isDeparture = FailedRequest.isDeparture(words)
        if isDeparture, exchange.endedAt - exchange.startedAt >= Self.shortestPatience { return true }
        // What the next try was answered is why the callback was refused.
        if !isDeparture, repetitions.wentWell(after: index) { return false }
        return callbacks.contains {
            $0.startedAt <= exchange.startedAt && $0.endedAt >= exchange.startedAt
        }
    }

    /// A second, counted by the client from before its request came to the recorder.
    private static let shortestPatience = Duration.milliseconds(900)

    /// Pages go without waiting.
    private func isOfPage(_ exchange: Exchange) -> Bool {
        ["origin", "sec-fetch-mode"].contains { exchange.request.headers.contains($0) }
    }
}
