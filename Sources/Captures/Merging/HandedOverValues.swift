/// Values that one side of a login is given and the other one brings on: what is spent had been given out before, whatever two
/// clocks say.
struct HandedOverValues: Sendable {
    /// When each was first used so: the beginning of the exchange.
    private var times: [HandedOverValue: Int64] = [:]

    mutating func add(_ exchange: Exchange, _ span: ClockSpan) {
        for value in HandedOverValue.all(in: exchange) {
            times[value] = min(times[value] ?? span.start, span.start)
        }
    }

    /// When what an exchange brings on was given out; nil of other uses, and where nothing has it.
    func time(before value: HandedOverValue) -> Int64? {
        value.givers.lazy.compactMap { times[$0] }.first
    }

    /// An interval that B's clock is ahead of A's, without what would let a value be brought before it was given out; as it is
    /// where the two contradict each other.
    static func narrowing(_ interval: ClockEstimate.Interval, _ a: HandedOverValues, _ b: HandedOverValues)
        -> ClockEstimate.Interval
    {
        var narrow = interval
        // Given out in A, brought in B: B's time is A's and more.
        for (value, time) in b.times {
            if let given = a.time(before: value) { narrow.high = min(narrow.high, time - given) }
        }
        for (value, time) in a.times {
            if let given = b.time(before: value) { narrow.low = max(narrow.low, given - time) }
        }
        return narrow.low <= narrow.high ? narrow : interval
    }
}
