internal import Captures
internal import NIOCore
internal import Wire

/// An ``EarlyAnswer`` of a provider: it waits for the rest of its request for a moment, and goes its way with what became of the
/// provider's side meanwhile.
struct WaitingAnswer {
    typealias Piece = (bytes: ByteBuffer, at: Timestamp)

    private var early = EarlyAnswer<ByteBuffer>()
    private var ends: [() -> Void] = []
    private var waiting: Scheduled<Void>?

    var isWaiting: Bool { early.isWaiting }

    /// See ``EarlyAnswer/holds(_:count:at:)``.
    mutating func holds(_ bytes: ByteBuffer, at time: Timestamp) -> Bool {
        early.holds(bytes, count: bytes.readableBytes, at: time)
    }

    /// Takes what happened to the provider's side behind such bytes; false where there are none.
    mutating func delays(_ end: @escaping () -> Void) -> Bool {
        guard isWaiting else { return false }
        ends.append(end)
        return true
    }

    /// Calls when it has waited for a time: a client may want the answer before it sends the rest.
    mutating func callBack(after time: Duration, on loop: any EventLoop, _ done: @escaping () -> Void) {
        guard waiting == nil else { return }
        waiting = loop.assumeIsolated().scheduleTask(in: TimeAmount(time)) { done() }
    }

    /// What has waited, and waits no more.
    mutating func take() -> (pieces: [Piece], ends: [() -> Void]) {
        waiting?.cancel()
        waiting = nil
        defer { ends = [] }
        return (early.take(), ends)
    }

    /// The next request will be waited for again.
    mutating func requestEnded() { early.requestEnded() }
}
