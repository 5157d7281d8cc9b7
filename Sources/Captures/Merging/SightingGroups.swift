/// Puts entries of several files together that are one exchange; of each file one, or both sides of a proxy.
struct SightingGroups {
    /// An entry of a file, both counted from 0.
    struct Place: Hashable, Sendable {
        var file: Int
        var entry: Int
    }

    private let counts: [Int]
    /// The groups of two and more, in the order in which they were made; empty where one was joined to another.
    private var groups: [[Place]] = []
    private var group: [Place: Int] = [:]

    /// `counts`: entries of each file.
    init(counts: [Int]) { self.counts = counts }

    /// Joins two entries of different files, unless a file would have two in one group then.
    mutating func join(_ left: Place, _ right: Place) {
        guard Set(members(left).map(\.file)).isDisjoint(with: members(right).map(\.file)) else { return }
        unite(left, right)
    }

    /// Joins two entries that are to be in one group, of one file also.
    mutating func unite(_ left: Place, _ right: Place) {
        let (a, b) = (members(left), members(right))
        guard !a.contains(right) else { return }
        for place in [left, right] {
            if let index = group[place] { groups[index] = [] }
        }
        groups.append(a + b)
        for place in a + b { group[place] = groups.count - 1 }
    }

    private func members(_ place: Place) -> [Place] { group[place].map { groups[$0] } ?? [place] }

    /// Every entry in one of them; the places of each by file.
    var all: [[Place]] {
        var all = groups.filter { !$0.isEmpty }.map {
            $0.sorted { ($0.file, $0.entry) < ($1.file, $1.entry) }
        }
        for (file, count) in counts.enumerated() {
            for entry in 0..<count where group[Place(file: file, entry: entry)] == nil {
                all.append([Place(file: file, entry: entry)])
            }
        }
        return all
    }
}
