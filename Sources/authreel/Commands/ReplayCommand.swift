import ArgumentParser
import Captures
import Diagnosis
import Flows
import Foundation
import Replay

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

    @Argument(help: ArgumentHelp("HAR files of any producer.", valueName: "CAPTURE"), completion: .file())
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
    @Option(
        name: .shortAndLong,
        help: ArgumentHelp("Write the new runs as a capture.", valueName: "FILE.har"),
        completion: .file()
    )
    var out: String?
    @Option(
        help: ArgumentHelp("text, json, junit (test runners) or markdown (tickets).", valueName: "FORMAT")
    )
    var format: Format = .text
    @Option(
        help: ArgumentHelp("Also write the result for test runners to a file.", valueName: "FILE.xml"),
        completion: .file()
    )
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
    @Flag(name: .shortAndLong, help: "A line per request on standard error.")
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
        try ComparisonArguments.check(ignoring: ignore, comparing: compare)
        try checkFiles()
        let jobs = try planned(planOptions)
        try ReplayCheck.options(
            of: jobs.map(\.plan),
            map: replay.map(),
            overrides: planOptions.overrides.keys.sorted(),
            secrets: credentials.names,
            isEntered: {
                (replay.driving.against != nil || browsing.isWanted)
                    && SecretNames.isEntered($0, byBrowser: browsing.isWanted)
            }
        )
        try await HTTPSender.withSender(try senderConfiguration()) { sender in
            try await run(jobs, credentials, planOptions, sender)
        }
    }

    private func checkFiles() throws {
        if let junit { try OutputFile.check(junit, option: "--junit FILE.xml") }
        try CaptureOpening.check(
            out,
            isNoneOf: captures,
            use: "replayed",
            hint: "the new run wants a file of its own: --out again.har"
        )
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
        var comparison = ComparisonOptions(ignoring: ignore, comparing: compare)
        comparison.given = GivenValues(parameters: planOptions.overrides, secrets: credentials.values)
        let progress = ReplayProgress(jobs: jobs.count * `repeat`, isVerbose: verbose)
        let session = ReplaySession(
            sender: sender,
            target: try await ReplayTarget(try replay.map(), against: replay.driving.against, sender),
            credentials: credentials,
            planOptions: planOptions,
            longestWait: .seconds(replay.driving.longestWait),
            comparison: comparison,
            rules: RuleCatalog.rules,
            browsers: try plan || dryRun ? nil : browsing.configuration(upstream),
            tell: { job, event in progress.tell(event, of: job) }
        )
        let jobs = jobs.map { $0.adapted(to: session.target.map(for: $0.plan.flow)) }
        if plan || dryRun {
            try printPlans(jobs, session, credentials.names)
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
}
