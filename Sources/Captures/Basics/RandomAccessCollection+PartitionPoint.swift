extension RandomAccessCollection {
    /// The first place from which on a condition holds, found by halving; the end where there is none.
    ///
    /// The elements that meet it stand behind all others.
    @inlinable
    package func partitionPoint(where isBehind: (Element) -> Bool) -> Index {
        var low = startIndex
        var count = count
        while count > 0 {
            let half = count / 2
            let middle = index(low, offsetBy: half)
            if isBehind(self[middle]) {
                count = half
            } else {
                low = index(after: middle)
                count -= half + 1
            }
        }
        return low
    }
}
