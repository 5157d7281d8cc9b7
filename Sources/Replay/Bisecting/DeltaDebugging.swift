/// Narrows a set of changes that together make a test fail down to a minimal one (Zeller and Hildebrandt, "Simplifying
/// and Isolating Failure-Inducing Input", 2002: the algorithm ddmin).
///
/// Does nothing itself but ask; no set is asked for twice.
package struct DeltaDebugging: Sendable {
    /// What came of the test of a set.
    package enum Outcome: String, Sendable, Hashable {
        /// The failure that is looked for.
        case fails
        case passes
        /// Neither: another failure, or a set that makes no sense without what was left out.
        case unresolved
    }

    /// What the search came to.
    package struct Result: Sendable, Hashable {
        /// Indices of changes, ascending: the smallest set that was seen to fail.
        package var set: [Int]
        /// Whether no single change can be taken from ``set`` without the failure being gone.
        package var isMinimal: Bool

        package init(set: [Int], isMinimal: Bool) {
            self.set = set
            self.isMinimal = isMinimal
        }
    }

    /// How many more tests may be made.
    private let limit: Int
    /// Indices that are asked for first, because something else speaks for them.
    private let suspects: [Int]

    /// `suspects`: indices of changes that are likely to be the ones; wrong ones cost a test, no more.
    package init(limit: Int, suspects: [Int] = []) {
        self.limit = limit
        self.suspects = suspects
    }

    /// Minimises a set.
    ///
    /// - Parameters:
    ///   - set: indices of changes of which it is known that they fail together, and that none of them passes.
    ///   - test: asked for each set once.
    /// - Returns: the smallest set that was seen to fail.
    package func minimise(_ set: [Int], _ test: ([Int]) async -> Outcome) async -> Result {
        var tester = Tester(limit: limit, outcomes: [set.sorted(): .fails, []: .passes])
        var current = set.sorted()
        let guess = Swift.Set(suspects).intersection(current).sorted()
        if !guess.isEmpty, guess.count < current.count, await tester.fails(guess, test) ?? false {
            current = guess
        }
        var parts = 2
        while current.count > 1 {
            parts = min(parts, current.count)
            guard let step = await reduced(current, parts, &tester, test) else {
                return Result(set: current, isMinimal: false)
            }
            if let smaller = step.set {
                current = smaller
                parts = step.parts
            } else if parts < current.count {
                parts *= 2
            } else {
                break
            }
        }
        return Result(set: current, isMinimal: true)
    }

    /// A part of a set that fails, or what is left when a part is taken away; nil where no more tests may be made.
    private func reduced(
        _ current: [Int],
        _ parts: Int,
        _ tester: inout Tester,
        _ test: ([Int]) async -> Outcome
    ) async -> (set: [Int]?, parts: Int)? {
        let pieces = Self.pieces(of: current, parts)
        for piece in pieces {
            guard let fails = await tester.fails(piece, test) else { return nil }
            if fails { return (piece, 2) }
        }
        // With two parts what is left is the other part.
        guard parts > 2 else { return (nil, parts) }
        for piece in pieces {
            let rest = current.filter { !piece.contains($0) }
            guard let fails = await tester.fails(rest, test) else { return nil }
            if fails { return (rest, max(parts - 1, 2)) }
        }
        return (nil, parts)
    }

    /// A set in so many pieces of about the same size, in order.
    private static func pieces(of set: [Int], _ count: Int) -> [[Int]] {
        (0..<count).map { Array(set[set.count * $0 / count..<set.count * ($0 + 1) / count]) }
    }

    private struct Tester {
        var limit: Int
        var outcomes: [[Int]: Outcome]

        /// Nil where no more tests may be made.
        mutating func fails(_ set: [Int], _ test: ([Int]) async -> Outcome) async -> Bool? {
            if let known = outcomes[set] { return known == .fails }
            guard limit > 0, !Task.isCancelled else { return nil }
            limit -= 1
            let outcome = await test(set)
            outcomes[set] = outcome
            return outcome == .fails
        }
    }
}
