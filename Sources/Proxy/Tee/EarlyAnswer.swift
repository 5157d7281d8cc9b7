internal import Captures
internal import NIOCore

/// An answer that comes while its request is still being sent: some servers refuse on the head alone, and the rest of the
/// request, which may say why, would be missing in its entry.
///
/// It waits for the request for a moment, once, and then goes its way, with what became of the provider's side meanwhile.
struct EarlyAnswer {
    typealias Piece = (bytes: ByteBuffer, at: Timestamp)

    private static let mostBytes = 256 << 10

    private var pieces: [Piece] = []
    private var ends: [() -> Void] = []
    private var size = 0
    private var waiting: Scheduled<Void>?
    /// Whether the request under way was waited for.
    private var hasWaited = false

    var isWaiting: Bool { !pieces.isEmpty }

    /// Takes bytes of an answer that have to wait; false where they may go on.
    mutating func holds(_ bytes: ByteBuffer, at time: Timestamp, isRequestOnItsWay: Bool) -> Bool {
        guard isRequestOnItsWay, !hasWaited, size + bytes.readableBytes <= Self.mostBytes else {
            return false
        }
        pieces.append((bytes, time))
        size += bytes.readableBytes
        return true
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
        hasWaited = true
        size = 0
        defer { (pieces, ends) = ([], []) }
        return (pieces, ends)
    }

    /// The next request will be waited for again.
    mutating func requestEnded() { hasWaited = false }
}
