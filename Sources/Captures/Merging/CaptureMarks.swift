import JSON

/// What a capture's exchanges are told apart by, read once for all comparisons.
struct CaptureMarks: Sendable {
    /// By entry.
    private(set) var keys: [Int] = []
    /// By entry, without the values of the query.
    private(set) var openKeys: [Int] = []
    /// Whether values were taken out of an entry's query.
    private(set) var hasVeiled = false
    /// By entry; nil where there is no time, or none by the clock of the others.
    private(set) var spans: [ClockSpan?] = []
    /// Entries by marks that only one of them has, or one and what is ``inside`` of it.
    private(set) var unique: [Int: Int] = [:]
    /// Those of ``unique`` that say no more than place and second.
    private(set) var dated: Set<Int> = []
    /// Entries that tell of an exchange on the other side of a proxy, with the entry that tells of it nearer to the client.
    private(set) var inside: [Int: Int] = [:]
    /// What `Date` fields say of the servers' clocks against the recorder's, by host.
    let serverClocks: [String: ClockEstimate.Interval]
    /// What the other half of a login may have brought on, or given out.
    private(set) var handedOver = HandedOverValues()

    /// `isComparable`: whether the time of an exchange can be compared with those of the others.
    init(_ capture: Capture, isComparable: (Exchange) -> Bool = { _ in true }) {
        keys.reserveCapacity(capture.count)
        spans.reserveCapacity(capture.count)
        var owners: [Int: [Int]] = [:]
        var dates = ServerDates()
        var servers: [Int] = []
        var looseKeys: [Int] = []
        servers.reserveCapacity(capture.count)
        let grain = ClockSpan.grain(of: capture)
        for index in capture.indices {
            let exchange = capture[index]
            let marks = ExchangeMarks(exchange)
            let span = isComparable(exchange) ? ClockSpan(exchange, grain: grain) : nil
            keys.append(marks.key)
            openKeys.append(marks.openKey)
            hasVeiled = hasVeiled || marks.isVeiled
            looseKeys.append(marks.looseKey)
            if let mark = marks.dated { dated.insert(mark) }
            spans.append(span)
            servers.append(ProxySides.server(of: exchange))
            for mark in Set(marks.marks) where owners[mark, default: []].count <= ProxySides.mostSides {
                owners[mark, default: []].append(index)
            }
            if let span {
                dates.add(exchange, span)
                handedOver.add(exchange, span)
            }
        }
        serverClocks = dates.clocks
        var sides = ProxySides(capture, spans: spans, servers: servers)
        for (mark, entries) in owners {
            if let entry = entries.count == 1 ? entries[0] : sides.join(entries) { unique[mark] = entry }
        }
        sides.joinNeighbours(looseKeys)
        inside = sides.outer
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
