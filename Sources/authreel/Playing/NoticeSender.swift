import Captures
import Provider
import Replay
import Synchronization
import TLS

/// Sends what a mock has to tell clients on this machine of its own accord.
///
/// Nobody waits for it: the answer that it follows from is on its way already.
final class NoticeSender: Sendable {
    private struct State {
        /// Made with the first notice, since most mocks send none.
        var sender: HTTPSender?
        var underWay: [Int: Task<Void, Never>] = [:]
        var count = 0
        var isOver = false
    }

    /// Clients that do not answer must not pile up.
    private static let most = 100

    private let state = Mutex(State())

    /// Sends each at once; `done` is handed its exchange, with the failure of one without an answer.
    func send(_ notices: [ProviderNotice], done: @escaping @Sendable (Exchange) -> Void) {
        for notice in notices { send(notice, done) }
    }

    private func send(_ notice: ProviderNotice, _ done: @escaping @Sendable (Exchange) -> Void) {
        state.withLock { state in
            guard !state.isOver, state.underWay.count < Self.most,
                let sender = state.sender ?? Self.makeSender()
            else { return }
            state.sender = sender
            state.count += 1
            let number = state.count
            // Without a parent: whoever asked has an answer, and may be gone. ``stop()`` ends it.
            state.underWay[number] = Task {
                try? await Task.sleep(for: notice.delay)
                if !Task.isCancelled {
                    let exchange = await sender.exchange(notice.request)
                    if !Task.isCancelled { done(exchange) }
                }
                self.state.withLock { $0.underWay[number] = nil }
            }
        }
    }

    /// Nil where there is no TLS to be had.
    private static func makeSender() -> HTTPSender? {
        // A certificate of this machine is one that somebody made for a test.
        let tls = try? TLSContext.client(.init(trustsSystemRoots: false, verifiesServer: false))
        return tls.map {
            HTTPSender(
                .init(tls: $0, timeout: .seconds(5), staysOnThisMachine: true, clock: { SystemClock.now })
            )
        }
    }

    /// Runs `body` with a sender, which is stopped behind it, whatever came.
    ///
    /// - Throws: what `body` throws.
    static func withSender(_ body: (NoticeSender) async throws -> Void) async throws {
        let notices = NoticeSender()
        try await ending(with: { await notices.stop() }) { try await body(notices) }
    }

    /// Gives up what is under way; nothing is sent afterwards.
    private func stop() async {
        let (sender, tasks) = state.withLock { state in
            state.isOver = true
            return (state.sender, Array(state.underWay.values))
        }
        for task in tasks { task.cancel() }
        for task in tasks { await task.value }
        await sender?.stop()
    }
}
