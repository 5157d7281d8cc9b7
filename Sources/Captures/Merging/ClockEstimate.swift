/// Finds how two clocks lie to each other from intervals that the offset is in, some of which may be wrong.
enum ClockEstimate {
    /// Nanoseconds, both ends included.
    struct Interval: Sendable, Equatable {
        var low: Int64
        var high: Int64

        /// Half of its width, rounded up.
        var radius: Int64 { (high - low) / 2 + (high - low) % 2 }
        var middle: Int64 { low + (high - low) / 2 }

        func widened(by slack: Int64) -> Interval { Interval(low: low - slack, high: high + slack) }

        /// How far a value is away from it.
        func distance(to other: Interval) -> Int64 { max(0, low - other.high, other.low - high) }
    }

    /// Where most of the intervals meet (Marzullo's algorithm).
    ///
    /// - Parameter intervals: each contains the offset, or is wrong.
    /// - Returns: the intersection of the largest number of them, and that number; nil where no more than half of them
    ///   meet, even when each is given a second more on both sides.
    static func agreement(of intervals: [Interval]) -> (interval: Interval, count: Int)? {
        // Clocks tick in milliseconds in browsers, drift in long recordings, and are set while they run.
        for slack in [1_000_000, 50_000_000, 1_000_000_000] as [Int64] {
            let (interval, count) = mostCommon(intervals.map { $0.widened(by: slack) })
            if let interval, count * 2 > intervals.count { return (interval, count) }
        }
        return nil
    }

    private static func mostCommon(_ intervals: [Interval]) -> (Interval?, Int) {
        // Where two touch, the one begins before the other ends.
        let edges = (intervals.map { ($0.low, 0) } + intervals.map { ($0.high, 1) }).sorted { $0 < $1 }
        var open = 0
        var best = 0
        var found: Interval?
        for (index, edge) in edges.enumerated() {
            guard edge.1 == 0 else {
                open -= 1
                continue
            }
            open += 1
            guard open > best, index + 1 < edges.count else { continue }
            best = open
            found = Interval(low: edge.0, high: edges[index + 1].0)
        }
        return (found, best)
    }

    /// The offset of B's clock that one exchange allows which both saw.
    ///
    /// The recorder further out saw it begin first and end last.
    static func interval(_ a: ClockSpan, _ b: ClockSpan) -> Interval {
        let begin = b.start - a.start
        let end = b.end - a.end
        let interval = Interval(
            low: min(begin, end) - a.grain(beyond: b),
            high: max(begin, end) + b.grain(beyond: a)
        )
        return a.isLengthKnown && b.isLengthKnown ? interval : interval.widened(by: 1_000_000_000)
    }
}
