import Testing

@testable import Provider

/// What is forgotten where more comes than is kept.
struct LimitedTableTests {
    @Test func oldestIsForgotten() {
        var table = LimitedTable<Int>(limit: 3)
        for number in 1...5 { table["\(number)"] = number }
        #expect(table.newestFirst.map(\.value) == [5, 4, 3])
        // What is set again is as old as it was.
        table["3"] = 33
        table["6"] = 6
        #expect(table["3"] == nil && table.newest?.key == "6")
    }

    /// Also where many were taken out meanwhile, of which nothing is kept.
    @Test func whatWasTakenOutLeavesRoom() {
        var table = LimitedTable<Int>(limit: 1500)
        for number in 0..<10_000 {
            table["passing \(number)"] = number
            table["passing \(number)"] = nil
        }
        for number in 0..<1500 { table["\(number)"] = number }
        #expect(table["0"] == 0 && table["1499"] == 1499)
        #expect(table.newestFirst.map(\.value) == (0..<1500).reversed())
        table["1500"] = 1500
        #expect(table["0"] == nil && table["1"] == 1)
    }
}
