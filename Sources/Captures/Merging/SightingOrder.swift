/// Which sighting of an exchange comes first, and in which order the exchanges of several files stand.
struct SightingOrder {
    private let captures: [Capture]
    private let marks: [CaptureMarks]

    /// `marks`: of each of the captures.
    init(_ captures: [Capture], _ marks: [CaptureMarks]) {
        self.captures = captures
        self.marks = marks
    }

    /// The groups in the order in which their exchanges began by one clock; of each the base first, the others in the order of
    /// the files.
    ///
    /// `ahead`: how far each file's clock is ahead of the common one.
    func sorted(_ groups: SightingGroups, ahead: [Duration]) -> [[SightingGroups.Place]] {
        let starts = starts(ahead: ahead)
        var sorted: [(start: Int64, places: [SightingGroups.Place])] = []
        for places in groups.all {
            guard let base = places.min(by: isFurtherOut) else { continue }
            sorted.append((starts[base.file][base.entry], [base] + places.filter { $0 != base }))
        }
        return sorted.sorted { left, right in
            let (a, b) = (left.places[0], right.places[0])
            return (left.start, a.file, a.entry) < (right.start, b.file, b.entry)
        }.map(\.places)
    }

    /// The files without any time, each with whether something tells where its exchanges belong.
    ///
    /// `ahead`: how far each file's clock is ahead of the common one.
    func untimed(ahead: [Duration]) -> [Int: Bool] {
        let ahead = ahead.map { ClockSpan.nanoseconds($0) }
        let servers = servers(ahead: ahead)
        var untimed: [Int: Bool] = [:]
        for file in captures.indices where !hasTimes(file) {
            let capture = captures[file]
            // Those of one that was merged before may be there, by a clock that nothing compares.
            guard !capture.indices.isEmpty, capture.indices.allSatisfy({ !capture[$0].startedAt.isKnown })
            else {
                continue
            }
            untimed[file] = order(ofFile: file, servers, ahead: ahead).contains { $0 != Int64.min }
        }
        return untimed
    }

    private func hasTimes(_ file: Int) -> Bool { marks[file].spans.contains { $0 != nil } }

    /// By file and entry; what has no time stays behind what it stood behind.
    private func starts(ahead: [Duration]) -> [[Int64]] {
        let ahead = ahead.map { ClockSpan.nanoseconds($0) }
        let servers = servers(ahead: ahead)
        return captures.indices.map { file in
            guard hasTimes(file) else { return order(ofFile: file, servers, ahead: ahead) }
            var last = Int64.min
            return marks[file].spans.map { span in
                if let span { last = span.moved(by: -ahead[file]).start }
                return last
            }
        }
    }

    /// How far servers' clocks are ahead of the common one, by host, as far as files with times tell.
    private func servers(ahead: [Int64]) -> [String: Int64] {
        var servers: [String: Int64] = [:]
        for (marks, ahead) in zip(marks, ahead) {
            for (host, clock) in marks.serverClocks where servers[host] == nil {
                servers[host] = clock.middle + ahead
            }
        }
        return servers
    }

    /// Where the exchanges of a file without times belong: behind what gave out the code or the `request_uri` that they bring on, and by
    /// what their answers say of when they were over (`Date`, RFC 9110, section 6.6.1).
    ///
    /// An app's log has nothing else. What has neither stays behind what it stood behind.
    private func order(ofFile file: Int, _ servers: [String: Int64], ahead: [Int64]) -> [Int64] {
        var last: Int64?
        let order = captures[file].indices.map { index -> Int64? in
            let exchange = captures[file][index]
            let given = time(before: exchange, ahead: ahead).map { $0 + 1 }
            var own = given
            if let date = exchange.response?.headers.first("date").flatMap(Timestamp.init(httpDate:)) {
                // Whole seconds: what another file has of the same second came first.
                let end = ClockSpan.nanoseconds(of: date) + Self.second - 1
                let over = end - (exchange.request.url.host.flatMap { servers[$0] } ?? 0)
                own = given.flatMap { over - $0 < Self.second ? $0 : nil } ?? over
            }
            if let own { last = max(last ?? own, own) }
            return last
        }
        let first = order.lazy.compactMap(\.self).first ?? Int64.min
        return order.map { $0 ?? first }
    }

    private static let second: Int64 = 1_000_000_000

    /// When another file has that the value was given out which an exchange brings on, by the common clock.
    private func time(before exchange: Exchange, ahead: [Int64]) -> Int64? {
        let values = HandedOverValue.all(in: exchange)
        return zip(marks, ahead).flatMap { marks, ahead in
            values.compactMap { marks.handedOver.time(before: $0).map { $0 - ahead } }
        }.max()
    }

    /// Which of two sightings is nearer to who asked: its URL is the one that was meant, and it saw what arrived.
    private func isFurtherOut(_ left: SightingGroups.Place, _ right: SightingGroups.Place) -> Bool {
        // Of both sides of a proxy it is known which is which, however little it took.
        if left.file == right.file {
            let inside = marks[left.file].inside
            if Self.isInside(right.entry, left.entry, inside) { return true }
            if Self.isInside(left.entry, right.entry, inside) { return false }
        }
        let (a, b) = (captures[left.file][left.entry], captures[right.file][right.entry])
        // How long one took that has no answer says nothing of where it was seen.
        if a.response != nil, b.response != nil,
            let first = marks[left.file].spans[left.entry], let second = marks[right.file].spans[right.entry],
            first.isLengthKnown, second.isLengthKnown, abs(first.length - second.length) > 500_000
        {
            return first.length > second.length
        }
        let (isSecure, isOtherSecure) = (
            a.request.url.scheme?.lowercased() == "https", b.request.url.scheme?.lowercased() == "https"
        )
        if isSecure != isOtherSecure { return isSecure }
        return left.file < right.file
    }

    private static func isInside(_ inner: Int, _ outer: Int, _ inside: [Int: Int]) -> Bool {
        var entry = inner
        for _ in 0..<ProxySides.mostSides {
            guard let next = inside[entry] else { return false }
            if next == outer { return true }
            entry = next
        }
        return false
    }
}
