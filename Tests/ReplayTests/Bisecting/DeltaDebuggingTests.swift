import Replay
import Synchronization
import Testing

/// The minimisation alone, with made-up outcomes.
struct DeltaDebuggingTests {
    /// Counts what it is asked, and in which order.
    private final class Oracle: Sendable {
        let asked = Mutex<[[Int]]>([])
        private let outcome: @Sendable (Set<Int>) -> DeltaDebugging.Outcome

        init(_ outcome: @escaping @Sendable (Set<Int>) -> DeltaDebugging.Outcome) { self.outcome = outcome }

        func test(_ set: [Int]) -> DeltaDebugging.Outcome {
            asked.withLock { $0.append(set) }
            return outcome(Set(set))
        }

        var count: Int { asked.withLock { $0.count } }
    }

    private func minimise(
        _ count: Int,
        limit: Int = 1000,
        suspects: [Int] = [],
        _ oracle: Oracle
    ) async -> DeltaDebugging.Result {
        await DeltaDebugging(limit: limit, suspects: suspects).minimise(Array(0..<count)) { oracle.test($0) }
    }

    private static func needing(_ cause: Set<Int>) -> Oracle {
        Oracle { cause.isSubset(of: $0) ? .fails : .passes }
    }

    @Test(arguments: [
        (1, [0]), (2, [1]), (8, [5]), (8, [0, 7]), (9, [2, 3, 8]), (20, [0, 1, 2, 3]), (5, [0, 1, 2, 3, 4]),
        (33, [32]),
    ])
    func causeIsFound(_ count: Int, _ cause: [Int]) async {
        let result = await minimise(count, Self.needing(Set(cause)))
        #expect(result == DeltaDebugging.Result(set: cause, isMinimal: true))
    }

    @Test func oneOfSixtyFourTakesLogarithmicallyMany() async {
        for cause in 0..<64 {
            let oracle = Self.needing([cause])
            #expect(await minimise(64, oracle).set == [cause])
            #expect(oracle.count <= 12, "\(cause): \(oracle.count)")
        }
    }

    @Test func noSetIsAskedForTwiceNorTheWholeNorNothing() async {
        for cause in [[0, 7], [1, 2, 5], [0, 3, 4, 9], [9]] {
            let oracle = Self.needing(Set(cause))
            _ = await minimise(10, oracle)
            let asked = oracle.asked.withLock { $0 }
            #expect(Set(asked).count == asked.count)
            #expect(!asked.contains([]) && !asked.contains(Array(0..<10)))
        }
    }

    /// Every outcome function over six changes that is drawn: the result fails, and no change less does.
    @Test(arguments: 0..<200)
    func resultIsMinimalWhateverTheOutcomesAre(_ seed: Int) async {
        let outcome: @Sendable (Set<Int>) -> DeltaDebugging.Outcome = { set in
            if set.isEmpty { return .passes }
            if set.count == 6 { return .fails }
            var hash = UInt64(seed + 1) &* 0x9e37_79b9_7f4a_7c15
            for index in set.sorted() { hash = (hash ^ UInt64(index + 1)) &* 0xff51_afd7_ed55_8ccd }
            switch (hash >> 33) % 3 {
            case 0: return .fails
            case 1: return .passes
            default: return .unresolved
            }
        }
        let result = await minimise(6, Oracle(outcome))
        let set = Set(result.set)
        #expect(result.isMinimal && outcome(set) == .fails)
        for index in set where set.count > 1 {
            #expect(outcome(set.subtracting([index])) != .fails, "\(result.set) without \(index)")
        }
    }

    /// A challenge without its method is another failure, as is the method without the challenge.
    @Test func changesThatMakeSenseTogetherOnlyAreKeptTogether() async {
        let oracle = Oracle { set in
            let pair: Set = [1, 6]
            let both = set.intersection(pair)
            return both.isEmpty ? .passes : both == pair ? .fails : .unresolved
        }
        let result = await minimise(8, oracle)
        #expect(result == DeltaDebugging.Result(set: [1, 6], isMinimal: true))
    }

    @Test func unresolvedIsNoFailure() async {
        // All but the whole says nothing.
        let oracle = Oracle { $0.count == 4 ? .fails : .unresolved }
        #expect(await minimise(4, oracle) == DeltaDebugging.Result(set: [0, 1, 2, 3], isMinimal: true))
    }

    @Test func testsAreBoundedAndTheSmallestSoFarIsGiven() async {
        for limit in 0...6 {
            let oracle = Self.needing([3, 12])
            let result = await minimise(16, limit: limit, oracle)
            #expect(oracle.count <= limit)
            #expect(!result.isMinimal && Set([3, 12]).isSubset(of: result.set))
        }
        let oracle = Self.needing([3, 12])
        let result = await minimise(16, limit: 100, oracle)
        #expect(result.isMinimal && result.set == [3, 12])
    }

    @Test func rightSuspectIsTheFirstAndOnlyTest() async {
        let oracle = Self.needing([11])
        #expect(await minimise(32, suspects: [11], oracle).set == [11])
        #expect(oracle.asked.withLock { $0 } == [[11]])
    }

    @Test func wrongSuspectsCostOneTest() async {
        let plain = Self.needing([11])
        _ = await minimise(32, plain)
        let misled = Self.needing([11])
        #expect(await minimise(32, suspects: [3, 4, 5], misled).set == [11])
        #expect(misled.count == plain.count + 1)
    }

    @Test func suspectsAreMinimisedAsWell() async {
        let oracle = Self.needing([4])
        #expect(await minimise(32, suspects: [2, 4, 9], oracle).set == [4])
        #expect(oracle.count <= 4)
    }
}
