import Captures
import Diagnosis
import Flows
import OAuth
import Replay

/// Says of a driven login whether it works, and what it fails by.
struct LoginJudge: Sendable {
    let rules: [any Rule]

    /// A login works when no rule calls it broken and it came to its end, as far as its plan drives it.
    func works(_ plan: ReplayPlan) -> @Sendable (Flow) -> Bool {
        let rules = rules
        let endsWithResponse = !plan.steps.contains { $0.kind == .tokenRequest }
        return { flow in
            guard
                !Diagnostician.diagnose(flow, rules: rules).findings.contains(where: { $0.severity == .error }
                )
            else { return false }
            if flow.ending == .success { return true }
            return endsWithResponse && flow.ending == .incomplete
                && flow.authorizationResponses.last.map { $0.error == nil } ?? false
        }
    }

    /// The same, with what it fails by.
    func verdict(_ plan: ReplayPlan) -> @Sendable (Flow) -> FlowBisection.Verdict {
        let works = works(plan)
        return { flow in works(flow) ? .works : .fails(failure(of: flow)) }
    }

    /// What a flow fails by: its root cause and its refusals.
    func failure(of flow: Flow) -> LoginFailure {
        let cause = cause(of: flow)
        return LoginFailure(
            of: flow,
            rule: cause?.rule,
            evidence: cause?.evidence.compactMap(\.place.exchange) ?? []
        )
    }

    /// The root cause, where it is an error or a warning.
    func cause(of flow: Flow) -> Finding? {
        Diagnostician.diagnose(flow, rules: rules).findings.first { $0.isPrimary && $0.severity != .note }
    }
}
