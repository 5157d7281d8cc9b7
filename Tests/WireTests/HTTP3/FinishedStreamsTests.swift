import TestSupport
import Testing
import Wire

struct FinishedStreamsTests {
    /// A stream that stays open does not make all behind it count.
    @Test func whatIsBehindAnOpenOneIsOneGap() {
        var finished = FinishedStreams()
        for number in 1...10_000 { finished.insert(number) }
        #expect(finished.gaps == 1)
        #expect(!finished.contains(0) && finished.contains(1) && finished.contains(10_000))
        #expect(!finished.contains(10_001))
        finished.insert(0)
        #expect(finished.gaps == 0 && finished.contains(0))
    }

    @Test(arguments: 0..<20) func anyOrderIsTheSame(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        var finished = FinishedStreams()
        var numbers: Set<Int> = []
        for _ in 0..<200 {
            let number = Int.random(in: 0..<150, using: &random)
            finished.insert(number)
            numbers.insert(number)
            let gaps = (0..<150).filter { !numbers.contains($0) && numbers.contains($0 + 1) }.count
            #expect(finished.gaps == gaps)
        }
        #expect((0..<151).allSatisfy { finished.contains($0) == numbers.contains($0) })
    }
}
