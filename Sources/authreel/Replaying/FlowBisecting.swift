import Captures
import Diagnosis
import Flows
import Replay
import Reports

/// Drives a login that works with parts of what one that fails does otherwise.
struct FlowBisecting {
    let session: ReplaySession
    let progress: ReplayProgress
    /// What is not to be compared, as the comparison has it.
    let ignoring: [String]
    /// How many logins may be driven.
    let limit: Int

    /// A login with the flows of its capture that it goes on from, the first of them first.
    struct Login {
        var side: DifferenceReport.Side
        var job: ReplayJob
        var before: [ReplayJob]

        /// - Throws: ``CommandFailure`` where the flow has nothing to drive.
        init(_ side: DifferenceReport.Side, of flows: [Flow], options: PlanOptions) throws {
            self.side = side
            let jobs = ReplayJob.jobs(
                of: flows,
                in: side.capture,
                only: side.flow.id,
                from: 0,
                options: options
            )
            guard let job = jobs.first(where: { $0.plan.flow.id == side.flow.id }) else {
                throw CommandFailure(
                    .dataError,
                    "\(side.name): there is nothing in it that can be driven again",
                    hint: "\(Invocation.command("show", side.capture)) tells what was recorded"
                )
            }
            self.job = job
            before = jobs.filter { $0.number != job.number }
        }
    }

    private var judge: LoginJudge { LoginJudge(rules: session.rules) }

    /// What the failing login does otherwise, and nothing driven.
    ///
    /// - Throws: ``CommandFailure`` where the first does not work by its recording, or the second does not fail.
    func plan(_ good: Login, _ bad: Login) throws -> BisectReport {
        guard judge.works(good.job.plan)(good.side.flow) else {
            throw CommandFailure(
                .dataError,
                "\(good.side.name) is not a login that works: \(words(for: good))",
                hint: "the login that works comes first: \(Invocation.name) diff GOOD BAD --bisect"
            )
        }
        guard !judge.works(bad.job.plan)(bad.side.flow) else {
            throw CommandFailure(
                .dataError,
                "\(bad.side.name) is not a login that fails",
                hint:
                    "without --bisect the two are compared: \(Invocation.command("diff", good.side.capture, bad.side.capture))"
            )
        }
        let changes = RequestChangeFinder.changes(
            from: good.job.plan,
            to: bad.job.plan,
            failedAt: judge.failure(of: bad.side.flow).exchanges,
            maps: (session.target.map(for: good.side.flow), session.target.map(for: bad.side.flow)),
            given: session.credentials.names,
            ignoring: ignoring
        )
        return BisectReport(
            good: good.side,
            bad: bad.side,
            recordedCause: judge.cause(of: bad.side.flow),
            changes: changes,
            result: nil
        )
    }

    private func words(for login: Login) -> String {
        judge.cause(of: login.side.flow).map { "\($0.rule)" } ?? "it ends \(login.side.flow.ending.rawValue)"
    }

    /// The plans of all that is driven: those it goes on from, the login that works, and with all changes made.
    func plans(_ good: Login, _ bad: Login, _ changes: [RequestChange]) -> [(name: String, plan: ReplayPlan)]
    {
        let whole = FlowBisection.plan(
            of: good.job.plan,
            with: changes.filter(\.isApplicable),
            challengesOf: bad.job.plan,
            options: session.planOptions
        )
        return good.before.map { ($0.name, $0.plan) } + [
            (good.job.name, good.job.plan), (bad.job.name, whole),
        ]
    }

    /// Drives what was planned; when the task is cancelled, what was found out until then.
    func run(_ good: Login, _ bad: Login, _ planned: BisectReport) async -> BisectReport {
        // Those it goes on from are driven once: every run begins with what they left.
        var states: [Int: RunState] = [:]
        for job in good.before {
            let state = job.predecessor.flatMap { states[$0] } ?? RunState()
            states[job.number] =
                await session.drive(job, session.target.map(for: job.plan.flow), from: state).state
        }
        let state = good.job.predecessor.flatMap { states[$0] } ?? RunState()
        let count = planned.changes.count(where: \.isApplicable)
        let style = Terminal.standardError.style
        let bisection = FlowBisection(
            good: good.job.plan,
            bad: bad.job.plan,
            changes: planned.changes,
            failure: judge.failure(of: bad.side.flow),
            suspected: judge.cause(of: bad.side.flow)?.evidence.map(\.place) ?? [],
            environment: session.environment(for: good.job),
            options: (
                session.options(session.target.map(for: good.side.flow)),
                session.options(session.target.map(for: bad.side.flow))
            ),
            limit: limit,
            judge: judge.verdict(good.job.plan)
        )
        let result = await bisection.run(from: state) { attempt, drive in
            progress.line(BisectText.line(for: attempt, of: count, drive: drive, style: style))
        }
        return BisectReport(
            good: planned.good,
            bad: planned.bad,
            recordedCause: planned.recordedCause,
            changes: planned.changes,
            result: result,
            rules: session.rules
        )
    }
}
