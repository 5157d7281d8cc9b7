import JSON

/// What a capture's exchanges are told apart by, read once for all comparisons.
struct CaptureMarks: Sendable {
    /// By entry.
    private(set) var keys: [Int] = []
    /// By entry; nil where there is no time.
    private(set) var spans: [ClockSpan?] = []
    /// Entries by marks that only one of them has.
    private(set) var unique: [Int: Int] = [:]
    /// What `Date` fields say of the servers' clocks against the recorder's, by host.
    let serverClocks: [String: ClockEstimate.Interval]

    init(_ capture: Capture) {
        keys.reserveCapacity(capture.count)
        spans.reserveCapacity(capture.count)
        var repeated: Set<Int> = []
        var dates = ServerDates()
        for index in capture.indices {
            let marks = ExchangeMarks(capture[index])
            let span = ClockSpan(capture[index])
            keys.append(marks.key)
            spans.append(span)
            for mark in Set(marks.marks) where !repeated.contains(mark) {
                if unique.updateValue(index, forKey: mark) != nil {
                    unique[mark] = nil
                    repeated.insert(mark)
                }
            }
            if let span { dates.add(capture[index], span) }
        }
        serverClocks = dates.clocks
    }
}

/// Collects the `Date` fields of servers (RFC 9110, section 6.6.1).
private struct ServerDates {
    private var intervals: [String: [ClockEstimate.Interval]] = [:]
    /// As many as a host's clock is known by; more say nothing new.
    private static let enough = 256

    mutating func add(_ exchange: Exchange, _ span: ClockSpan) {
        // Copies have the date of what they are copies of.
        guard let response = exchange.response, span.isLengthKnown, !response.headers.contains("age"),
            exchange.foreign["_fromCache"] == nil, let host = exchange.request.url.host,
            intervals[host, default: []].count < Self.enough,
            let date = response.headers.first("date").flatMap(Timestamp.init(httpDate:))
        else { return }
        // Whole seconds, the rest cut off.
        let stamp = ClockSpan.nanoseconds(of: date)
        let interval = ClockEstimate.Interval(low: stamp - span.end, high: stamp + 1_000_000_000 - span.start)
        intervals[host, default: []].append(interval)
    }

    var clocks: [String: ClockEstimate.Interval] {
        intervals.compactMapValues { ClockEstimate.agreement(of: $0)?.interval }
    }
}
