/// Exchanges of two captures with the same method, path and query, by one clock.
///
/// Repeated requests are told apart by time alone: they are paired where there is one way to do it, or in their order
/// where as many begin at a time in the one capture as in the other.
struct NeighbourGroup {
    typealias Member = (entry: Int, span: ClockSpan)

    var a: [Member] = []
    var b: [Member] = []

    /// So many candidates at one time cannot be told apart, whatever they say.
    private static let mostCandidates = 32

    /// - Parameters:
    ///   - slack: how far a sighting may reach out of the one that is further out, in nanoseconds.
    ///   - areOne: whether nothing else tells two entries apart.
    /// - Returns: the pairs, and how many entries of B could be one of several.
    func pairs(within slack: Int64, areOne: (Int, Int) -> Bool) -> (found: [FilePairing.Pair], undecided: Int)
    {
        let a = a.sorted { ($0.span.start, $0.entry) < ($1.span.start, $1.entry) }
        let b = b.sorted { ($0.span.start, $0.entry) < ($1.span.start, $1.entry) }
        // The clock of one capture may leave out parts of a second.
        let reach = slack + abs((a.first?.span.grain ?? 0) - (b.first?.span.grain ?? 0))
        var candidates: [[Int]] = []
        var first = 0
        // No exchange of A ends later than this one, of those before it: where the search may begin.
        var latest: [Int64] = []
        for member in a { latest.append(max(member.span.end, latest.last ?? .min)) }
        for member in b {
            while first < a.count, latest[first] < member.span.start - reach { first += 1 }
            var found: [Int] = []
            var looked = 0
            for index in first..<a.count where found.count <= Self.mostCandidates {
                guard a[index].span.start <= member.span.end + reach else { break }
                looked += 1
                // A hostile capture may hold any number that last all day.
                guard looked <= Self.mostCandidates * 2 else { break }
                guard Self.areNested(a[index].span, member.span, slack), areOne(a[index].entry, member.entry)
                else {
                    continue
                }
                found.append(index)
            }
            candidates.append(found.count > Self.mostCandidates ? [] : found)
        }
        return Self.resolve(candidates, a.map(\.entry), b.map(\.entry))
    }

    /// Whether the one was under way while the other was, as the recorder further out has to see it.
    private static func areNested(_ left: ClockSpan, _ right: ClockSpan, _ slack: Int64) -> Bool {
        let (outer, inner) = left.length >= right.length ? (left, right) : (right, left)
        // The end of an exchange may not be known.
        return inner.excess(over: outer) <= slack
    }

    /// Takes the candidates apart into what hangs together, and pairs each part in order where that is possible.
    private static func resolve(_ candidates: [[Int]], _ a: [Int], _ b: [Int]) -> (
        found: [FilePairing.Pair], undecided: Int
    ) {
        var pairs: [FilePairing.Pair] = []
        var undecided = 0
        var part: [Int] = []
        var members: Set<Int> = []
        var highest = -1
        func close() {
            defer {
                part = []
                members = []
            }
            guard !part.isEmpty else { return }
            let inOrder = members.sorted()
            let fits =
                inOrder.count == part.count
                && zip(part, inOrder).allSatisfy { candidates[$0].contains($1) }
            guard fits else {
                undecided += part.count
                return
            }
            for (index, other) in zip(part, inOrder) {
                pairs.append(FilePairing.Pair(a: a[other], b: b[index]))
            }
        }
        // Both are in order of time: what follows hangs together with a part only by its last members.
        for (index, list) in candidates.enumerated() where !list.isEmpty {
            if let lowest = list.first, lowest > highest { close() }
            part.append(index)
            members.formUnion(list)
            highest = max(highest, list.last ?? highest)
        }
        close()
        return (pairs, undecided)
    }
}
