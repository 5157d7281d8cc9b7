import JSON

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
        let query = exchange.request.url.queryItems
        if let code = query.first("code"), code.utf8.count >= Self.shortest {
            called[code] = min(called[code] ?? span.start, span.start)
        }
        if let uri = query.first("request_uri") { asked[uri] = min(asked[uri] ?? span.start, span.start) }
        if let code = exchange.response?.location.flatMap({ RecordedURL($0).queryItems.first("code") }),
            code.utf8.count >= Self.shortest
        {
            issued[code] = min(issued[code] ?? span.start, span.start)
        }
        guard exchange.request.method == "POST", let form = FormBody.items(of: exchange.request.body) else {
            return
        }
        if form.first("grant_type") != nil, let code = form.first("code") {
            spent[code] = min(spent[code] ?? span.start, span.start)
        } else if form.first("client_id") != nil || form.first("response_type") != nil,
            let bytes = exchange.response?.body?.bytes, bytes.count < 1 << 12,
            let uri = (try? JSONParser.parse(bytes))?["request_uri"]?.string
        {
            pushed[uri] = span.start
        }
    }

    private static let shortest = 8

    /// The callback is later than the redirect to it.
    private func given(_ code: String) -> Int64? { called[code] ?? issued[code] }

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
