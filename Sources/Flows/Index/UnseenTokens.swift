import Captures
import JOSE
import OAuth

/// Tokens that were used and taken though no answer of the capture brought them: what brought them was not recorded.
///
/// Only the first use of each counts: one that is as old as the recording says nothing of a login in it.
package struct UnseenTokens: Sendable {
    private var uses: Set<Int> = []
    /// The last first use of a refresh token, by client.
    private var refreshes: [String: Int] = [:]
    /// When each sender first used one, in the order of time.
    private var times: [String: [Timestamp]] = [:]

    init(_ index: CaptureIndex) {
        let capture = index.capture
        var known = CaptureIndex.issuedTokens(
            in: index.tokenRequests.map { $0.answer.parameters } + index.responses.map(\.parameters)
        )
        known.formUnion(index.tokenRequests.compactMap { $0.answer.parameters["refresh_token"] })
        for exchange in index.order {
            let message = index.messages[exchange]
            guard let token = Self.token(in: capture[exchange].request, message, at: exchange),
                !Placeholder.isOne(token), !MissingToken.isOne(token), known.insert(token).inserted,
                let status = capture[exchange].response?.status, (200..<300).contains(status)
            else { continue }
            uses.insert(exchange)
            times[ServerCalls.sender(of: capture[exchange]), default: []].append(capture[exchange].startedAt)
            if case .token(let request) = message, let client = request.clientID {
                refreshes[client] = exchange
            }
        }
    }

    private static func token(in request: RecordedRequest, _ message: OAuthMessage?, at exchange: Int)
        -> String?
    {
        if case .token(let message) = message {
            return message.isRefresh ? message.parameters["refresh_token"] : nil
        }
        return BearerToken.of(request, exchange: exchange)?.value
    }

    /// Whether it is the first use of such a token.
    package func contains(_ exchange: Int) -> Bool { uses.contains(exchange) }

    /// The last exchange in which a client had such a refresh token replaced that was not used before.
    package func refresh(by client: String) -> Int? { refreshes[client] }

    /// Whether a sender first used one between two times, both included.
    func areUsed(by sender: String, from start: Timestamp, to end: Timestamp) -> Bool {
        guard let times = times[sender] else { return false }
        let next = times.partitionPoint { $0 >= start }
        return next < times.count && times[next] <= end
    }
}
