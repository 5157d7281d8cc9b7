package import Flows
import OAuth

/// Tries one change after the other on a login that fails, until it works; first none, since what works of itself now needs
/// no change.
package struct FixSearch: Sendable {
    /// What came of one change.
    package struct Attempt: Sendable {
        package var hypothesis: Hypothesis
        package var run: FlowRun
        /// Nil where the run has no protocol message.
        package var flow: Flow?
        package var reach: Reach
        /// What it was judged to fail by; nil where it works, or was not judged.
        package var failure: LoginFailure?

        package var works: Bool { reach != .none }
    }

    /// How far a changed login gets.
    package enum Reach: Sendable, Hashable {
        /// To its end.
        case end
        /// Past what refused the recorded one, to a sign-in page that the recording does not know.
        case signIn
        case none
    }

    /// What came of all of them.
    package struct Result: Sendable {
        /// Of the login as it was recorded; nil where it was broken off.
        package var unchanged: Attempt?
        /// None where that one works.
        package var attempts: [Attempt]
        /// Whether it was stopped from outside; what was under way then is none of the attempts.
        package var isInterrupted = false
        /// Why nobody answered the login as it was recorded, so that no change was tried; nil where somebody did.
        package var unreachable: String? { unchanged?.run.unreachable }
        /// The smallest change that makes the login work.
        package var fix: Attempt? { attempts.first(where: \.works) }
        /// All that was driven, in order.
        package var runs: [FlowRun] { ([unchanged].compactMap { $0 } + attempts).map(\.run) }
    }

    private let plan: ReplayPlan
    private let hypotheses: [Hypothesis]
    private let environment: FlowDriver.Environment
    private let options: FlowDriver.Options
    private let judge: @Sendable (Flow) -> FlowBisection.Verdict

    /// More pairs are not tried: each is a whole login.
    private static let maximumPairs = 15

    /// `judge`: whether a flow of a new run is a login that works.
    package init(
        _ plan: ReplayPlan,
        _ hypotheses: [Hypothesis],
        _ environment: FlowDriver.Environment,
        options: FlowDriver.Options,
        judge: @escaping @Sendable (Flow) -> FlowBisection.Verdict
    ) {
        self.plan = plan
        self.hypotheses = hypotheses
        self.environment = environment
        self.options = options
        self.judge = judge
    }

    /// `state`: of the run that the flow goes on from; `tell`: is told of each attempt.
    package func run(from state: RunState = RunState(), tell: (Attempt) -> Void = { _ in }) async -> Result {
        var result = Result(attempts: [])
        for hypothesis in Self.order(of: hypotheses) {
            let attempt = Task.isCancelled ? nil : await attempt(hypothesis, from: state)
            // A login that was broken off says nothing of its change.
            guard let attempt, attempt.works || !Task.isCancelled else {
                result.isInterrupted = true
                break
            }
            if hypothesis.changes.isEmpty {
                result.unchanged = attempt
            } else {
                result.attempts.append(attempt)
            }
            tell(attempt)
            // Where nobody answers, a change tells nothing.
            if attempt.works || result.unreachable != nil { break }
        }
        return result
    }

    /// All that is tried, in order, until something works: the login as it was recorded first.
    package static func order(of hypotheses: [Hypothesis]) -> [Hypothesis] {
        [.unchanged] + hypotheses + pairs(of: hypotheses)
    }

    /// Two changes together, of those that are no alternatives to each other.
    private static func pairs(of hypotheses: [Hypothesis]) -> [Hypothesis] {
        var pairs: [Hypothesis] = []
        for (index, first) in hypotheses.enumerated() {
            for second in hypotheses.dropFirst(index + 1) where pairs.count < maximumPairs {
                if first.isCompatible(with: second) { pairs.append(first.combined(with: second)) }
            }
        }
        return pairs
    }

    private func attempt(_ hypothesis: Hypothesis, from state: RunState) async -> Attempt {
        let (plan, options) = hypothesis.applied(to: plan, options)
        let trial = await FlowTrial.of(plan, environment, options: options, from: state)
        var attempt = Attempt(hypothesis: hypothesis, run: trial.run, flow: trial.flow, reach: .none)
        guard let flow = trial.flow else { return attempt }
        guard trial.run.isComplete else {
            attempt.reach = reachOfStopped(trial.run, flow)
            return attempt
        }
        switch judge(flow) {
        case .works: attempt.reach = .end
        case .fails(let failure): attempt.failure = failure
        }
        return attempt
    }

    private func reachOfStopped(_ run: FlowRun, _ flow: Flow) -> Reach {
        // The recorded login was refused before anybody signed in, and this one is asked to.
        guard run.isBeforeASignInPage, flow.ending == .incomplete, flow.authorizationResponses.isEmpty,
            plan.flow.authorizationResponses.last?.error != nil || plan.flow.authorizationResponses.isEmpty
        else { return .none }
        return .signIn
    }
}

extension Hypothesis {
    /// Whether both can be done at once: they do not set the same thing.
    func isCompatible(with other: Hypothesis) -> Bool {
        let own = Set(changes.map(\.target))
        return own.isDisjoint(with: other.changes.map(\.target))
    }
}

extension Hypothesis.Change {
    /// What it sets.
    fileprivate var target: String {
        switch self {
        case .parameter(let kind, let name, _): "\(kind.rawValue).\(name)"
        case .authentication, .encodesCredentials: "authentication"
        case .leavingOut(let exchange): "exchange \(exchange)"
        case .withoutPauses: "pauses"
        case .usingProofNonce: "proof"
        case .asForm: "form"
        }
    }
}
