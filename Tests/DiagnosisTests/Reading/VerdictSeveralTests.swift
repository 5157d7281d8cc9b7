import Testing

@testable import Diagnosis

struct VerdictSeveralTests {
    private let wrong = Verdict.violated(Violation([], variant: "wrong"))

    private func verdict(on verdicts: [Verdict], lacking: String? = nil) -> Verdict {
        Verdict.firstViolation(among: verdicts, lacking: lacking) { $0 }
    }

    @Test func firstViolationEndsTheReading() {
        var judged = 0
        let result = Verdict.firstViolation(among: [.holds, wrong, .violated(Violation([]))]) { verdict in
            judged += 1
            return verdict
        }
        #expect(result == wrong)
        #expect(judged == 2)
    }

    @Test func violationCountsBehindOneThatCouldNotBeJudged() {
        #expect(verdict(on: [.abstains("unsaved"), wrong], lacking: "stripped") == wrong)
    }

    @Test func lastReasonToAbstainIsKept() {
        #expect(verdict(on: [.abstains("first"), .abstains("last"), .holds]) == .abstains("last"))
    }

    @Test func whatTheFlowLacksCountsWhereNothingElseDoes() {
        #expect(verdict(on: [], lacking: "stripped") == .abstains("stripped"))
        #expect(verdict(on: [.holds], lacking: "stripped") == .abstains("stripped"))
        #expect(verdict(on: [.abstains("unsaved")], lacking: "stripped") == .abstains("unsaved"))
        #expect(verdict(on: [.holds]) == .holds)
    }

    @Test func anotherViolationCountsWhereThereIsNone() {
        let other = Violation([], variant: "other")
        #expect(wrong.or(other) == wrong)
        #expect(Verdict.abstains("unsaved").or(other) == .violated(other))
        #expect(Verdict.abstains("unsaved").or(nil) == .abstains("unsaved"))
        #expect(Verdict.holds.or(nil) == .holds)
    }
}
