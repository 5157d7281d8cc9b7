/// How often there was something to say of entries, by the member it lies in.
///
/// It may be the same in every entry: each is said of a few, and then how many more there are.
struct EntryRemarks {
    private var seen: [String: (count: Int, lastOffset: Int)] = [:]

    private static let told = 3

    /// Notes that something is to be said of the entry at a place.
    ///
    /// - Returns: whether it is to be said.
    mutating func note(_ member: String, at offset: Int) -> Bool {
        let count = (seen[member]?.count ?? 0) + 1
        seen[member] = (count, offset)
        return count <= Self.told
    }

    /// What is said of all that were not told, at the place of the last.
    var others: [(offset: Int, what: String)] {
        seen.sorted { $0.key < $1.key }.compactMap { member, found in
            guard found.count > Self.told else { return nil }
            let count = found.count - Self.told
            return (found.lastOffset, "\(count) more entries have such a \(member), this is the last")
        }
    }
}
