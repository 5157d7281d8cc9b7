internal import Captures

/// Connections that have ended while what was said in them waits for keys: not every program writes them down as it connects.
///
/// They wait up to the end of the capture, or until there are too many of them, or it takes too long.
struct LateConnections {
    private struct Connection {
        let reader: ConnectionReader
        let closedAt: Timestamp
        let heldBytes: Int
    }

    private static let most = 512
    private static let mostBytes = 32 << 20
    /// A key log may be written when its program ends.
    private static let patience = Duration.seconds(600)

    /// In the order in which they ended.
    private var waiting: [Connection] = []
    private var heldBytes = 0

    mutating func add(_ reader: ConnectionReader, closedAt time: Timestamp) {
        let connection = Connection(reader: reader, closedAt: time, heldBytes: reader.heldForKeys)
        waiting.append(connection)
        heldBytes += connection.heldBytes
        // Those that have waited longest make room.
        var rest = heldBytes
        let count = waiting.prefix { first in
            guard rest > Self.mostBytes else { return false }
            rest -= first.heldBytes
            return true
        }.count
        close(first: max(count, waiting.count - Self.most))
    }

    /// Reads what the keys open that have come.
    mutating func keysAdded() {
        for connection in waiting { connection.reader.keysAdded(at: connection.closedAt) }
        let opened = waiting.filter { !$0.reader.waitsForKeys }
        guard !opened.isEmpty else { return }
        waiting.removeAll { !$0.reader.waitsForKeys }
        close(opened)
    }

    /// Gives those up that have waited long enough.
    mutating func timePassed(until time: Timestamp) {
        close(first: waiting.prefix { time - $0.closedAt > Self.patience }.count)
    }

    /// No more keys will come.
    mutating func finish() { close(first: waiting.count) }

    private mutating func close(first count: Int) {
        guard count > 0 else { return }
        let first = waiting.prefix(count)
        waiting.removeFirst(count)
        close(first)
    }

    private mutating func close(_ connections: some Collection<Connection>) {
        for connection in connections {
            heldBytes -= connection.heldBytes
            connection.reader.closed(at: connection.closedAt)
        }
    }
}
