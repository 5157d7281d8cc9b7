import Captures
import Flows
import JOSE
import OAuth

/// A flow as it is compared: its steps, each with its facts, and what is known to be made anew in each run.
struct FlowReading {
    /// The facts of a step, what was asked before what was answered.
    struct Facts {
        var request: [Fact]
        var answer: [Fact]
    }

    let flow: Flow
    let learned: LearnedValues
    let steps: [ComparedStep]
    private(set) var facts: [Facts] = []

    init(_ flow: Flow, leavingOut: Set<Int> = []) {
        self.flow = flow
        learned = LearnedValues(flow)
        steps = Array(StepFolding.steps(of: flow, leavingOut: leavingOut).prefix(StepAlignment.limit))
        let context = ReadingContext(
            flow: flow,
            learned: learned,
            told: Set(steps.map(\.index)),
            leftOut: leavingOut
        )
        var relations = RelationFinder()
        facts = steps.map { step in
            var facts = Facts(
                request: RequestFacts(context: context, step: step).facts,
                answer: AnswerFacts(context: context, step: step).facts
            )
            relations.relate(&facts.request, of: step)
            relations.relate(&facts.answer, of: step)
            return facts
        }
    }

    /// Whether the browser came back to the app.
    var hasResponse: Bool { steps.contains { $0.kind == .authorizationResponse } }
}
