internal import Captures
internal import Wire

/// When each side of a connection spoke last, by which it shows who had gone before the other was done.
struct LastWords {
    private var sent = Timestamp(nanoseconds: 0)
    private(set) var received = Timestamp(nanoseconds: 0)
    /// When the client was done with sending, which mostly means that it has gone.
    var clientEnd: Timestamp?

    /// A server that works on for whoever only listens takes longer.
    private static let reaction = Duration.seconds(1)
    /// Who only says that nothing more will come says it at once.
    private static let patience = Duration.milliseconds(100)

    /// Bytes of a side came.
    mutating func spoke(_ side: Side, at time: Timestamp) {
        if side == .client { sent = time } else { received = time }
    }

    /// When anybody did.
    var latest: Timestamp { max(sent, received) }

    /// Whether a server that ends its side now does so as its client has gone.
    func hadClientGone(before time: Timestamp) -> Bool {
        guard let clientEnd else { return false }
        return received <= clientEnd && time - clientEnd <= Self.reaction && clientEnd - sent >= Self.patience
    }
}
