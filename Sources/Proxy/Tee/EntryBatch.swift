internal import Captures
internal import NIOCore

/// The exchanges that became complete in one turn of an event loop: they go into the file in one write.
///
/// Under load a turn brings a dozen of them, and a write costs as much for all as for one. The bytes that complete an
/// answer wait with their tee until the write is done, which is before the turn ends.
///
/// Belongs to one event loop.
final class EntryBatch {
    // It holds this.
    private unowned let gate: ResponseGate
    private let loop: any EventLoop
    private var exchanges: [Exchange] = []
    /// Those who hold bytes back.
    private var waiting: [Tee] = []
    private var isScheduled = false

    /// More exchanges, or larger bodies, are not held: they would be memory, and one write has no advantage.
    private static let capacity = 64
    private static let largeBody = 64 << 10

    init(gate: ResponseGate, loop: any EventLoop) {
        self.gate = gate
        self.loop = loop
    }

    /// Takes what one tee has; the tee is told with ``Tee/released()`` when it is in the file.
    func add(_ exchanges: [Exchange], of tee: Tee) {
        self.exchanges += exchanges
        if waiting.last !== tee { waiting.append(tee) }
        if self.exchanges.count >= Self.capacity
            || exchanges.contains(where: { $0.largestBodySize > Self.largeBody })
        {
            commit()
        } else if !isScheduled {
            isScheduled = true
            loop.assumeIsolated().execute {
                self.isScheduled = false
                self.commit()
            }
        }
    }

    /// Writes what there is, then lets everybody go on.
    func commit() {
        guard !waiting.isEmpty else { return }
        // Whoever is released may add again, or commit.
        let (exchanges, waiting) = (self.exchanges, self.waiting)
        self.exchanges = []
        self.waiting = []
        gate.keep(exchanges)
        for tee in waiting { tee.released() }
    }
}
