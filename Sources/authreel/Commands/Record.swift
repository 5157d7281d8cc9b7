import ArgumentParser
import Captures
import Foundation

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
              # watch it in your browser meanwhile
              authreel record --view --browser https://app.example/
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
              authreel record --upstream-proxy http://proxy.example:3128 -- npm start
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
            discussion: "Without it a dated file in the current folder, if anything is recorded.",
            valueName: "FILE.har"
        ),
        completion: .file()
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
        if let out, let keylog = proxy.keylog, OutputFile.isOne(out, keylog) {
            throw ValidationError(
                "--keylog \(keylog) is where the capture goes: keys want a file of their own"
            )
        }
    }

    func run() async throws {
        // What the libraries and the arguments needed: on top of it the start would be the most that a recorder ever holds.
        CodePages.unmap()
        if let interface = packets.interface { return try await recordPackets(of: interface) }
        guard packets.filter == nil else {
            throw CommandFailure(
                .usage,
                "--filter is about the packets of an interface, and none is named",
                hint: Invocation.command("record", "--interface", "any", "--filter", packets.filter ?? "")
            )
        }
        // What cannot be started is told of before anything is made.
        let environment = ProcessInfo.processInfo.environment
        let searchPath = ProgramPath.searchPath(environment)
        let configuration = try proxy.configuration()
        let scope = try scope.scope(for: proxy)
        let command = try command.isEmpty ? nil : CommandLauncher(command, searchPath: searchPath)
        let firstPage = try Self.page(self.browser ?? Self.ownPage)
        let browser = try launcher(environment, searchPath)
        let trust = try RecordingAuthority(scope: scope, lasting: authority)
        defer { trust.end() }
        try await InterceptedRecording(
            configuration: configuration,
            trust: trust,
            path: out,
            command: command,
            browser: browser,
            firstPage: firstPage,
            environment: environment,
            detail: detail,
            isShown: view,
            repeatsNotices: verbose,
            isPortGiven: proxy.listen != nil,
            allowsRemote: proxy.allowRemote
        ).run()
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
        let searchPath = ProgramPath.searchPath(ProcessInfo.processInfo.environment)
        try await PassiveRecording(
            interface: interface,
            filter: packets.filter,
            keyLog: proxy.keylog,
            path: out,
            maximumBodyBytes: try proxy.limits.bodyBytes(),
            detail: detail,
            command: try command.isEmpty ? nil : CommandLauncher(command, searchPath: searchPath)
        ).run()
    }

    private var detail: TrafficDetail {
        if verbose { return .exchanges }
        return isatty(STDERR_FILENO) == 1 ? .messages : .outcomes
    }

    private func launcher(_ environment: [String: String], _ searchPath: String) throws -> BrowserLauncher? {
        guard browser != nil else {
            guard browserProgram == nil, !headless else {
                throw CommandFailure(
                    .usage,
                    "--browser-program and --headless are about --browser, which is not given",
                    hint: Invocation.command("record", "--browser", "https://app.example/")
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
            throw CommandFailure.unfit(
                text,
                for: "--browser",
                taking: "the address of a page",
                hint: Invocation.command("record", "--browser", "https://app.example/")
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
}
