internal import Synchronization

/// How many bytes all connections together may hold until their entries are written.
///
/// One connection is bounded by the limits of heads and bodies; many connections, or many streams of one, are by this. What
/// it does not grant is not kept: a body counts as truncated, a head that cannot be held is not read; the traffic goes on.
package final class RecordingBudget: Sendable {
    private let left: Atomic<Int>

    /// `bytes`: in all.
    package init(bytes: Int) { left = Atomic(bytes) }

    /// Bytes that are not taken.
    package var available: Int { left.load(ordering: .relaxed) }

    /// What one connection has taken; gives it back when the connection is forgotten.
    package final class Share {
        private let budget: RecordingBudget
        private var taken = 0

        package init(of budget: RecordingBudget) { self.budget = budget }

        deinit { budget.left.add(taken, ordering: .relaxed) }

        /// As many of the bytes as there are.
        package func take(upTo wanted: Int) -> Int {
            var available = budget.left.load(ordering: .relaxed)
            while true {
                let granted = min(wanted, max(0, available))
                guard granted > 0 else { return 0 }
                let (isDone, current) = budget.left.weakCompareExchange(
                    expected: available,
                    desired: available - granted,
                    ordering: .relaxed
                )
                if isDone {
                    taken += granted
                    return granted
                }
                available = current
            }
        }

        /// Gives back some of what was taken, for others to take.
        package func give(_ bytes: Int) {
            guard bytes > 0 else { return }
            taken -= bytes
            budget.left.add(bytes, ordering: .relaxed)
        }
    }
}
