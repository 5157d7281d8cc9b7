import Captures
import Flows
import Replay
import Synchronization

/// What goes through the recorder, and who may be reached.
final class BrowserTraffic: Sendable {
    private struct State {
        var exchanges: [Exchange] = []
        /// Why there is no way to a host, by its name.
        var failures: [String: String] = [:]
        var allows: @Sendable (RecordedURL) -> Bool = { _ in false }
        var post: AsyncStream<BrowserVisitStateMachine.Event>.Continuation?
    }

    private let state = Mutex(State())

    func begin(
        _ allows: @escaping @Sendable (RecordedURL) -> Bool,
        _ post: AsyncStream<BrowserVisitStateMachine.Event>.Continuation
    ) {
        state.withLock { $0 = State(allows: allows, post: post) }
    }

    /// Why nobody was reached at a host during the visit; nil where somebody was, or none was asked.
    func failure(at host: String) -> String? { state.withLock { $0.failures[host] } }

    /// What was sent during the visit, in the order in which it was sent; nothing is taken down from then on.
    func end() -> [Exchange] {
        state.withLock { state in
            defer { state = State() }
            return state.exchanges
        }.filter { !Asset.isAsset($0) }.sorted { $0.startedAt < $1.startedAt }
    }

    func permits(_ host: String, _ port: Int) -> Bool {
        let allows = state.withLock { $0.allows }
        let place = URLAuthority.text(host, port: port)
        return ["https", "http"].contains { allows(RecordedURL("\($0)://\(place)/")) }
    }

    func record(_ exchanges: [Exchange]) {
        for exchange in exchanges {
            let post = state.withLock {
                state -> AsyncStream<BrowserVisitStateMachine.Event>.Continuation? in
                guard let post = state.post, state.allows(exchange.request.url) else { return nil }
                guard exchange.request.method != "CONNECT" else {
                    if let host = exchange.request.url.host { state.failures[host] = exchange.failure }
                    return nil
                }
                state.exchanges.append(exchange)
                return post
            }
            post?.yield(.exchanged(exchange))
        }
    }
}
