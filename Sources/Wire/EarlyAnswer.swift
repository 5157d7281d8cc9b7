package import Captures

/// An answer that comes while its request is still being sent: some servers refuse on the head alone, and the rest of the
/// request, which may say why, would be missing in its entry.
///
/// It waits until the request is whole (``Conversation/isRequestOnItsWay``), or until it is itself too long to wait; once for each
/// request.
package struct EarlyAnswer<Bytes> {
    /// Bytes of the server that came at once, and when.
    package typealias Piece = (bytes: Bytes, at: Timestamp)

    private var pieces: [Piece] = []
    private var size = 0
    /// Whether the request under way was waited for.
    private var hasWaited = false

    package init() {}

    /// Whether there is something of an answer that waits.
    package var isWaiting: Bool { !pieces.isEmpty }

    /// Takes bytes of an answer whose request is on its way, so many; false where they may go on all the same.
    package mutating func holds(_ bytes: @autoclosure () -> Bytes, count: Int, at time: Timestamp) -> Bool {
        guard !hasWaited, size + count <= mostEarlyBytes else { return false }
        pieces.append((bytes(), time))
        size += count
        return true
    }

    /// What has waited, and waits no more.
    package mutating func take() -> [Piece] {
        hasWaited = true
        size = 0
        defer { pieces = [] }
        return pieces
    }

    /// The next request will be waited for again.
    package mutating func requestEnded() { hasWaited = false }
}

/// Of an answer that waits.
private let mostEarlyBytes = 256 << 10
