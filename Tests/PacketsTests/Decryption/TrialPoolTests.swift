import Testing

@testable import Packets

/// How many trials connections may take that nothing tells the keys of.
struct TrialPoolTests {
    @Test func serverOfNoKeysGetsLessEachTime() {
        var pool = TrialPool(1 << 20)
        var shares: [Int] = []
        for _ in 0..<8 {
            shares.append(pool.share(of: "db"))
            pool.foundNothing(of: "db")
        }
        #expect(shares == [65_536, 32_768, 16_384, 8192, 4096, 2048, 1024, 1024])
        #expect(pool.share(of: "op") == 65_536)
        pool.foundOwner(of: "db")
        #expect(pool.share(of: "db") == 65_536)
    }

    /// Whoever comes late gets a few, until there are none.
    @Test func noneTakesAll() {
        var pool = TrialPool(1 << 20, mostOfOne: 1024)
        for number in 0..<1000 {
            let share = pool.share(of: "\(number)")
            #expect((64...1024).contains(share))
            pool.take(share)
        }
        #expect(pool.isOpen)
        while pool.isOpen { pool.take(pool.share(of: "op")) }
        #expect(pool.share(of: "op") == 0)
    }
}
