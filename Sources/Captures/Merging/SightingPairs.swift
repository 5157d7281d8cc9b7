/// What several captures have in common: the sightings of each exchange, and how the clocks of any two lie to each other.
struct SightingPairs {
    private(set) var groups: SightingGroups
    private(set) var clocks: [ClockGraph.Edge] = []
    /// Entries that may be one of several, or none: they are left alone.
    private(set) var undecided = 0
    /// How many of the captures were compared with another one: of those that are equal, one.
    private(set) var compared = 0

    /// Captures that are compared, each the first of those that are equal to it.
    private struct Files: Hashable {
        var first: Int
        var second: Int
    }

    /// `marks`: of each of the captures.
    init(_ captures: [Capture], _ marks: [CaptureMarks]) {
        groups = SightingGroups(counts: captures.map(\.count))
        let firsts = captures.count > 2 ? EqualCaptures.firsts(captures, marks) : Array(captures.indices)
        let copied = Set(firsts.indices.filter { firsts[$0] != $0 }.map { firsts[$0] })
        var known: [Files: FilePairing] = [:]
        for second in captures.indices {
            for first in 0..<second {
                let files = Files(first: firsts[first], second: firsts[second])
                let pairing =
                    known[files]
                    ?? FilePairing(captures[first], marks[first], captures[second], marks[second])
                if known[files] == nil {
                    compared += 1
                    if copied.contains(files.first) || copied.contains(files.second) {
                        known[files] = pairing
                    }
                }
                join(pairing, first, second)
            }
        }
        // Last, so that no other sighting is kept out by them.
        for (file, marks) in marks.enumerated() { uniteSides(of: file, marks) }
    }

    private mutating func join(_ pairing: FilePairing, _ first: Int, _ second: Int) {
        undecided += pairing.undecided
        if let offset = pairing.offset {
            clocks.append(ClockGraph.Edge(first: first, second: second, offset: offset))
        }
        for pair in pairing.pairs {
            groups.join(
                SightingGroups.Place(file: first, entry: pair.a),
                SightingGroups.Place(file: second, entry: pair.b)
            )
        }
    }

    /// Both sides of a proxy, where a file has them.
    private mutating func uniteSides(of file: Int, _ marks: CaptureMarks) {
        for (inner, outer) in marks.inside.sorted(by: { $0.key < $1.key }) {
            groups.unite(
                SightingGroups.Place(file: file, entry: outer),
                SightingGroups.Place(file: file, entry: inner)
            )
        }
    }
}
