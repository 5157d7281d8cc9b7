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
                guard let chain = next.next() else { return false }
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
        do {
            let reports = try await run(chain, jobs, browser, done)
            await browser?.end()
            return reports
        } catch {
            await browser?.end()
            throw error
        }
    }

    private func run(
        _ chain: [Int],
        _ jobs: [ReplayJob],
        _ browser: ReplayBrowser?,
        _ done: @Sendable (Int, ReplayReport) -> Void
    ) async throws -> [(Int, ReplayReport)] {
        var states: [Int: RunState] = [:]
        var reports: [(Int, ReplayReport)] = []
        for index in chain {
            let job = jobs[index]
            let map = target.map(for: job.plan.flow)
            let state = job.predecessor.flatMap { states[$0] } ?? RunState()
            let run = await drive(job, map, from: state, in: browser)
            states[job.number] = run.state
            let report = ReplayReport(
                capture: job.capture,
                run: run,
                map: map,
                options: comparison,
                rules: rules
            )
            reports.append((index, report))
            done(index, report)
        }
        return reports
    }

    func drive(
        _ job: ReplayJob,
        _ map: EndpointMap,
        from state: RunState,
        in browser: ReplayBrowser? = nil
    ) async -> FlowRun {
        var environment = environment(for: job)
        if let browser {
            let tell = tell
            environment.browse = { visit in await browser.visit(visit) { tell(job, .browser($0)) } }
        }
        return await FlowDriver(job.plan, environment, options: options(map)).run(from: state)
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

/// A flow that is to be replayed.
struct ReplayJob: Sendable {
    /// The capture's name as the user wrote it.
    var capture: String
    var plan: ReplayPlan
    /// Among the flows of all captures of this round.
    var number: Int
    /// The number of the flow whose session it goes on with.
    var predecessor: Int?

    /// `login.har#flow-1`.
    var name: String { "\(capture)#\(plan.flow.id)" }

    /// The same with what is driven at a target.
    func adapted(to target: ReplayTarget) -> ReplayJob {
        var job = self
        job.plan = plan.adapted(to: target.map(for: plan.flow))
        return job
    }

    /// The jobs of a capture that have something to drive.
    ///
    /// `only`: the id of the one that is wanted; those that it goes on from are wanted, too.
    static func jobs(
        of flows: [Flow],
        in capture: String,
        only: String?,
        from first: Int,
        options: PlanOptions
    ) -> [ReplayJob] {
        let places = FlowOrder.places(of: flows, options: options)
        var wanted = Set(flows.indices)
        if let only {
            wanted = []
            var index = flows.firstIndex { $0.id == only }
            while let current = index, wanted.insert(current).inserted { index = places[current].predecessor }
        }
        return flows.indices.filter { wanted.contains($0) && !places[$0].plan.steps.isEmpty }.map { index in
            ReplayJob(
                capture: capture,
                plan: places[index].plan,
                number: first + index,
                predecessor: places[index].predecessor.map { first + $0 }
            )
        }
    }

    /// Indices of jobs that have to run one after the other: those of one capture, and those of one client, since what
    /// a provider remembers of one login (consents, sessions, grants) it may change in the midst of another.
    static func chains(_ jobs: [ReplayJob]) -> [[Int]] {
        var chains: [[Int]] = []
        var chainOfKey: [String: Int] = [:]
        for (index, job) in jobs.enumerated() {
            let flow = job.plan.flow
            let client = "client \(job.plan.origins.first ?? "") \(flow.clientID ?? job.name)"
            let keys = ["capture \(job.capture)", client]
            let own = Set(keys.compactMap { chainOfKey[$0] }).sorted()
            let chain = own.first ?? chains.count
            if chain == chains.count { chains.append([]) }
            // A capture with two clients ties their chains together.
            for other in own.dropFirst() {
                chains[chain] += chains[other]
                chains[other] = []
                for (key, value) in chainOfKey where value == other { chainOfKey[key] = chain }
            }
            chains[chain].append(index)
            for key in keys { chainOfKey[key] = chain }
        }
        return chains.filter { !$0.isEmpty }.map { $0.sorted() }
    }
}
