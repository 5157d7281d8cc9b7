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
    /// How many there are, those that are not compared included.
    let stepCount: Int
    private(set) var facts: [Facts] = []
    /// The first step of each kind, and of each kind with a code or state.
    private var firsts: [String: Int] = [:]

    /// `passwordFields`: of the pages of both flows that are compared.
    init(
        _ flow: Flow,
        passwordFields: PasswordFields,
        leavingOut: Set<Int> = [],
        isOtherProvider: Bool = false,
        redactions: [Redaction] = []
    ) {
        self.flow = flow
        learned = LearnedValues(flow, redactions: redactions)
        let all = StepFolding.steps(of: flow, leavingOut: leavingOut, isOtherProvider: isOtherProvider)
        stepCount = all.count
        steps = Array(all.prefix(StepAlignment.limit))
        let context = ReadingContext(
            flow: flow,
            learned: learned,
            told: Set(steps.map(\.index)),
            leftOut: leavingOut,
            passwordFields: passwordFields
        )
        var relations = RelationFinder()
        for (index, step) in steps.enumerated() {
            for key in [Self.key(step, nil), Self.key(step, "code"), Self.key(step, "state")].compactMap({
                $0
            })
            where firsts[key] == nil {
                firsts[key] = index
            }
        }
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

    /// The steps with where each goes.
    ///
    /// `mapped`: a URL as the other flow ought to have it.
    func addressedSteps(mapped: (String) -> String = { $0 }) -> [(
        step: ComparedStep, address: StepAlignment.Address
    )] {
        steps.map { step in
            let url = step.message?.endpoint?.text ?? step.exchange.request.url.withoutQuery
            let address = RecordedURL(mapped(url))
            let path = address.path + (address.query.map { "?\($0)" } ?? "")
            return (step, StepAlignment.Address(path: path, outline: learned.skeleton(of: path)))
        }
    }

    /// Whether there is a step of the same kind before this one, or one with the same value of a parameter.
    func hasEarlier(than step: ComparedStep, with name: String? = nil) -> Bool {
        guard let key = Self.key(step, name), let first = firsts[key] else { return false }
        return steps[first].index != step.index
            && flow.surroundings.position[steps[first].index] < flow.surroundings.position[step.index]
    }

    private static func key(_ step: ComparedStep, _ name: String?) -> String? {
        guard let name else { return step.kind.rawValue }
        return step.step.parameters[name].map { "\(step.kind.rawValue) \(name) \($0)" }
    }

    /// Whether the browser came back to the app: a code that is redeemed was brought there, though only a page's script was told where.
    var hasResponse: Bool {
        steps.contains {
            $0.kind == .authorizationResponse
                || $0.kind == .tokenRequest && $0.step.parameters["code"] != nil
        }
    }
}
