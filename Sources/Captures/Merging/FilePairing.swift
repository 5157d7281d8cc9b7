/// Finds the exchanges that two captures both have, and how their clocks lie to each other.
struct FilePairing: Sendable {
    /// An entry of each.
    struct Pair: Sendable, Hashable {
        var a: Int
        var b: Int
    }

    /// The exchanges that both have, by their entry in the first.
    private(set) var pairs: [Pair] = []
    /// How B's clock lies to A's; nil where nothing tells.
    private(set) var offset: ClockOffset?
    /// Entries of B that may be one of several of A, or none: they are left alone.
    private(set) var undecided = 0

    /// What two sightings may lie apart beyond what is known of the clocks: their recorders are not at one place.
    private static let tolerance: Int64 = 100_000_000
    /// A value that was sent again this much later was sent by another request.
    private static let strongTolerance: Int64 = 5_000_000_000

    init(_ a: Capture, _ aMarks: CaptureMarks, _ b: Capture, _ bMarks: CaptureMarks) {
        var (anchors, dated) = Self.anchors(a, aMarks, b, bMarks)
        // Where anything better tells how the clocks lie to each other, what only happened in one second has to fit.
        let strong = anchors.compactMap { dated.contains($0) ? nil : Self.interval($0, aMarks, bMarks) }
        if let (interval, _) = ClockEstimate.agreement(of: strong) {
            anchors.removeAll { pair in
                guard dated.contains(pair), let own = Self.interval(pair, aMarks, bMarks) else {
                    return false
                }
                return own.distance(to: interval) > Self.tolerance
            }
        }
        let intervals = anchors.map { Self.interval($0, aMarks, bMarks) }
        var agreed: ClockEstimate.Interval?
        if let (interval, count) = ClockEstimate.agreement(of: intervals.compactMap(\.self)) {
            agreed = interval
            offset = Self.offset(interval, .exchanges, count)
        } else if let (interval, count) = Self.serverHint(aMarks, bMarks) {
            agreed = interval
            offset = Self.offset(interval, .date, count)
        }
        // What the clocks speak against is no pair; where nothing agrees, all of them speak against each other.
        anchors = zip(anchors, intervals).compactMap { pair, interval in
            guard let interval else { return pair }
            return agreed.map { interval.distance(to: $0) <= Self.strongTolerance } ?? false ? pair : nil
        }
        pairs = anchors
        if offset != nil {
            addNeighbours(a, aMarks, b, bMarks, by: \.keys, .weak)
            let isVeiled = aMarks.hasVeiled || bMarks.hasVeiled
            if isVeiled { addNeighbours(a, aMarks, b, bMarks, by: \.openKeys, .weak) }
            // A try that failed, and another at once that did not: the answer is that of the second.
            addNeighbours(a, aMarks, b, bMarks, by: isVeiled ? \.openKeys : \.keys, .unanswered)
        }
        pairs.sort { ($0.a, $0.b) < ($1.a, $1.b) }
    }

    private static func offset(_ interval: ClockEstimate.Interval, _ basis: ClockOffset.Basis, _ count: Int)
        -> ClockOffset
    {
        // Clocks that may be one are taken for one: nothing is moved without need.
        let mayBeOne = interval.low <= 0 && interval.high >= 0
        return ClockOffset(
            ahead: mayBeOne ? .zero : .nanoseconds(interval.middle),
            within: .nanoseconds(mayBeOne ? max(-interval.low, interval.high) : interval.radius),
            basis: basis,
            count: count
        )
    }

    private static func interval(_ pair: Pair, _ a: CaptureMarks, _ b: CaptureMarks) -> ClockEstimate
        .Interval?
    {
        guard let left = a.spans[pair.a], let right = b.spans[pair.b] else { return nil }
        return ClockEstimate.interval(left, right)
    }

    // MARK: - By what was made for them

    /// Entries that share a mark which nothing else in either capture has; `dated` are those of them that share no more than
    /// place and second.
    private static func anchors(_ a: Capture, _ aMarks: CaptureMarks, _ b: Capture, _ bMarks: CaptureMarks)
        -> (pairs: [Pair], dated: Set<Pair>)
    {
        var votes: [Pair: Int] = [:]
        var strong: Set<Pair> = []
        for (mark, entry) in bMarks.unique {
            guard let other = aMarks.unique[mark] else { continue }
            let pair = Pair(a: other, b: entry)
            votes[pair, default: 0] += 1
            if !bMarks.dated.contains(mark) { strong.insert(pair) }
        }
        var best = votes.filter { pair, _ in
            let isStrong = strong.contains(pair)
            let comparison = SightingComparison(a: a[pair.a], b: b[pair.b], tie: isStrong ? .strong : .weak)
            return (isStrong || comparison.isSameServer) && comparison.holds
        }
        for side in [\Pair.a, \Pair.b] {
            var most: [Int: Int] = [:]
            for (pair, count) in best {
                most[pair[keyPath: side]] = max(count, most[pair[keyPath: side]] ?? 0)
            }
            best = best.filter { most[$0.key[keyPath: side]] == $0.value }
        }
        // Two that are as likely are none.
        var uses: [Int: Int] = [:]
        var otherUses: [Int: Int] = [:]
        for pair in best.keys {
            uses[pair.a, default: 0] += 1
            otherUses[pair.b, default: 0] += 1
        }
        let pairs = best.keys.filter { uses[$0.a] == 1 && otherUses[$0.b] == 1 }
        return (pairs.sorted { ($0.a, $0.b) < ($1.a, $1.b) }, Set(pairs).subtracting(strong))
    }

    /// What the clocks of servers that answer in both captures say.
    private static func serverHint(_ a: CaptureMarks, _ b: CaptureMarks) -> (ClockEstimate.Interval, Int)? {
        let intervals = a.serverClocks.compactMap { host, left -> ClockEstimate.Interval? in
            guard let right = b.serverClocks[host] else { return nil }
            // The server is ahead of A by `left` and of B by `right`: B is ahead of A by the difference.
            return ClockEstimate.Interval(low: left.low - right.high, high: left.high - right.low)
        }
        guard let (interval, count) = ClockEstimate.agreement(of: intervals) else { return nil }
        return (HandedOverValues.narrowing(interval, a.handedOver, b.handedOver), count)
    }

    // MARK: - By place and time

    /// Pairs what is left, where place and time leave one way to do it; `keys`: those of entries that may be one.
    ///
    /// Undecided is what is left once all have been looked at.
    private mutating func addNeighbours(
        _ a: Capture,
        _ aMarks: CaptureMarks,
        _ b: Capture,
        _ bMarks: CaptureMarks,
        by keys: KeyPath<CaptureMarks, [Int]>,
        _ tie: SightingComparison.Tie
    ) {
        guard let offset else { return }
        let shift = -ClockSpan.nanoseconds(offset.ahead)
        let slack = min(ClockSpan.nanoseconds(offset.within), .max / 16) + Self.tolerance
        let servers = Set(
            pairs.map { ServerPair(a: a[$0.a].request.url.server ?? "", b: b[$0.b].request.url.server ?? "") }
        )
        let taken = (
            a: Set(pairs.map(\.a)).union(aMarks.inside.keys), b: Set(pairs.map(\.b)).union(bMarks.inside.keys)
        )
        undecided = 0
        var groups: [Int: NeighbourGroup] = [:]
        for (entry, key) in bMarks[keyPath: keys].enumerated() where !taken.b.contains(entry) {
            guard let span = bMarks.spans[entry] else { continue }
            groups[key, default: NeighbourGroup()].b.append((entry, span.moved(by: shift)))
        }
        for (entry, key) in aMarks[keyPath: keys].enumerated() where !taken.a.contains(entry) {
            guard let span = aMarks.spans[entry] else { continue }
            groups[key]?.a.append((entry, span))
        }
        for group in groups.values where !group.a.isEmpty {
            let (found, undecided) = group.pairs(within: slack) { left, right in
                let comparison = SightingComparison(a: a[left], b: b[right], tie: tie)
                let names = ServerPair(
                    a: a[left].request.url.server ?? "",
                    b: b[right].request.url.server ?? ""
                )
                return (comparison.isSameServer || servers.contains(names))
                    && comparison.isQueryAlike && comparison.holds
            }
            pairs += found
            self.undecided += undecided
        }
    }

    /// Names under which one server goes in the two captures.
    private struct ServerPair: Hashable {
        var a: String
        var b: String
    }
}
