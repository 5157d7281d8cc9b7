internal import Captures

/// Which of many numbers that are used up in about their order are done with; takes no more memory than there are gaps.
package struct FinishedStreams {
    /// In order, with a gap between each and the next; the first begins with 0 once that is done with.
    private var ranges: [Range<Int>] = []

    package init() {}

    /// Notes that a number is done with; it may be so already.
    package mutating func insert(_ number: Int) {
        let index = place(of: number)
        let joinsPrevious = index > 0 && ranges[index - 1].upperBound >= number
        guard !joinsPrevious || ranges[index - 1].upperBound == number else { return }
        let joinsNext = index < ranges.count && ranges[index].lowerBound == number + 1
        switch (joinsPrevious, joinsNext) {
        case (true, true):
            ranges[index - 1] = ranges[index - 1].lowerBound..<ranges[index].upperBound
            ranges.remove(at: index)
        case (true, false): ranges[index - 1] = ranges[index - 1].lowerBound..<number + 1
        case (false, true): ranges[index] = number..<ranges[index].upperBound
        case (false, false): ranges.insert(number..<number + 1, at: index)
        }
    }

    /// Whether a number is done with.
    package func contains(_ number: Int) -> Bool {
        let index = place(of: number)
        return index > 0 && ranges[index - 1].contains(number)
    }

    /// How many times numbers that are not done with stand below others that are.
    package var gaps: Int { ranges.count - (ranges.first?.lowerBound == 0 ? 1 : 0) }

    /// Of the first range that begins above a number.
    private func place(of number: Int) -> Int { ranges.partitionPoint { $0.lowerBound > number } }
}
