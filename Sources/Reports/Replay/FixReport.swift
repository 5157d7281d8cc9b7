package import Diagnosis
import Captures
import Flows
import OAuth
package import Replay

/// What was tried on a login that fails, and what made it work.
package struct FixReport: Sendable {
    package var capture: String
    package var plan: ReplayPlan
    /// Of the recorded flow.
    package var recorded: FlowDiagnosis
    package var search: FixSearch.Result

    package init(capture: String, plan: ReplayPlan, recorded: FlowDiagnosis, search: FixSearch.Result) {
        self.capture = capture
        self.plan = plan
        self.recorded = recorded
        self.search = search
    }

    /// The recorded root cause.
    var cause: Finding? { recorded.findings.first(where: \.isPrimary) }

    /// How a failed attempt ended, in a line.
    static func ending(of attempt: FixSearch.Attempt) -> String {
        if attempt.reach == .end { return "works" }
        if attempt.reach == .signIn, case .unknownPage(_, let title) = attempt.run.stop {
            return "gets to the sign-in page\(title.isEmpty ? "" : " (\(title))")"
        }
        if let stop = attempt.run.stop { return "\(stop)" }
        guard let flow = attempt.flow else { return "nothing was answered" }
        // The last one: what was refused on the way was refused in the recording, too, or mended by a second try.
        let steps = Array(zip(attempt.run.plan.steps, attempt.run.results))
        let failed = steps.last { step, result in
            guard case .sent(let live) = result, step.kind != nil, step.kind != .userInteraction else {
                return false
            }
            return (attempt.run.exchanges[live].response?.status ?? 599) >= 400
        }
        if let (step, result) = failed, case .sent(let live) = result {
            let status = attempt.run.exchanges[live].response.map { "\($0.status)" } ?? "no answer"
            return "\(PlanText.name(of: step)): \(status)"
        }
        if let error = flow.authorizationResponses.last?.error {
            return "authorization response: \(error.error)"
        }
        // All was answered well, and is of no use: a page may not read it, say.
        return attempt.failure?.rule ?? "still \(flow.ending.rawValue)"
    }
}
