import Captures
import Flows
import Replay
import TestSupport
import Testing

/// What holds for any two flows, related or not.
struct AnyPairTests {
    /// Drawn once: every capture meets another.
    private static let pairs: [(String, String)] = {
        var random = SeededGenerator(seed: 21)
        let names = AnotherDayTests.every
        return names.map { ($0, names.randomElement(using: &random) ?? $0) }
    }()

    @Test func whatDiffersOneWayDiffersTheOther() throws {
        var flows: [String: Flow] = [:]
        for name in AnotherDayTests.every { flows[name] = try ComparedRecording(name).flow }
        var sameCount = 0
        for (left, right) in Self.pairs {
            guard let first = flows[left], let second = flows[right] else { continue }
            let there = FlowDifference(first, second)
            let back = FlowDifference(second, first)
            #expect(there.isSame == back.isSame, "\(left) \(right): \(there.headline) | \(back.headline)")
            sameCount += there.isSame ? 1 : 0
            for difference in [there, back] {
                let told = difference.steps.flatMap(\.differences) + difference.overall
                #expect(told.allSatisfy { !$0.note.isEmpty && ($0.expected != nil || $0.seen != nil) })
                #expect(difference.isSame == difference.all.isEmpty)
                // Pages of a response are told in two steps; no step is told twice.
                let steps = difference.steps.compactMap { step in
                    step.seen.map { "\(step.kind.rawValue) \($0)" }
                }
                #expect(Set(steps).count == steps.count, "\(left) \(right)")
            }
        }
        #expect(Self.pairs.count > 300 && sameCount < Self.pairs.count / 2)
    }
}
