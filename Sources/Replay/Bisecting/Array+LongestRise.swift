extension [Int] {
    /// Indices of a longest part of the list that rises.
    ///
    /// `limit`: what lies behind the element after that of this index is not looked at.
    func longestRise(within limit: Int) -> Set<Int> {
        var best: [(length: Int, previous: Int?)] = []
        for (index, value) in enumerated() {
            let earlier = best.indices.filter { self[$0] < value }.max { best[$0].length < best[$1].length }
            best.append(((earlier.map { best[$0].length } ?? 0) + 1, earlier))
            if index > limit { break }
        }
        var result: Set<Int> = []
        var place = best.indices.max { best[$0].length < best[$1].length }
        while let current = place {
            result.insert(current)
            place = best[current].previous
        }
        return result
    }
}
