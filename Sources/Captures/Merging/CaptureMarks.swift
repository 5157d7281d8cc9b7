import JSON

/// What a capture's exchanges are told apart by, read once for all comparisons.
struct CaptureMarks: Sendable {
    /// By entry.
    private(set) var keys: [Int] = []
    /// By entry; nil where there is no time, or none by the clock of the others.
    private(set) var spans: [ClockSpan?] = []
    /// Entries by marks that only one of them has, or one and what is ``inside`` of it.
    private(set) var unique: [Int: Int] = [:]
    /// Those of ``unique`` that say no more than place and second.
    private(set) var dated: Set<Int> = []
    /// Entries that tell of an exchange on the other side of a proxy, with the entry that tells of it on the client's.
    private(set) var inside: [Int: Int] = [:]
    /// What `Date` fields say of the servers' clocks against the recorder's, by host.
    let serverClocks: [String: ClockEstimate.Interval]

    /// A file may have seen both sides of some proxies, not of a whole chain of them.
    private static let mostSides = 4

    /// `isComparable`: whether the time of an exchange can be compared with those of the others.
    init(_ capture: Capture, isComparable: (Exchange) -> Bool = { _ in true }) {
        keys.reserveCapacity(capture.count)
        spans.reserveCapacity(capture.count)
        var owners: [Int: [Int]] = [:]
        var dates = ServerDates()
        for index in capture.indices {
            let marks = ExchangeMarks(capture[index])
            let span = isComparable(capture[index]) ? ClockSpan(capture[index]) : nil
            keys.append(marks.key)
            if let mark = marks.dated { dated.insert(mark) }
            spans.append(span)
            for mark in Set(marks.marks) where owners[mark, default: []].count <= Self.mostSides {
                owners[mark, default: []].append(index)
            }
            if let span { dates.add(capture[index], span) }
        }
        serverClocks = dates.clocks
        for (mark, entries) in owners {
            if entries.count == 1 {
                unique[mark] = entries[0]
            } else if let sides = Self.sides(entries, capture, spans) {
                unique[mark] = sides[0]
                for entry in sides.dropFirst() { inside[entry] = sides[0] }
            }
        }
    }

    /// Entries with one mark as the sides of proxies that one exchange passed, from the client's on; nil where they are
    /// several exchanges.
    ///
    /// On each side it goes to another server, or comes from another machine, and takes no longer than on the side before.
    private static func sides(_ entries: [Int], _ capture: Capture, _ spans: [ClockSpan?]) -> [Int]? {
        guard entries.count <= mostSides else { return nil }
        let members = entries.compactMap { entry in spans[entry].map { (entry: entry, span: $0) } }
        let sorted = members.sorted { ($0.span.start, -$0.span.length) < ($1.span.start, -$1.span.length) }
        guard sorted.count == entries.count else { return nil }
        for (outer, inner) in zip(sorted, sorted.dropFirst()) {
            let (left, right) = (capture[outer.entry], capture[inner.entry])
            guard outer.span.isLengthKnown, inner.span.isLengthKnown,
                inner.span.excess(over: outer.span) <= sideTolerance,
                left.request.url.hostAndPort != right.request.url.hostAndPort
                    || left.connection.serverAddress != right.connection.serverAddress
                    || isTranslated(left, right),
                SightingComparison(a: left, b: right, tie: .strong).holds
            else { return nil }
        }
        return sorted.map(\.entry)
    }

    /// Whether two are one that went through a translation of the client's address, as containers' do (NAT, RFC 3022): it
    /// changes nothing else.
    private static func isTranslated(_ left: Exchange, _ right: Exchange) -> Bool {
        guard let client = clientHost(left), let other = clientHost(right) else { return false }
        return client != other && left.request.headers == right.request.headers
            && left.response?.headers == right.response?.headers
    }

    private static func clientHost(_ exchange: Exchange) -> Substring? {
        guard let address = exchange.client.address, let colon = address.lastIndex(of: ":") else {
            return nil
        }
        return address[..<colon]
    }

    /// One clock, but packets of two interfaces.
    private static let sideTolerance: Int64 = 1_000_000
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
