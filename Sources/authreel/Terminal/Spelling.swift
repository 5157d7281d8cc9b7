/// What somebody may have meant who mistyped a word.
enum Spelling {
    /// The words that are the fewest slips away, three at the most; none where it would be more than a slip in four letters.
    static func near(_ word: String, in words: [String]) -> [String] {
        let asked = Array(word.lowercased().unicodeScalars.prefix(60))
        let limit = max(1, asked.count / 4)
        let found = words.map { (word: $0, count: slips(asked, Array($0.lowercased().unicodeScalars))) }
        guard let fewest = found.map(\.count).min(), fewest <= limit else { return [] }
        return Array(found.filter { $0.count == fewest }.map(\.word).prefix(3))
    }

    /// `did you mean` with the words that are near, or else what it is given.
    static func hint(_ word: String, in words: [String], otherwise: String) -> String {
        let near = near(word, in: words)
        return near.isEmpty ? otherwise : "did you mean \(near.joined(separator: ", "))?"
    }

    /// Letters that are missing, too many, others, or in the place of their neighbour.
    private static func slips(_ one: [Unicode.Scalar], _ other: [Unicode.Scalar]) -> Int {
        var before: [Int] = []
        var last = Array(0...other.count)
        for row in one.indices {
            var next = [row + 1]
            for column in other.indices {
                var count = min(
                    last[column + 1] + 1,
                    next[column] + 1,
                    last[column] + (one[row] == other[column] ? 0 : 1)
                )
                if row > 0, column > 0, one[row] == other[column - 1], one[row - 1] == other[column] {
                    count = min(count, before[column - 1] + 1)
                }
                next.append(count)
            }
            before = last
            last = next
        }
        return last[other.count]
    }
}
