internal import Synchronization

/// How many bytes of bodies all connections together may hold until their entries are written.
///
/// One connection's bodies are bounded by the limit of a body; many connections, or many streams of one, are by this.
/// What it does not grant is not kept: the body counts as truncated, the traffic goes on.
package final class BodyBudget: Sendable {
    private let left: Atomic<Int>

    /// `bytes`: in all.
    package init(bytes: Int) { left = Atomic(bytes) }

    /// Bytes that are not taken.
    package var available: Int { left.load(ordering: .relaxed) }

    /// What one connection has taken; gives it back when the connection is forgotten.
    package final class Share {
        private let budget: BodyBudget
        private var taken = 0

        package init(of budget: BodyBudget) { self.budget = budget }

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

        package func give(_ bytes: Int) {
            guard bytes > 0 else { return }
            taken -= bytes
            budget.left.add(bytes, ordering: .relaxed)
        }
    }
}
