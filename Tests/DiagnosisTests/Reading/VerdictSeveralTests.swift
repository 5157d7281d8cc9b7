import Captures
import Testing

@testable import Diagnosis

struct VerdictSeveralTests {
    private let wrong = Verdict.violated(Violation([], variant: "wrong"))

    private func verdict(on verdicts: [Verdict], lacking: String? = nil) -> Verdict {
        Verdict.firstViolation(among: verdicts, lacking: lacking) { $0 }
    }

    /// Seen at one exchange each.
    private func seen(_ exchange: Int, severity: Severity? = nil, variant: String? = nil) -> Violation {
        let place = Place(exchange: exchange, part: .responseStatus, name: "")
        return Violation([Evidence(place: place, value: "400")], variant: variant, severity: severity)
    }

    @Test func violationsOfWhichEnoughIsKnownEndTheReading() {
        var judged = 0
        let verdicts = [.holds] + Array(repeating: wrong, count: 60)
        let result = Verdict.firstViolation(among: verdicts, telling: 2) {
            judged += 1
            return $0
        }
        #expect(result == wrong)
        #expect(judged == 51)
    }

    @Test func evidenceOfFurtherOnesStandsBehindTheFirst() {
        let two = seen(4)
        let verdicts = [two, two, seen(6), seen(8, variant: "other")].map { Verdict.violated($0) }
        var told = Violation(two.evidence + seen(6).evidence)
        told.repetitions = [4, 6]
        #expect(verdict(on: verdicts) == .violated(told))
        var alone = two
        alone.repetitions = [4, 6]
        #expect(Verdict.firstViolation(among: verdicts, telling: 1) { $0 } == .violated(alone))
    }

    /// Another rule may ask for the one or the other.
    @Test func whatIsToldIsFoundAtEachOfItsExchanges() {
        let verdicts = [seen(4), seen(6), seen(8, variant: "other")].map { Verdict.violated($0) }
        guard case .violated(let told) = verdict(on: verdicts) else {
            Issue.record("not violated")
            return
        }
        #expect([4, 6, 8].map(told.isFound) == [true, true, false])
    }

    /// Of a few the evidence is told, whatever follows them; but each of them is found.
    @Test func whatComesBehindThoseThatAreToldIsFoundAlone() {
        let verdicts = [seen(1), seen(2), seen(3), seen(4, severity: .error), seen(5)]
        var told = Violation([1, 2, 3].flatMap { seen($0).evidence })
        told.repetitions = [2, 3, 5]
        #expect(verdict(on: verdicts.map { .violated($0) }) == .violated(told))
    }

    @Test(arguments: [
        [Severity.note, nil], [.warning, .error], [.note, .warning], [.warning, nil, .note],
    ])
    func softenedOneGivesWayToAGraverOne(_ severities: [Severity?]) {
        let verdicts = severities.enumerated().map { Verdict.violated(seen($0, severity: $1)) }
        #expect(verdict(on: verdicts) == .violated(seen(1, severity: severities[1])))
        #expect(verdict(on: verdicts.reversed()) == .violated(seen(1, severity: severities[1])))
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
        let slight = Verdict.violated(seen(0, severity: .note))
        #expect(slight.or(other) == .violated(other))
        #expect(slight.or(seen(1, severity: .warning)) == slight)
        #expect(Verdict.abstains("unsaved").or(other) == .violated(other))
        #expect(Verdict.abstains("unsaved").or(nil) == .abstains("unsaved"))
        #expect(Verdict.holds.or(nil) == .holds)
    }
}
