import Captures
import Diagnosis
import Flows
import LibCrypto
import OAuth
import Replay
import Reports

/// Looks for the change that makes failing flows work.
struct FixFinding {
    let session: ReplaySession
    let progress: ReplayProgress

    /// The changes that are worth trying on a flow, in order; nil of one that works.
    static func changes(for job: ReplayJob, rules: [any Rule]) -> [Hypothesis]? {
        changes(for: job, Diagnostician.diagnose(job.plan.flow, rules: rules))
    }

    private static func changes(for job: ReplayJob, _ recorded: FlowDiagnosis) -> [Hypothesis]? {
        guard recorded.outcome != .success else { return nil }
        return HypothesisFinder.hypotheses(
            for: job.plan,
            rules: recorded.findings.filter { $0.severity != .note }.map(\.rule),
            random: { SecureRandom.bytes($0) }
        )
    }

    /// Searches each failing flow; those it goes on from are driven first.
    ///
    /// - Returns: a report per flow that fails; none where all of them work. When the task is cancelled, what there is until then.
    func search(_ jobs: [ReplayJob]) async -> [FixReport] {
        var states: [Int: RunState] = [:]
        var reports: [FixReport] = []
        for job in jobs where !Task.isCancelled {
            let recorded = Diagnostician.diagnose(job.plan.flow, rules: session.rules)
            let map = session.target.map(for: job.plan.flow)
            let state = job.predecessor.flatMap { states[$0] } ?? RunState()
            guard let changes = Self.changes(for: job, recorded) else {
                states[job.number] = await session.drive(job, map, from: state).state
                continue
            }
            let search = FixSearch(
                job.plan,
                changes,
                session.environment(for: job),
                options: session.options(map),
                judge: LoginJudge(rules: session.rules).verdict(job.plan)
            )
            let result = await search.run(from: state) { attempt in
                let terminal = Terminal.standardError
                progress.line(FixText.line(for: attempt, terminal.style, columns: terminal.columns))
            }
            states[job.number] = result.runs.last?.state ?? state
            reports.append(
                FixReport(capture: job.capture, plan: job.plan, recorded: recorded, search: result)
            )
        }
        return reports
    }
}
