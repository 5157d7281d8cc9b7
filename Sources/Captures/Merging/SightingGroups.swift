/// Puts entries of several files together that are one exchange; of each file one, or both sides of a proxy.
struct SightingGroups {
    /// An entry of a file, both counted from 0.
    struct Place: Hashable, Sendable {
        var file: Int
        var entry: Int
    }

    private let counts: [Int]
    /// Empty where one was joined to another.
    private var groups: [[Place]] = []
    /// Of each of the groups, the files that it has entries of.
    private var files: [Set<Int>] = []
    private var group: [Place: Int] = [:]

    /// `counts`: entries of each file.
    init(counts: [Int]) { self.counts = counts }

    /// Joins two entries of different files, unless a file would have two in one group then.
    mutating func join(_ left: Place, _ right: Place) {
        // Of many files most pairs say again what others have said.
        if let known = group[left], known == group[right] { return }
        let (a, b) = (index(of: left), index(of: right))
        guard files[a].isDisjoint(with: files[b]) else { return }
        unite(a, b)
    }

    /// Joins two entries that are to be in one group, of one file also.
    mutating func unite(_ left: Place, _ right: Place) { unite(index(of: left), index(of: right)) }

    /// The smaller group becomes a part of the larger one.
    private mutating func unite(_ left: Int, _ right: Int) {
        guard left != right else { return }
        let (large, small) = groups[left].count < groups[right].count ? (right, left) : (left, right)
        for place in groups[small] { group[place] = large }
        groups[large] += groups[small]
        files[large].formUnion(files[small])
        groups[small] = []
        files[small] = []
    }

    /// Of the group that an entry is in, if only by itself.
    private mutating func index(of place: Place) -> Int {
        if let known = group[place] { return known }
        groups.append([place])
        files.append([place.file])
        group[place] = groups.count - 1
        return groups.count - 1
    }

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
