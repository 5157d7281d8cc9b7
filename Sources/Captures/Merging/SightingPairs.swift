/// What several captures have in common: the sightings of each exchange, and how the clocks of any two lie to each other.
struct SightingPairs {
    private(set) var groups: SightingGroups
    private(set) var clocks: [ClockGraph.Edge] = []
    /// Entries that may be one of several, or none: they are left alone.
    private(set) var undecided = 0

    /// `marks`: of each of the captures.
    init(_ captures: [Capture], _ marks: [CaptureMarks]) {
        groups = SightingGroups(counts: captures.map(\.count))
        for second in captures.indices {
            for first in 0..<second {
                join(
                    FilePairing(captures[first], marks[first], captures[second], marks[second]),
                    first,
                    second
                )
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
