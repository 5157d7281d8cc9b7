/// Puts files by one clock, as far as what is known of any two of them leads.
enum ClockGraph {
    /// That the clock of one file lies so to that of another.
    struct Edge: Sendable {
        var first: Int
        var second: Int
        /// How far the second one's is ahead of the first one's.
        var offset: ClockOffset
    }

    /// What is known of each file's clock.
    ///
    /// Each is compared with the first file that it can be compared with, by the way that leaves the least doubt.
    ///
    /// - Parameters:
    ///   - names: of the files.
    ///   - edges: in any order.
    /// - Returns: one for each file.
    static func clocks(of names: [String], _ edges: [Edge]) -> [ImportStatement.Clock] {
        var clocks = [ImportStatement.Clock?](repeating: nil, count: names.count)
        var neighbours: [Int: [(Int, ClockOffset)]] = [:]
        for edge in edges {
            neighbours[edge.first, default: []].append((edge.second, edge.offset))
            neighbours[edge.second, default: []].append((edge.first, edge.offset.reversed))
        }
        for root in names.indices where clocks[root] == nil {
            clocks[root] = root == 0 ? .reference : .unknown
            var next = Next()
            let own = ClockOffset(ahead: .zero, within: .zero, basis: .exchanges, count: .max)
            var last = (file: root, offset: own)
            while true {
                next.reach(last.file, last.offset, neighbours[last.file] ?? [])
                guard let surest = next.surest else { break }
                clocks[surest.file] = .known(surest.offset, to: names[root])
                last = surest
            }
        }
        return clocks.map { $0 ?? .unknown }
    }

    /// The files next to those whose clocks are known.
    private struct Next {
        private var reached: Set<Int> = []
        /// How each is known best, and by the how many-th neighbour of which file that is.
        private var ways: [Int: (offset: ClockOffset, from: Int, place: Int)] = [:]

        /// The clock of a file is known now.
        mutating func reach(_ from: Int, _ known: ClockOffset, _ neighbours: [(Int, ClockOffset)]) {
            reached.insert(from)
            ways[from] = nil
            for (place, (file, step)) in neighbours.enumerated() where !reached.contains(file) {
                let way = (offset: known + step, from: from, place: place)
                if ways[file].map({ Self.isSurer(way, $0) }) ?? true { ways[file] = way }
            }
        }

        /// The file whose clock is known best.
        var surest: (file: Int, offset: ClockOffset)? {
            ways.min { Self.isSurer($0.value, $1.value) }.map { ($0.key, $0.value.offset) }
        }

        /// Of those that leave as much doubt, the one that comes first.
        private static func isSurer(
            _ left: (offset: ClockOffset, from: Int, place: Int),
            _ right: (offset: ClockOffset, from: Int, place: Int)
        ) -> Bool {
            (left.offset.within, left.from, left.place) < (right.offset.within, right.from, right.place)
        }
    }
}

extension ClockOffset {
    /// One step after the other.
    static func + (left: ClockOffset, right: ClockOffset) -> ClockOffset {
        ClockOffset(
            ahead: left.ahead + right.ahead,
            within: left.within + right.within,
            basis: left.basis == .date ? .date : right.basis,
            count: min(left.count, right.count)
        )
    }
}
