import ArgumentParser
import Captures
import Diagnosis
import Flows
import Replay
import Reports

/// What `diff --bisect` does: checks all that has to be clear, drives, prints, and ends with a status.
struct BisectCommand {
    let options: BisectOptions
    let comparison: ComparisonOptions
    let format: Diff.Format

    func run(_ good: Diff.ChosenFlow, _ bad: Diff.ChosenFlow) async throws {
        try CaptureOpening.check(
            options.out,
            isNoneOf: [good.side.capture, bad.side.capture],
            use: "compared",
            hint: "what is driven wants a file of its own: --out proof.har"
        )
        let credentials = try options.driving.credentials()
        let configuration = HTTPSender.Configuration(
            tls: try options.upstream.context(),
            clientCertificate: try options.upstream.clientCertificate.certificates("diff").certificate,
            timeout: .seconds(30),
            clock: { SystemClock.now }
        )
        try await HTTPSender.withSender(configuration) { sender in
            try await run(good, bad, credentials, sender)
        }
    }

    private func run(
        _ good: Diff.ChosenFlow,
        _ bad: Diff.ChosenFlow,
        _ credentials: ReplayCredentials,
        _ sender: HTTPSender
    ) async throws {
        let progress = ReplayProgress(jobs: 1, isVerbose: options.verbose)
        let session = try await session(credentials, sender, progress)
        let bisecting = FlowBisecting(
            session: session,
            progress: progress,
            ignoring: comparison.ignoring,
            limit: options.maximumDrives ?? BisectOptions.defaultDrives
        )
        let works = try FlowBisecting.Login(good.side, of: good.flows, options: session.planOptions)
        let fails = try FlowBisecting.Login(bad.side, of: bad.flows, options: session.planOptions)
        let planned = try bisecting.plan(works, fails)
        if options.plan { return print(text(of: planned)) }
        let plans = bisecting.plans(works, fails, planned.changes)
        try ReplayCheck.secrets(of: plans, given: credentials.names)
        // The failing login itself is driven where it is not clear what else to say.
        let all = plans + [(fails.job.name, fails.job.plan)]
        try ReplayCheck.sideEffects(of: all, at: session.target, isAllowed: options.yes)
        session.tellTargets(of: all.map(\.plan))
        let writer = try options.out.map { try CaptureOpening.open($0) }
        // Nothing was driven, or nothing that is of use: there is no such file.
        defer { writer?.takeBack() }
        var (report, signal) = try await EndableReplay.run { await bisecting.run(works, fails, planned) }
        progress.clear()
        if let writer { try keep(&report, in: writer) }
        print(text(of: report))
        if let signal { try end(report, interruptedBy: signal, writer) }
        try end(report)
    }

    private func session(
        _ credentials: ReplayCredentials,
        _ sender: HTTPSender,
        _ progress: ReplayProgress
    ) async throws -> ReplaySession {
        let planOptions = PlanOptions(
            allowedHosts: try options.driving.hosts(),
            sendsStandIns: options.driving.sendsStandIns
        )
        let map = EndpointMap(
            comparison.mapped.map { pair in
                EndpointMap.Entry(
                    old: pair.old.withoutSlash,
                    new: pair.new.withoutSlash
                )
            }
        )
        // What is only shown asks nobody, not even for metadata.
        let issuer = options.plan ? nil : options.driving.against
        return ReplaySession(
            sender: sender,
            target: try await ReplayTarget(map, against: issuer, sender),
            credentials: credentials,
            planOptions: planOptions,
            longestWait: .seconds(options.driving.longestWait),
            comparison: comparison,
            rules: RuleCatalog.rules,
            tell: { job, event in progress.tell(event, of: job) }
        )
    }

    /// Writes the login that works and the smallest that fails; where nothing was found, all that was driven, which shows why.
    private func keep(_ report: inout BisectReport, in writer: CaptureWriter) throws {
        guard let result = report.result else { return }
        let attempts = result.proof.map { [result.good, $0].compactMap { $0 } } ?? result.attempts
        for attempt in attempts { try writer.append(attempt.trial.run.exchanges) }
        if result.proof != nil { report.proof = writer.path }
    }

    private func text(of report: BisectReport) -> String {
        let terminal = Terminal.standardOutput
        return switch format {
        case .json: BisectJSON.text(of: report)
        case .markdown: BisectMarkdown.text(of: report)
        case .text, .junit:
            BisectText(
                report,
                style: terminal.style,
                columns: terminal.columns ?? 100
            ).text
        }
    }

    private func end(_ report: BisectReport, interruptedBy signal: Int32, _ writer: CaptureWriter?) throws
        -> Never
    {
        let driven = (report.result?.attempts.count ?? 0).counted("login")
        let kept = writer.map { $0.position.entries > 0 ? "; \($0.path) holds them" : "" } ?? ""
        StandardError.note("interrupted after \(driven)\(kept)")
        throw ExitCode(128 + signal)
    }

    private func end(_ report: BisectReport) throws {
        switch report.result?.ending {
        case .found: throw ExitCode(ExitStatus.negative.rawValue)
        case .goodFails:
            if let failure = report.result?.good.flatMap(\.trial.run.unreachable) {
                throw CommandFailure(
                    .unavailable,
                    "the provider was not reached: \(failure)",
                    hint:
                        "--map OLD=NEW or --against ISSUER drives at another one, --upstream-ca FILE trusts its authority"
                )
            }
            throw CommandFailure(
                .dataError,
                "\(report.good.name) does not work now, so nothing can be told from what makes it fail",
                hint: "\(Invocation.command("replay", report.good.capture)) shows where it differs today"
            )
        case .failsOtherwise:
            throw CommandFailure(
                .dataError,
                "the failure of \(report.bad.name) cannot be brought about",
                hint: "\(Invocation.command("replay", report.bad.capture)) shows whether it still fails"
            )
        case .nothingToTry, .allPass, .cancelled, nil: break
        }
    }
}
