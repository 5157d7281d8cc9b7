internal import Captures

/// An answer that comes while its request is still being sent: some servers refuse on the head alone, and the rest of the
/// request, which may say why, would be missing in its entry.
///
/// It waits until the request is whole, or until it is itself too long to wait.
struct EarlyAnswer {
    typealias Piece = (bytes: [UInt8], at: Timestamp)

    private static let mostBytes = 256 << 10

    private var pieces: [Piece] = []
    private var size = 0
    /// Whether the request under way was waited for.
    private var hasWaited = false

    var isWaiting: Bool { !pieces.isEmpty }

    /// Takes bytes of an answer that have to wait; false where they may go on.
    mutating func holds(_ bytes: UnsafeRawBufferPointer, at time: Timestamp, isRequestOnItsWay: Bool) -> Bool
    {
        guard isRequestOnItsWay, !hasWaited, size + bytes.count <= Self.mostBytes else { return false }
        pieces.append((Array(bytes), time))
        size += bytes.count
        return true
    }

    /// What has waited, and waits no more.
    mutating func take() -> [Piece] {
        hasWaited = true
        size = 0
        defer { pieces = [] }
        return pieces
    }

    /// The next request will be waited for again.
    mutating func requestEnded() { hasWaited = false }
}
