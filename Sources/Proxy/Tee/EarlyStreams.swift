internal import NIOCore

/// How long what a provider says waits for the rest of requests that it has answered already, where streams share a connection.
struct EarlyStreams {
    /// Of what waits, in bytes.
    private static let most = 256 << 10

    private var waiting: Scheduled<Void>?
    private var count = 0

    var areWaiting: Bool { waiting != nil }

    /// Takes note of so many bytes that are to wait; `done` is called when they have.
    ///
    /// - Returns: whether there is room for them.
    mutating func wait(
        holding bytes: Int,
        for time: Duration,
        on loop: any EventLoop,
        _ done: @escaping () -> Void
    ) -> Bool {
        count += bytes
        if waiting == nil {
            waiting = loop.assumeIsolated().scheduleTask(in: TimeAmount(time)) { done() }
        }
        return count <= Self.most
    }

    mutating func stop() {
        waiting?.cancel()
        waiting = nil
        count = 0
    }
}
