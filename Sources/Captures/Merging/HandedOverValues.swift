/// Values that one side of a login is given and the other one brings on: what is spent had been given out before, whatever two
/// clocks say.
struct HandedOverValues: Sendable {
    /// By code: when the answer was asked for that brought it to the browser, and the callback with it.
    private var issued: [String: Int64] = [:]
    private var called: [String: Int64] = [:]
    /// By code: when a token request spent it.
    private var spent: [String: Int64] = [:]
    /// By `request_uri` (RFC 9126): when it was pushed for, and when the browser brought it.
    private var pushed: [String: Int64] = [:]
    private var asked: [String: Int64] = [:]

    mutating func add(_ exchange: Exchange, _ span: ClockSpan) {
        for value in HandedOverValue.all(in: exchange) {
            let (text, start) = (value.text, span.start)
            switch value.use {
            case .issued: issued[text] = min(issued[text] ?? start, start)
            case .called: called[text] = min(called[text] ?? start, start)
            case .spent: spent[text] = min(spent[text] ?? start, start)
            case .pushed: pushed[text] = start
            case .asked: asked[text] = min(asked[text] ?? start, start)
            }
        }
    }

    /// The callback is later than the redirect to it.
    private func given(_ code: String) -> Int64? { called[code] ?? issued[code] }

    /// When what an exchange brings on was given out; nil of other uses, and where nothing has it.
    func time(before value: HandedOverValue) -> Int64? {
        switch value.use {
        case .spent: given(value.text)
        case .asked: pushed[value.text]
        case .issued, .called, .pushed: nil
        }
    }

    /// An interval that B's clock is ahead of A's, without what would let a value be brought before it was given out; as it is
    /// where the two contradict each other.
    static func narrowing(_ interval: ClockEstimate.Interval, _ a: HandedOverValues, _ b: HandedOverValues)
        -> ClockEstimate.Interval
    {
        var narrow = interval
        // Given out in A, brought in B: B's time is A's and more.
        for (code, time) in b.spent {
            if let given = a.given(code) { narrow.high = min(narrow.high, time - given) }
        }
        for (uri, time) in b.asked {
            if let given = a.pushed[uri] { narrow.high = min(narrow.high, time - given) }
        }
        for (code, time) in a.spent {
            if let given = b.given(code) { narrow.low = max(narrow.low, given - time) }
        }
        for (uri, time) in a.asked {
            if let given = b.pushed[uri] { narrow.low = max(narrow.low, given - time) }
        }
        return narrow.low <= narrow.high ? narrow : interval
    }
}
