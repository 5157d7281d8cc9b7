import Captures
package import Diagnosis
package import Flows
package import Replay

/// A flow and its replay: what was sent, how it compares, what is to be said of the new run.
package struct ReplayReport: Sendable {
    /// Of the recording, as the user wrote it.
    package var capture: String
    package var run: FlowRun
    package var map: EndpointMap
    /// Nil where the new run has no protocol message at all.
    package var difference: DifferenceReport?
    /// Of the recorded flow and of the new one.
    package var recorded: FlowDiagnosis
    package var diagnosis: FlowDiagnosis?

    /// Compares and diagnoses the run.
    ///
    /// `run`: the replay of one flow of that capture; `options`: what the comparison takes for granted besides what the
    /// plan says; `rules`: asked of both flows.
    package init(
        capture: String,
        run: FlowRun,
        map: EndpointMap,
        options: ComparisonOptions,
        rules: [any Rule]
    ) {
        self.capture = capture
        self.run = run
        self.map = map
        let flow = run.plan.flow
        recorded = Diagnostician.diagnose(flow, rules: rules)
        guard let seen = Self.newFlow(of: run) else { return }
        var options = options
        options.leavingOut.formUnion(
            run.plan.leftOut.filter { $0.reason != .recordedPage }.map(\.exchange)
        )
        options.repeated = run.repeatedLogouts
        options.mapped += map.issuers.map { ($0.old, $0.new) } + map.entries.map { ($0.old, $0.new) }
        options.isOtherProvider = options.isOtherProvider || map.isOtherProvider
        options.isOtherUser = options.isOtherUser || run.plan.isOfAnotherUser(options.given)
        difference = DifferenceReport(
            expected: DifferenceReport.Side(capture: capture, flow: flow),
            seen: DifferenceReport.Side(capture: "replay", flow: seen),
            options: options,
            // What stood beside the recorded steps is not driven again.
            areJudged: false
        )
        diagnosis = Diagnostician.diagnose(seen, rules: rules)
    }

    package var flow: Flow { run.plan.flow }

    /// Whether the new run is what the recording is.
    package var isSame: Bool { difference?.difference.isSame ?? false }

    /// The verdict in one line.
    package var headline: String {
        guard let difference else {
            return run.exchanges.first?.failure.map { "nothing was answered: \($0)" } ?? "nothing was sent"
        }
        if difference.difference.isSame {
            guard let failure = recorded.findings.first(where: { $0.isPrimary && $0.severity == .error })
            else {
                return "the same"
            }
            return diagnosis?.findings.contains { $0.rule == failure.rule } ?? false
                ? "the same failure: \(failure.rule)"
                : "the same at the provider; \(failure.rule) is in the app's part, which was not driven"
        }
        return difference.headline + (reasonOfFirst.map { ": \($0)" } ?? "")
    }

    /// Whether a finding of a rule tells more than the recording does: that has none, and did not leave it open with the app's own
    /// exchanges before it, which the new run lacks.
    func isNews(of rule: String) -> Bool {
        guard !recorded.findings.contains(where: { $0.rule == rule }) else { return false }
        let lacksApp = run.plan.leftOut.contains {
            if case .app = $0.reason { true } else { false }
        }
        return !lacksApp || !recorded.abstentions.contains { $0.rule == rule }
    }

    /// Why the step was not sent whose absence is the first difference; nil where that is another.
    private var reasonOfFirst: String? {
        guard let first = difference?.difference.first, first.difference.aspect == "step",
            first.step?.seen == nil, let expected = first.step?.expected
        else { return nil }
        return notSent.first { $0.step.exchange == expected }?.reason
    }

    /// Requests that could not be sent, with the reason.
    package var notSent: [(step: PlannedStep, reason: String)] {
        zip(run.plan.steps, run.results).compactMap { step, result in
            switch result {
            case .failed(let failure): (step, failure.description)
            case .notReached: (step, run.stop.map { "\($0)" } ?? "the login had ended before")
            case .sent, .notNeeded: nil
            }
        }
    }

    /// Why nothing at all was answered, where the recorded provider had answered; nil where something was.
    package var unreachable: String? { run.unreachable }

    /// Whether the provider was down, which says nothing of the login.
    var foundNobody: Bool { unreachable != nil && !isSame }

    /// How long the run took, and how much of it the provider took to answer.
    package var times: (whole: Duration, provider: Duration) {
        guard let first = run.exchanges.first, let last = run.exchanges.last else { return (.zero, .zero) }
        let provider = run.exchanges.reduce(Duration.zero) { $0 + ($1.duration ?? .zero) }
        return (last.endedAt - first.startedAt, provider)
    }

    /// The flow that the new exchanges make.
    private static func newFlow(of run: FlowRun) -> Flow? {
        FlowFinder.flows(in: Capture(run.exchanges), areOne: true).first
    }
}
