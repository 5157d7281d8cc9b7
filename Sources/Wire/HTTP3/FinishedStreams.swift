/// Which of many numbers that are used up in about their order are done with; takes no more memory than there are gaps.
package struct FinishedStreams {
    /// All below are.
    private var floor = 0
    private var above: Set<Int> = []

    package init() {}

    package mutating func insert(_ number: Int) {
        guard number >= floor else { return }
        above.insert(number)
        while above.remove(floor) != nil { floor += 1 }
    }

    package func contains(_ number: Int) -> Bool { number < floor || above.contains(number) }

    /// How many are known one by one.
    package var gaps: Int { above.count }
}
