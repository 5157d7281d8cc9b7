import Captures
import Diagnosis
import Flows
import LibCrypto
import Replay
import Reports

/// Replays the flows of captures: those of one capture that belong together one after the other, the rest side by
/// side.
struct ReplaySession: Sendable {
    let sender: HTTPSender
    let target: ReplayTarget
    let credentials: ReplayCredentials
    let planOptions: PlanOptions
    let longestWait: Duration
    let comparison: ComparisonOptions
    let rules: [any Rule]
    /// How real browsers walk through the provider's pages; nil where none does.
    var browsers: ReplayBrowser.Configuration?
    /// What is to be said meanwhile.
    let tell: @Sendable (ReplayJob, ReplayEvent) -> Void

    /// Says whom plans speak to: whoever drives somebody else's capture sees whom it makes him speak to.
    func tellTargets(of plans: [ReplayPlan]) {
        let targets = plans.flatMap { PlanText.origins(of: $0, target.map(for: $0.flow)) }
        let origins = targets.reduce(into: [String]()) { if !$0.contains($1) { $0.append($1) } }
        StandardError.note("speaks to \(origins.joined(separator: ", "))")
    }

    /// Replays jobs; the reports are in the order of the jobs, however they finished.
    ///
    /// `width`: how many are under way at the same time.
    func run(_ jobs: [ReplayJob], width: Int, done: @escaping @Sendable (Int, ReplayReport) -> Void)
        async throws
        -> [ReplayReport]
    {
        let chains = ReplayJob.chains(jobs)
        var reports: [Int: ReplayReport] = [:]
        try await withThrowingTaskGroup(of: [(Int, ReplayReport)].self) { group in
            var next = chains.makeIterator()
            func start() -> Bool {
                guard !Task.isCancelled, let chain = next.next() else { return false }
                group.addTask { try await run(chain, jobs, done) }
                return true
            }
            for _ in 0..<max(width, 1) where start() {}
            while let finished = try await group.next() {
                for (index, report) in finished { reports[index] = report }
                _ = start()
            }
        }
        return jobs.indices.compactMap { reports[$0] }
    }

    /// Flows that go on from one another, in one browser.
    private func run(
        _ chain: [Int],
        _ jobs: [ReplayJob],
        _ done: @Sendable (Int, ReplayReport) -> Void
    ) async throws -> [(Int, ReplayReport)] {
        // One for all of them, since they share its session.
        let browser = browsers.map(ReplayBrowser.init)
        return try await ending(with: { await browser?.end() }) {
            try await run(chain, jobs, browser, done)
        }
    }

    private func run(
        _ chain: [Int],
        _ jobs: [ReplayJob],
        _ browser: ReplayBrowser?,
        _ done: @Sendable (Int, ReplayReport) -> Void
    ) async throws -> [(Int, ReplayReport)] {
        var states: [Int: RunState] = [:]
        var runs: [(index: Int, run: FlowRun, map: EndpointMap)] = []
        let drivers = chain.map { index in
            let map = target.map(for: jobs[index].plan.flow)
            return (index, driver(jobs[index], map, in: browser), map)
        }
        for (index, driver, map) in drivers where !Task.isCancelled {
            let job = jobs[index]
            let state = job.predecessor.flatMap { states[$0] } ?? RunState()
            let run = await drive(driver, from: state)
            states[job.number] = run.state
            runs.append((index, run, map))
        }
        // The logins first: sessions and codes do not wait for a comparison.
        return runs.map { index, run, map in
            let report = ReplayReport(
                capture: jobs[index].capture,
                run: run,
                map: map,
                options: comparison,
                rules: rules
            )
            done(index, report)
            return (index, report)
        }
    }

    func drive(_ job: ReplayJob, _ map: EndpointMap, from state: RunState) async -> FlowRun {
        await drive(driver(job, map), from: state)
    }

    private func drive(_ driver: FlowDriver, from state: RunState) async -> FlowRun {
        await sender.withoutDetours { await driver.run(from: state) }
    }

    private func driver(_ job: ReplayJob, _ map: EndpointMap, in browser: ReplayBrowser? = nil) -> FlowDriver
    {
        var environment = environment(for: job)
        if let browser {
            let tell = tell
            environment.browse = { visit in await browser.visit(visit) { tell(job, .browser($0)) } }
        }
        return FlowDriver(job.plan, environment, options: options(map))
    }

    func environment(for job: ReplayJob) -> FlowDriver.Environment {
        let sender = sender
        let tell = tell
        return FlowDriver.Environment(
            send: { await sender.exchange($0) },
            clock: { SystemClock.now },
            sleep: { try await Task.sleep(for: $0) },
            random: { SecureRandom.bytes($0) },
            tell: { tell(job, $0) }
        )
    }

    func options(_ map: EndpointMap) -> FlowDriver.Options {
        FlowDriver.Options(map: map, credentials: credentials, plan: planOptions, longestWait: longestWait)
    }
}
