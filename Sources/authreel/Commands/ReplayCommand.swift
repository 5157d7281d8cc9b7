import ArgumentParser
import Captures
import Diagnosis
import Flows
import Foundation
import Replay
import Reports

/// Drives recorded flows again, with fresh values, and compares.
struct ReplayCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "replay",
        abstract: "Drives a recorded login again, with fresh values, and compares it step by step.",
        discussion: """
            What the client made up for the recorded login (state, nonce, PKCE, signed assertions) is made anew, what \
            the provider issued (code, tokens, cookies, hidden fields) is taken from its new answers. Only the \
            provider is contacted; the redirect to the app is caught. Exit status 1 when a replay differs from its \
            recording; a recorded failure that fails again in the same way is the same.

            Examples:
              authreel replay login.har                  # at the recorded provider
              # what would be sent, and where each value comes from
              authreel replay --plan login.har
              authreel replay --against https://sso.test.example/realms/a login.har
              authreel replay --secret password=env:PASSWORD --out again.har login.har
              authreel replay --set redirect_uri=https://app.example/cb login.har
              authreel replay --junit replays.xml captures/*.har
              authreel replay --find-fix --out proof.har broken.har
              authreel replay --browser login.har        # pages that need their scripts
              authreel replay --interactive login.har    # sign in by hand, in a window
            """
    )

    enum Format: String, ExpressibleByArgument, CaseIterable {
        case text
        case json
        case junit
        case markdown
    }

    @Argument(help: ArgumentHelp("HAR files of any producer.", valueName: "CAPTURE"))
    var captures: [String]
    @Option(
        help: ArgumentHelp("Replay this flow only, and those whose session it goes on with.", valueName: "ID")
    )
    var flow: String?
    @Flag(help: "Print what would be sent, in order, with where each value comes from; send nothing.")
    var plan = false
    @Flag(
        name: .customLong("dry-run"),
        help: "The same, and exit status 64 when a secret is missing: what --plan shows could be sent."
    )
    var dryRun = false
    @Flag(
        name: .customLong("find-fix"),
        help: "Drive a failing login with one change after the other until it works; print the change."
    )
    var findFix = false
    @OptionGroup var identities: IdentityOptions
    @OptionGroup var browsing: ReplayBrowserOptions
    @OptionGroup var replay: ReplayOptions
    @OptionGroup var upstream: UpstreamTrustOptions
    @Option(
        help: ArgumentHelp(
            "Send everything through this HTTP proxy, a recorder for example.",
            valueName: "HOST:PORT"
        )
    )
    var proxy: String?
    @Option(help: ArgumentHelp("Write the new runs as a capture.", valueName: "FILE.har"))
    var out: String?
    @Option(help: "text, json, junit (test runners) or markdown (tickets).")
    var format: Format = .text
    @Option(help: ArgumentHelp("Also write the result for test runners to a file.", valueName: "FILE.xml"))
    var junit: String?
    @Flag(help: "Also show the steps that are the same, and what is only worth knowing.")
    var all = false
    @Option(help: ArgumentHelp("Replay so many times in a row.", valueName: "COUNT"))
    var `repeat` = 1
    @Option(
        name: .customLong("jobs"),
        help: ArgumentHelp(
            "Flows under way at the same time; those of one session stay in order.",
            valueName: "COUNT"
        )
    )
    var width = 4
    @Option(
        parsing: .singleValue,
        help: ArgumentHelp("Never compare this value. Repeatable.", valueName: "NAME")
    )
    var ignore: [String] = []
    @Option(
        parsing: .singleValue,
        help: ArgumentHelp(
            "Compare this value although it is made anew in each run. Repeatable.",
            valueName: "NAME"
        )
    )
    var compare: [String] = []
    @Flag(name: .shortAndLong, help: "Send requests that change something beyond the login without asking.")
    var yes = false
    @Flag(name: .shortAndLong, help: "A line per request on stderr.")
    var verbose = false

    func validate() throws {
        guard `repeat` >= 1 else { throw ValidationError("--repeat takes a number from 1 on") }
        guard width >= 1 else { throw ValidationError("--jobs takes a number from 1 on") }
        guard !findFix || junit == nil && [.text, .json].contains(format) else {
            throw ValidationError("--find-fix compares nothing, and prints text or json")
        }
        if plan, let option = out != nil ? "--out" : junit != nil ? "--junit" : nil {
            throw ValidationError(
                "--plan sends nothing that \(option) could hold: leave one of the two out, or try the whole command with --dry-run"
            )
        }
        guard !plan || [.text, .json].contains(format) else {
            throw ValidationError("--plan compares nothing, and prints text or json")
        }
        guard browsing.isWanted else { return }
        guard !findFix else {
            throw ValidationError("--find-fix tries many logins and drives no browser: leave --browser out")
        }
        guard proxy == nil else {
            throw ValidationError("a browser's part cannot go through --proxy: leave one of the two out")
        }
    }

    func run() async throws {
        let credentials = try replay.driving.credentials()
        let planOptions = try replay.planOptions()
        try checkFiles()
        let jobs = try planned(planOptions)
        try ReplayCheck.options(
            of: jobs.map(\.plan),
            map: replay.map(),
            overrides: planOptions.overrides.keys.sorted(),
            secrets: credentials.names
        )
        try await HTTPSender.withSender(try senderConfiguration()) { sender in
            try await run(jobs, credentials, planOptions, sender)
        }
    }

    private func checkFiles() throws {
        if let junit { try OutputFile.check(junit, option: "--junit FILE.xml") }
        try OutputFile.check(
            out,
            isNoneOf: captures,
            use: "replayed",
            hint: "the new run wants a file of its own: --out again.har"
        )
        if dryRun, let out, !FileManager.default.fileExists(atPath: out) {
            try OutputFile.check(out, option: "--out again.har")
        }
    }

    private func senderConfiguration() throws -> HTTPSender.Configuration {
        HTTPSender.Configuration(
            proxy: try proxy.map {
                let address = try HostAndPort(
                    $0,
                    ports: 1...65535,
                    option: "--proxy",
                    example: "--proxy 127.0.0.1:8080"
                )
                return (address.host, address.port)
            },
            tls: try upstream.context(),
            clientCertificate: try upstream.clientCertificate.certificates("replay").certificate,
            timeout: .seconds(30),
            clock: { SystemClock.now }
        )
    }

    private func run(
        _ jobs: [ReplayJob],
        _ credentials: ReplayCredentials,
        _ planOptions: PlanOptions,
        _ sender: HTTPSender
    ) async throws {
        let progress = ReplayProgress(jobs: jobs.count * `repeat`, isVerbose: verbose)
        let session = ReplaySession(
            sender: sender,
            target: try await ReplayTarget(try replay.map(), against: replay.driving.against, sender),
            credentials: credentials,
            planOptions: planOptions,
            longestWait: .seconds(replay.driving.longestWait),
            comparison: ComparisonOptions(ignoring: ignore, comparing: compare),
            rules: RuleCatalog.rules,
            browsers: try plan || dryRun ? nil : browsing.configuration(upstream),
            tell: { job, event in progress.tell(event, of: job) }
        )
        let jobs = jobs.map { $0.adapted(to: session.target) }
        if plan || dryRun {
            printPlans(jobs.map { ($0.plan, session.target.map(for: $0.plan.flow)) }, credentials.names)
            if dryRun { try checkSecrets(of: jobs, given: credentials) }
            return
        }
        try checkSecrets(of: jobs, given: credentials)
        ReplayCheck.bodies(of: jobs.map { ($0.name, $0.plan) })
        try ReplayCheck.sideEffects(
            of: jobs.map { ($0.name, $0.plan) },
            at: session.target,
            isAllowed: yes
        )
        session.tellTargets(of: jobs.map(\.plan))
        let writer = try out.map { try CaptureOpening.open($0) }
        if session.browsers != nil { warnOfLoginsWithoutBrowser(in: jobs) }
        // Where nothing was driven, or no fix was found, there is no such file.
        defer { writer?.takeBack() }
        if findFix {
            try await searchFix(jobs, session, progress, writer)
        } else {
            try await compare(jobs, session, progress, writer)
        }
    }

    private func checkSecrets(of jobs: [ReplayJob], given credentials: ReplayCredentials) throws {
        try ReplayCheck.secrets(
            of: jobs.map { ($0.name, $0.plan) },
            given: credentials.names,
            hasPerson: browsing.interactive
        )
    }

    private func warnOfLoginsWithoutBrowser(in jobs: [ReplayJob]) {
        for job in jobs {
            for exchange in job.plan.loginsWithoutBrowser {
                StandardError.warn(
                    "\(job.name): the login at exchange \(exchange) begins at the app or with a POST, and is driven without the browser"
                )
            }
        }
    }

    /// Drives all as often as is wanted, and compares each with its recording.
    private func compare(
        _ jobs: [ReplayJob],
        _ session: ReplaySession,
        _ progress: ReplayProgress,
        _ writer: CaptureWriter?
    ) async throws {
        let (reports, signal) = try await EndableReplay.run { [self] in
            var reports: [ReplayReport] = []
            for _ in 0..<`repeat` where !Task.isCancelled {
                let round = try await session.run(jobs, width: browsing.width(width)) { _, report in
                    progress.done(report)
                }
                for report in round { try writer?.append(report.run.exchanges) }
                reports += round
            }
            return reports
        }
        progress.clear()
        guard let signal else { return try tell(reports) }
        if !reports.isEmpty { print(text(of: reports)) }
        let count = reports.reduce(0) { $0 + $1.run.exchanges.count }
        let driven = count.counted("request")
        StandardError.note(
            "interrupted after \(driven)\(count == 0 ? "" : out.map { "; \($0) holds them" } ?? "")"
        )
        throw ExitCode(128 + signal)
    }

    private func searchFix(
        _ jobs: [ReplayJob],
        _ session: ReplaySession,
        _ progress: ReplayProgress,
        _ writer: CaptureWriter?
    ) async throws {
        let (reports, signal) = try await EndableReplay.run {
            await FixFinding(session: session, progress: progress).search(jobs)
        }
        progress.clear()
        guard signal != nil || !reports.isEmpty else {
            throw CommandFailure(
                .dataError,
                "no flow of \(captures.joined(separator: ", ")) fails: there is nothing to mend",
                hint: "\(Invocation.command("replay", captures[0])) drives it again"
            )
        }
        // The proof is the login that works.
        let fixes = reports.compactMap(\.search.fix)
        for fix in fixes { try writer?.append(fix.run.exchanges) }
        let style = Style.forDescriptor(STDOUT_FILENO)
        if format == .json {
            print(FixJSON.text(of: reports))
        } else if !reports.isEmpty {
            print(reports.map { FixText.text(of: $0, style: style) }.joined(separator: "\n\n"))
        }
        if let signal {
            let tried = reports.reduce(0) { $0 + $1.search.attempts.count }
            let changes = tried.counted("change")
            let kept = fixes.isEmpty ? "" : out.map { "; \($0) holds what works" } ?? ""
            StandardError.note("interrupted after \(changes)\(kept)")
            throw ExitCode(128 + signal)
        }
        let runs = reports.flatMap(\.search.runs)
        if let failure = runs.first?.unreachable, runs.allSatisfy({ $0.unreachable != nil }) {
            throw CommandFailure(
                .unavailable,
                "the provider was not reached: \(failure)",
                hint: Self.elsewhere
            )
        }
        if fixes.count < reports.count { throw ExitCode(ExitStatus.negative.rawValue) }
    }

    // MARK: - What is replayed

    private func planned(_ options: PlanOptions) throws -> [ReplayJob] {
        var jobs: [ReplayJob] = []
        var count = 0
        for name in captures {
            let capture = try identities.read(name)
            let flows = FlowFinder.flows(in: capture)
            let own = ReplayJob.jobs(of: flows, in: name, only: flow, from: count, options: options)
            guard !own.isEmpty else {
                let ids = flows.map(\.id).joined(separator: ", ")
                if let flow, !flows.isEmpty, !flows.contains(where: { $0.id == flow }) {
                    throw CommandFailure(.usage, "there is no flow \(flow) in \(name)", hint: "it has \(ids)")
                }
                throw CommandFailure(
                    .dataError,
                    flow.map { "\(name) has no flow \($0) that can be replayed" }
                        ?? "\(name): there is nothing in it that can be replayed",
                    hint: ids.isEmpty
                        ? "\(Invocation.command("show", name)) tells what was recorded" : "its flows: \(ids)"
                )
            }
            // That a provider publishes the same says nothing of a login.
            guard own.contains(where: \.holdsMoreThanDocuments) else {
                let rest = capture.losses.isEmpty ? "in" : "left of"
                throw CommandFailure(
                    .dataError,
                    "\(name): nothing but metadata is \(rest) it, and no login to replay",
                    hint: "\(Invocation.command("show", name)) tells what was recorded"
                )
            }
            jobs += own
            count = (jobs.last?.number ?? count) + 1
        }
        return jobs
    }

    // MARK: - What is told

    private func printPlans(_ plans: [(plan: ReplayPlan, map: EndpointMap)], _ given: Set<String>) {
        guard format != .json else {
            return print(PlanJSON.text(of: plans, given: given))
        }
        let style = Style.forDescriptor(STDOUT_FILENO)
        print(
            plans.map { PlanText.text(of: $0.plan, map: $0.map, given: given, style: style) }
                .joined(separator: "\n\n")
        )
    }

    private func text(of reports: [ReplayReport]) -> String {
        switch format {
        case .text: plainText(of: reports)
        case .json: ReplayJSON.text(of: reports)
        case .junit: ReplayJUnit.text(of: reports)
        case .markdown: ReplayMarkdown.text(of: reports, showsAll: all)
        }
    }

    private func tell(_ reports: [ReplayReport]) throws {
        print(text(of: reports))
        // Behind the verdict, which is there even if the disk is full.
        if let junit { try OutputFile.write(Array((ReplayJUnit.text(of: reports) + "\n").utf8), to: junit) }
        if reports.count == 1, let report = reports.first, let failure = report.unreachable {
            throw CommandFailure(
                .unavailable,
                "the provider was not reached: \(failure)",
                hint: Self.elsewhere
            )
        }
        if !reports.allSatisfy(\.isSame) { throw ExitCode(ExitStatus.negative.rawValue) }
    }

    private static let elsewhere =
        "--against ISSUER replays at another one, --upstream-ca FILE trusts its authority"

    private func plainText(of reports: [ReplayReport]) -> String {
        let style = Style.forDescriptor(STDOUT_FILENO)
        let columns = TerminalSize.columns(of: STDOUT_FILENO) ?? 100
        let texts = reports.map { ReplayText($0, showsAll: all, style: style, columns: columns) }
        guard reports.count > 3 else { return texts.map(\.text).joined(separator: "\n\n") }
        // A suite: those that differ in full, the others in a line each.
        let failing = reports.count { !$0.isSame }
        let verdict =
            failing == 0
            ? style.green("\(reports.count) replayed, all the same")
            : style.red("\(reports.count) replayed, \(failing) differ")
        let details = zip(reports, texts).filter { all || !$0.0.isSame }.map(\.1.text)
        return ([texts.map(\.line).joined(separator: "\n")] + details + [verdict]).joined(separator: "\n\n")
    }
}
