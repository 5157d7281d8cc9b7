internal import Wire

/// How many bytes went each way, and how many of them are in the capture.
struct DirectionBytes {
    private(set) var sent = 0
    private(set) var received = 0
    private var capturedOfClient = false
    private var capturedOfServer = false

    mutating func count(_ bytes: Int, from side: Side, isCaptured: Bool) {
        if side == .client { sent += bytes } else { received += bytes }
        guard isCaptured else { return }
        if side == .client { capturedOfClient = true } else { capturedOfServer = true }
    }

    /// Takes each side for the other.
    mutating func turn() {
        swap(&sent, &received)
        swap(&capturedOfClient, &capturedOfServer)
    }

    /// The only side that the capture has bytes of; nil where it has those of both, or of none.
    var onlySide: Side? {
        guard capturedOfClient != capturedOfServer else { return nil }
        return capturedOfClient ? .client : .server
    }

    /// Whether a side sent bytes and the capture has none of them.
    var isOneWay: Bool { sent > 0 && received > 0 && onlySide != nil }
}
