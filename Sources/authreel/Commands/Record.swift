import ArgumentParser
import Captures
import Foundation
import Proxy

/// The intercepting proxy, with the browser and the command whose login is to be recorded.
struct Record: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Records a login through an intercepting proxy into a HAR file.",
        discussion: """
            --browser starts a browser with a throw-away profile, -- COMMAND a program with the proxy and certificate \
            variables of every common runtime: both trust the recorder for this run, and nothing else on this machine \
            does. What breaks a login is told while the recording goes on.

            It ends with the command and its exit status, without one when the browser is closed, or at Ctrl-C. What a \
            client saw complete is in the file, whatever happens to the recorder. When the file cannot be written (a full \
            disk) traffic goes on, and the exit status is 1 if exchanges are missing from it at the end, unless a command \
            ended with another.

            Examples:
              authreel record --browser https://app.example/
              authreel record --browser http://localhost:3000/ -- npm start
              authreel record --view --browser https://app.example/     watch it in your browser meanwhile
              authreel record --out login.har -- python3 app.py
              authreel record -- curl -L https://app.example/login
              authreel record --upstream-ca test-ca.pem --only "*.example"
              authreel record --ca-scope idp.example --ca-scope 127.0.0.1 -- ./app
              authreel record --client-cert idp.example=client.pem
              authreel record --listen 127.0.0.1:9090
              authreel record --reverse https://idp.example=127.0.0.1:9443
              authreel record --allow-remote --listen 0.0.0.0:8080 --proxy-auth prompt
              authreel record --interface any --filter "port 443" --keylog keys.log
              authreel record --interface any -- python3 app.py
              authreel record --upstream-proxy http://proxy.example:3128 --browser https://app.example/
            """
    )

    @Option(
        defaultAsFlag: Self.ownPage,
        help: ArgumentHelp(
            "Start a browser that is recorded, on this page.",
            discussion: "Chromium, Chrome, Edge, Brave or Firefox, whichever is found first.",
            valueName: "URL"
        )
    )
    var browser: String?

    @Option(
        name: .customLong("browser-program"),
        help: ArgumentHelp(
            "Which browser: chromium, chrome, edge, brave, firefox, or a path.",
            valueName: "NAME"
        )
    )
    var browserProgram: String?

    @Flag(help: "Start the browser without a window.")
    var headless = false

    @Option(
        name: .shortAndLong,
        help: ArgumentHelp(
            "The capture. One of authreel is appended to; any other file is refused.",
            discussion: "Without it a dated file in the current folder.",
            valueName: "FILE.har"
        )
    )
    var out: String?

    @Flag(help: "Show the login in your own browser while it is recorded.")
    var view = false

    @Flag(name: .shortAndLong, help: "Tell of each exchange, not only of OAuth messages and findings.")
    var verbose = false

    @OptionGroup var packets: InterfaceOptions
    @OptionGroup var proxy: ProxyOptions
    @OptionGroup var authority: AuthorityOptions
    @OptionGroup var scope: ScopeOptions

    @Argument(
        parsing: .postTerminator,
        help: ArgumentHelp(
            "After --: a program to run with its HTTP recorded; its output passes untouched.",
            valueName: "COMMAND"
        )
    )
    var command: [String] = []

    /// What a browser opens when no page is named: it says whether it is intercepted.
    static let ownPage = "https://authreel.proxy/"

    func validate() throws {
        guard out != "-" else { throw ValidationError(OutputFile.growing) }
    }

    func run() async throws {
        if let interface = packets.interface { return try await recordPackets(of: interface) }
        guard packets.filter == nil else {
            throw CommandFailure(
                .usage,
                "--filter is about the packets of an interface, and none is named",
                hint: "authreel record --interface any --filter \"\(packets.filter ?? "")\""
            )
        }
        // What cannot be started is told of before anything is made.
        let environment = ProcessInfo.processInfo.environment
        let searchPath = environment["PATH"] ?? "/usr/local/bin:/usr/bin:/bin"
        var configuration = try proxy.configuration()
        let scope = try scope.scope(for: proxy)
        let command = try command.isEmpty ? nil : CommandLauncher(command, searchPath: searchPath)
        let browser = try launcher(environment, searchPath)
        let firstPage = try Self.page(self.browser ?? Self.ownPage)
        let path = out ?? Self.datedName(SystemClock.now)
        let trust = try RecordingAuthority(scope: scope, lasting: authority)
        defer { trust.end() }
        configuration.limits.connections = DescriptorLimit.raise(for: configuration.limits.connections)
        HeapSettings.setForRecording()
        // A file that may not grow is told of like a full disk, and does not end us.
        signal(SIGXFSZ, SIG_IGN)
        let writer = try CaptureOpening.open(path)
        if writer.mending.bytesRemoved > 0 {
            StandardError.warn(
                "\(path): its end was torn; \(writer.mending.bytesRemoved) bytes behind entry \(writer.mending.entries) were cut off"
            )
        }
        let halves = Halves()
        let notices = NoticeTeller(
            repeats: verbose,
            certificatePath: scope == nil ? nil : trust.certificatePath
        )
        let page = try await view ? LivePage.start(path) : nil
        if let page { configuration.ownPorts.append(page.port) }
        let view = LiveView(
            writer: writer,
            looksAtAll: page != nil,
            detail: detail,
            half: halves.half,
            observe: { page?.show($0, unsettled: $1) }
        )
        // Those that this process starts have no way to be told a password, or are told it by us.
        if configuration.proxyCredentials != nil {
            configuration.vouchesFor = { ProcessTree.ancestors(of: $0).contains(getpid()) }
        }
        configuration.acceptsCertificates = halves.isBrowser
        let recording = try Recording(
            to: writer,
            configuration: configuration,
            authority: trust.authority,
            recorded: view.recorded,
            told: { news in
                CaptureTeller.tell(news)
                switch news {
                case .copied(_, _, let path): view.moved(to: path, beginsAnew: false)
                case .begunAnew(_, let path, _): view.moved(to: path, beginsAnew: true)
                case .stuck, .stalls, .cameBack, .losing, .goesOn, .adrift: break
                }
            },
            notify: { notice in
                notices.tell(notice)
                switch notice {
                case .clientRejectedCertificate(let host, let client, _, _):
                    view.distrusted(by: client, host: host)
                case .clientIsIntercepted(let client): view.intercepted(client)
                default: break
                }
            }
        )
        view.follow { recording.position }
        // Before anybody is told the address: who stops us then, stops us cleanly.
        let signals = Interruption.signals()
        let address = try await recording.start()
        StandardError.note(
            "recording into \(path)"
                + (writer.mending.entries > 0
                    ? " behind its \(CaptureTeller.count(writer.mending.entries))" : "")
        )
        if proxy.listen == nil, address.port != ProxyOptions.defaultPort {
            StandardError.note("port \(ProxyOptions.defaultPort) is taken: listening on the next free one")
        }
        trust.announce(startsClients: command != nil || browser != nil)
        if proxy.allowRemote { Self.tellOfNetwork(recording, configuration) }
        if configuration.proxyCredentials != nil {
            StandardError.note("clients have to give the user name and password of --proxy-auth")
        }
        if let upstream = configuration.upstreamProxy {
            StandardError.note("providers are reached by way of \(upstream)")
        }
        for (origin, address) in recording.played {
            StandardError.note("\(origin.url) is played at \(origin.scheme.rawValue)://\(address)")
        }
        try page?.open(environment)
        StandardError.line("listening on \(address)")
        let session = RecordingSession(
            recording: recording,
            address: address.onThisMachine,
            credentials: configuration.proxyCredentials,
            certificatePath: trust.certificatePath,
            command: command,
            browser: browser,
            page: firstPage,
            view: view,
            halves: halves,
            environment: environment
        )
        let tidying = Task {
            // The first client is often there within the second, and needs less than the start did.
            StartupPages.unmap()
            try await Task.sleep(for: .seconds(1))
            StartupPages.unmap()
        }
        defer { tidying.cancel() }
        let status: Int32
        do {
            status = try await session.run(signals: signals)
        } catch {
            await recording.stop()
            await page?.end()
            throw error
        }
        await recording.stop()
        let summary = view.finish()
        await page?.end()
        Self.sayGoodbye(recording, summary, hasSeenClients: view.hasSeenClients)
        // A command that failed has the first word.
        if status != 0 { throw ExitCode(status) }
        if recording.missing != nil { throw ExitCode(ExitStatus.negative.rawValue) }
    }

    private func recordPackets(of interface: String) async throws {
        guard browser == nil, proxy.listen == nil, proxy.reverse.isEmpty, !view else {
            throw CommandFailure(
                .usage,
                "--interface records what passes by: --browser, --listen, --reverse and --view are for the proxy",
                hint:
                    "a program whose packets are recorded stands behind --: \(Invocation.name) record "
                    + "--interface \(interface) -- chromium"
            )
        }
        let searchPath = ProcessInfo.processInfo.environment["PATH"] ?? "/usr/local/bin:/usr/bin:/bin"
        try await PassiveRecording(
            interface: interface,
            filter: packets.filter,
            keyLog: proxy.keylog,
            path: out ?? Self.datedName(SystemClock.now),
            maximumBodyBytes: try proxy.limits.bodyBytes(),
            detail: detail,
            command: try command.isEmpty ? nil : CommandLauncher(command, searchPath: searchPath)
        ).run()
    }

    private var detail: LiveView.Detail {
        if verbose { return .exchanges }
        return isatty(STDERR_FILENO) == 1 ? .messages : .findings
    }

    private func launcher(_ environment: [String: String], _ searchPath: String) throws -> BrowserLauncher? {
        guard browser != nil else {
            guard browserProgram == nil, !headless else {
                throw CommandFailure(
                    .usage,
                    "--browser-program and --headless are about --browser, which is not given",
                    hint: "authreel record --browser https://app.example/"
                )
            }
            return nil
        }
        return try BrowserLauncher(
            program: BrowserProgram.find(browserProgram, searchPath: searchPath),
            isHeadless: headless,
            environment: environment
        )
    }

    /// The page's address, made whole as a browser does it: http for this machine, https elsewhere.
    static func page(_ text: String) throws -> String {
        let hasScheme = text.contains("://")
        let whole =
            hasScheme
            ? text : (LoopbackHost.isLoopback(host(of: text).lowercased()) ? "http://" : "https://") + text
        guard let url = URL(string: whole), let scheme = url.scheme?.lowercased(),
            ["http", "https"].contains(scheme),
            url.host()?.isEmpty == false
        else {
            throw CommandFailure(
                .usage,
                "--browser takes the address of a page, not \(text)",
                hint: "authreel record --browser https://app.example/"
            )
        }
        return whole
    }

    private static func host(of address: String) -> String {
        let authority = address.prefix { !"/?#".contains($0) }
        if authority.hasPrefix("["), let end = authority.firstIndex(of: "]") {
            return String(authority[...end])
        }
        return String(authority.prefix { $0 != ":" })
    }

    /// What it means to listen on the network, and where a phone finds the recorder.
    private static func tellOfNetwork(_ recording: Recording, _ configuration: ProxyConfiguration) {
        let played = ProxyOptions.remote(configuration)
        if !played.isEmpty {
            let origins = played.map(\.url).joined(separator: " and ")
            StandardError.warn(
                "anyone on the network can use \(origins) through this computer, and is recorded"
            )
        }
        guard !LoopbackHost.isLoopback(configuration.host) else {
            guard played.isEmpty else { return }
            StandardError.warn(
                "--allow-remote changes nothing while it listens on \(configuration.host): add --listen 0.0.0.0:\(configuration.port)"
            )
            return
        }
        let localhost =
            configuration.allowsRemoteLoopback ? ", also to reach what listens on this computer alone" : ""
        if configuration.proxyCredentials == nil {
            StandardError.warn(
                "anyone on the network can use this proxy\(localhost): it asks for no password; what they send is recorded"
            )
            StandardError.note(
                "to ask for one: \(Invocation.name) record --allow-remote --proxy-auth prompt …"
            )
        } else if configuration.allowsRemoteLoopback {
            StandardError.warn("whoever knows the password of --proxy-auth can use this proxy\(localhost)")
        }
        let urls = recording.networkURLs
        if urls.isEmpty { StandardError.warn("this computer has no address on a network") }
        for url in urls { StandardError.note("on a phone open \(url)") }
    }

    private static func sayGoodbye(_ recording: Recording, _ summary: [String], hasSeenClients: Bool) {
        let (path, missing) = (recording.path, recording.missing)
        let (came, failures) = recording.count
        let exchanges = max(0, came - (missing?.count ?? 0))
        StandardError.note(
            "\(path): \(CaptureTeller.count(exchanges)) recorded"
                + (failures > 0 ? ", \(failures) without an answer" : "")
        )
        for line in summary { StandardError.line(line) }
        if exchanges > 0 {
            let commands = ["show", "diagnose"].map { Invocation.command($0, path) }
            StandardError.note("next: \(commands.joined(separator: ", "))")
        } else if came == 0 {
            StandardError.note(
                hasSeenClients
                    ? "nothing came through but the recorder's own page: no login was begun"
                    : "nothing came through: does the client use the proxy, also for localhost?"
            )
        }
        if let missing { CaptureTeller.tellOfMissing(missing, in: path) }
    }

    /// `authreel-2026-11-21-034501.har`, in UTC.
    static func datedName(_ time: Timestamp) -> String {
        let text = time.rfc3339
        let clock = text.dropFirst(11).prefix(8).filter { $0 != ":" }
        return "authreel-\(text.prefix(10))-\(clock).har"
    }
}
