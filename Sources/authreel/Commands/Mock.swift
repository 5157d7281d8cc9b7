import ArgumentParser
import Captures
import Foundation
import JSON
import Provider
import Proxy
import Reports
import TLS

/// The provider of a recording, played on this machine; or a built-in one.
struct Mock: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Plays the provider: from a recording, or a built-in one.",
        discussion: """
            The provider of a capture as it showed itself: its paths, metadata, clients, users, token formats, pages and \
            words. It behaves as a provider and not as a tape: it echoes state, binds nonce, checks PKCE and redirect URIs, \
            takes a code once, rotates refresh tokens, and signs afresh with keys of its own. It connects to \
            nobody, but to tell clients on this machine of a logout, or of a user who agreed elsewhere.

            Point the application at the issuer that is printed at the start. Several captures make several issuers \
            on one port. Without a capture it is a provider for development.

            Examples:
              authreel mock login.har
              authreel mock login.har --auto-login
              authreel mock --client my-app:secret --redirect-uri http://localhost:3000/cb
              authreel mock login.har --tls --listen localhost:8443
              authreel mock broken.har --as-recorded --out played.har
              authreel mock --fault id-token-nonce-mismatch
              authreel mock --list-faults
              authreel mock login.har --auto-login --attack-suite --drive 'npm run logins'
            """
    )

    @Argument(
        help: ArgumentHelp("HAR files of any producer; - reads standard input.", valueName: "CAPTURE"),
        completion: .file()
    )
    var captures: [String] = []

    @OptionGroup var options: MockOptions

    @Option(
        name: .shortAndLong,
        help: ArgumentHelp("Write every exchange into this capture.", valueName: "FILE.har"),
        completion: .file()
    )
    var out: String?

    @Flag(name: .shortAndLong, help: "Tell of each exchange, not only of OAuth messages.")
    var verbose = false

    @Option(
        help: ArgumentHelp(
            "text, or json for a line on standard output once it listens; of a suite also junit or markdown.",
            valueName: "FORMAT"
        )
    )
    var format: Format = .text

    @OptionGroup var identities: IdentityOptions
    @OptionGroup var attack: AttackOptions
    @OptionGroup var authority: AuthorityOptions

    enum Format: String, ExpressibleByArgument, CaseIterable {
        case text
        case json
        case junit
        case markdown
    }

    func run() async throws {
        try check()
        if options.listFaults { return listFaults() }
        var recordedOptions = try options.recorded()
        // A suite breaks it in one way after the other.
        if attack.isWanted { recordedOptions.faults = [] }
        let (host, ports) = try options.address()
        let issuerURL = try options.issuerURL()
        let recordings = try captures.map { try identities.read($0) }
        let recorded = options.asRecorded ? RecordedFaults(in: recordings) : RecordedFaults()
        recordedOptions.faults += recorded.faults
        let writer = try out.map { try CaptureOpening.open($0) }
        var hasBegun = false
        defer { if !hasBegun { writer?.takeBack() } }
        // The name in the certificate is the one that clients use.
        let (tls, certificatePath) = try security(of: issuerURL?.host ?? host)
        let signals = Interruption.signals()
        // The address is in every answer, and known only when it is taken.
        let responder = Late<any MockResponder>()
        // Of a name that is another's, a browser refuses the certificate.
        let hosts = tls == nil ? AnsweredHosts([host, issuerURL?.host ?? host]) : nil
        let server = try await Self.listen(host, ports, tls, hosts, responder)
        let listening = URLAuthority.text(host, port: server.port)
        do {
            let played = try Self.provider(
                recordings,
                base: base(at: listening, for: issuerURL),
                options: recordedOptions
            )
            try checkAutoLogin(played)
            warnOfStrangers(to: played, recordedOptions.claims)
            hasBegun = true
            try await NoticeSender.withSender { notices in
                guard attack.isWanted else {
                    responder.set(try session(played, writer, notices))
                    try tell(played, listening, recorded, certificatePath)
                    return await Self.wait(for: signals)
                }
                let session = AttackSession(played, writer: writer, detail: detail, notices: notices)
                responder.set(session)
                try tell(played, listening, recorded, certificatePath)
                try await run(session, played, certificatePath, signals)
            }
        } catch {
            responder.giveUp()
            await server.stop()
            throw told(error)
        }
        await server.stop()
    }

    private func listFaults() {
        print(FaultList.text(of: FaultCatalog.all, format, columns: Terminal.standardOutput.columns))
    }

    /// What it is reached by under a name, and who vouches for that; nil where it speaks no TLS.
    private func security(of name: String) throws -> (context: TLSContext?, certificatePath: String?) {
        guard options.tls else { return (nil, nil) }
        let opened = try authority.open()
        let context = try opened.authority.serverContext(for: name, now: SystemClock.now)
        return (context, opened.files.certificatePath)
    }

    private static func wait(for signals: AsyncStream<Int32>) async {
        for await _ in signals { break }
    }

    /// What is told of while it runs: of a suite less.
    private var detail: TrafficDetail {
        if attack.isWanted { return verbose ? .messages : .outcomes }
        return verbose ? .exchanges : .messages
    }

    /// The address that issuers begin with: as it is asked for, else where the server listens.
    private func base(at listening: String, for issuerURL: RecordedURL?) -> String {
        let scheme = options.tls ? "https" : "http"
        guard let issuerURL else { return "\(scheme)://\(listening)" }
        return "\(issuerURL.scheme ?? scheme)://\(issuerURL.authority ?? listening)"
    }

    /// An error as users are told it.
    private func told(_ error: any Error) -> any Error {
        guard case ProviderError.noProvider = error else { return error }
        return CommandFailure(
            .dataError,
            "\(captures.joined(separator: ", ")): no exchange with a provider is in it",
            hint: "\(Invocation.command("show", captures.first ?? "CAPTURE")) says what is"
        )
    }

    /// What options ask for together, and what they name where nothing would be made of it: a list of faults, a provider without a
    /// capture.
    func check() throws {
        try attack.check(against: self)
        _ = try options.faults()
        try identities.check()
        try CaptureOpening.check(
            out,
            isNoneOf: captures,
            use: "played",
            hint: "what is answered wants a file of its own: --out played.har"
        )
        guard !options.asRecorded || !captures.isEmpty else {
            throw CommandFailure(
                .usage,
                "--as-recorded needs a capture",
                hint: "\(Invocation.name) mock CAPTURE --as-recorded"
            )
        }
    }

    private func session(
        _ played: PlayedProvider,
        _ writer: CaptureWriter?,
        _ notices: NoticeSender
    ) throws -> MockSession {
        MockSession(
            played,
            writer: writer,
            detail: detail,
            delivery: try options.faults().compactMap(\.delivery).last,
            notices: notices
        )
    }

    /// Drives the suite and prints what came of it.
    private func run(
        _ session: AttackSession,
        _ played: PlayedProvider,
        _ authority: String?,
        _ signals: AsyncStream<Int32>
    ) async throws {
        let chosen = try options.faults()
        let suite = AttackSuite(
            session: session,
            issuer: played.issuers[0],
            authority: authority,
            faults: chosen.isEmpty ? FaultCatalog.all : chosen,
            command: attack.drive ?? "",
            timeout: .seconds(attack.timeout)
        )
        let ended = try await suite.run(signals: signals)
        try attack.tell(ended, format)
    }

    private static func listen(
        _ host: String,
        _ ports: [Int],
        _ tls: TLSContext?,
        _ hosts: AnsweredHosts?,
        _ responder: Late<any MockResponder>
    ) async throws -> LocalServer {
        for (index, port) in ports.enumerated() {
            do {
                return try await LocalServer.start(
                    host: host,
                    port: port,
                    tls: tls,
                    delivery: { responder.awaited()?.delivery(of: $0) ?? .whole },
                    // Whoever comes while the keys are made is answered when they are.
                    responder: { request in
                        hosts?.refusal(of: request) ?? responder.awaited()?.answer(request)
                            ?? RecordedResponse(status: 503)
                    }
                )
            } catch let error as ProxyError {
                guard case .addressInUse = error, index + 1 < ports.count else { throw CommandFailure(error) }
            }
        }
        throw CommandFailure(.unavailable, "no port is free", hint: "--listen 127.0.0.1:0 picks one")
    }

    private static func provider(_ captures: [Capture], base: String, options: RecordedProviderOptions) throws
        -> PlayedProvider
    {
        captures.isEmpty
            ? try PlayedProvider(builtInAt: base, options: options)
            : try PlayedProvider(captures: captures, base: base, options: options)
    }

    /// A capture that stands behind the option would be taken for the name.
    private func checkAutoLogin(_ played: PlayedProvider) throws {
        guard let name = options.autoLogin, !name.isEmpty else { return }
        let users = played.issuers.flatMap(\.users)
        guard !users.contains(where: { $0.name == name || $0.subject == name }) else { return }
        let isFile = captures.isEmpty && FileManager.default.fileExists(atPath: name)
        throw CommandFailure(
            .usage,
            "there is no user \(name): \(users.map(\.name).joined(separator: ", ")) can sign in",
            hint: isFile
                ? "a capture stands before the option: \(Invocation.command("mock", name, "--auto-login"))"
                : "\(Invocation.name) mock CAPTURE --auto-login signs in whoever the capture shows; --user adds somebody"
        )
    }

    /// A claim of somebody who is not there would be everybody's, and nobody would notice.
    private func warnOfStrangers(to played: PlayedProvider, _ claims: [RecordedProviderOptions.Claim]) {
        let users = played.issuers.flatMap(\.users)
        for claim in claims {
            guard let name = claim.stranger(to: users) else { continue }
            StandardError.warn(
                "--claim \(claim.key): there is no user \(name), and everybody has a claim of that whole name"
            )
        }
    }

    private func tell(
        _ played: PlayedProvider,
        _ listening: String,
        _ recorded: RecordedFaults,
        _ certificate: String?
    ) throws {
        let faults = try attack.isWanted ? [] : options.faults()
        let text = PlayedProviderText(
            played: played,
            listening: listening,
            certificate: certificate,
            faults: faults,
            recorded: recorded
        )
        text.tell()
        // Unbuffered: whoever waits for the line waits on a pipe.
        if format == .json, !attack.isWanted {
            try OutputFile.write(JSONWriter.bytes(of: text.json) + [0x0a], to: "-")
        }
    }
}
