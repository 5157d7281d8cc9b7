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
            // Few files: whichever way is the surest is looked for each time.
            var known = [root: ClockOffset(ahead: .zero, within: .zero, basis: .exchanges, count: .max)]
            while let (file, offset) = surest(from: known, neighbours) {
                known[file] = offset
                clocks[file] = .known(offset, to: names[root])
            }
        }
        return clocks.map { $0 ?? .unknown }
    }

    /// The file next to those that are known whose clock is known best.
    private static func surest(from known: [Int: ClockOffset], _ neighbours: [Int: [(Int, ClockOffset)]]) -> (
        Int, ClockOffset
    )? {
        var best: (Int, ClockOffset)?
        for from in known.keys.sorted() {
            for (file, step) in neighbours[from] ?? [] where known[file] == nil {
                guard let offset = known[from].map({ $0 + step }) else { continue }
                if let best, best.1.within <= offset.within { continue }
                best = (file, offset)
            }
        }
        return best
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
