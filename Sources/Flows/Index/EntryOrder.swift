import Captures

/// The entries of a capture in the order in which things happened, each request once.
struct EntryOrder {
    /// Indices into `log.entries` by time; entries of the same instant in file order, and what ``HandedOverOrder`` knows better.
    ///
    /// Without those that another entry stands for.
    let entries: [Int]
    /// Where each entry stands in ``entries``, or the one that stands for it.
    let position: [Int]

    init(_ capture: Capture) {
        var entries = HandedOverOrder.corrected(Self.byTime(capture), of: capture)
        var left: [[Int: Int]] = []
        for find in [RepeatedEntries.kept, UnsentEntries.sent, ServiceWorkerTwins.passedOn] {
            let others = find(capture, entries)
            guard !others.isEmpty else { continue }
            entries.removeAll { others[$0] != nil }
            left.append(others)
        }
        var position = [Int](repeating: 0, count: capture.indices.count)
        for (place, entry) in entries.enumerated() { position[entry] = place }
        // The entry that stands for another may itself have been left out later.
        for others in left.reversed() {
            for (entry, other) in others { position[entry] = position[other] }
        }
        self.entries = entries
        self.position = position
    }

    private static func byTime(_ capture: Capture) -> [Int] {
        let sign = isDownwards(capture) ? -1 : 1
        return capture.indices.sorted {
            (capture[$0].startedAt.nanoseconds, sign * $0) < (capture[$1].startedAt.nanoseconds, sign * $1)
        }
    }

    /// Whether the newest entry stands first: then what happened in the same moment stands so as well.
    private static func isDownwards(_ capture: Capture) -> Bool {
        guard let first = capture.indices.first, let last = capture.indices.last,
            capture[first].startedAt > capture[last].startedAt
        else { return false }
        return capture.indices.dropLast().allSatisfy { capture[$0].startedAt >= capture[$0 + 1].startedAt }
    }
}
