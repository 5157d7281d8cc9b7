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
            takes a code once, rotates refresh tokens, and signs afresh with keys of its own. It connects to nobody.

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

    @Argument(help: ArgumentHelp("HAR files of any producer; - reads standard input.", valueName: "CAPTURE"))
    var captures: [String] = []

    @OptionGroup var options: MockOptions

    @Option(
        name: .shortAndLong,
        help: ArgumentHelp("Write every exchange into this capture.", valueName: "FILE.har")
    )
    var out: String?

    @Flag(name: .shortAndLong, help: "Tell of each exchange, not only of OAuth messages.")
    var verbose = false

    @Option(
        help:
            "text, or json for a line on standard output once it listens; of a suite also junit or markdown."
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

    func validate() throws {
        guard out != "-" else { throw ValidationError(OutputFile.growing) }
    }

    func run() async throws {
        try attack.check(against: self)
        if options.listFaults { return print(Self.list(FaultCatalog.all, format)) }
        var recordedOptions = try options.recorded()
        // A suite breaks it in one way after the other.
        if attack.isWanted { recordedOptions.faults = [] }
        let (host, ports) = try options.address()
        let issuerURL = try options.issuerURL()
        guard !options.asRecorded || !captures.isEmpty else {
            throw CommandFailure(
                .usage,
                "--as-recorded needs a capture",
                hint: "\(Invocation.name) mock CAPTURE --as-recorded"
            )
        }
        let recordings = try captures.map { try identities.read($0) }
        let writer = try out.map { try CaptureOpening.open($0) }
        var hasBegun = false
        defer { if !hasBegun { writer?.takeBack() } }
        // The name in the certificate is the one that clients use.
        let name = issuerURL?.host ?? host
        let files = try options.tls ? authority.open() : nil
        let tls = try files?.authority.serverContext(for: name, now: SystemClock.now)
        let signals = Interruption.signals()
        // The address is in every answer, and known only when it is taken.
        let responder = Late<any MockResponder>()
        let server = try await Self.listen(host, ports, tls, responder)
        let scheme = options.tls ? "https" : "http"
        let listening = "\(ProxyOptions.bracketed(host)):\(server.port)"
        let base =
            issuerURL.map { url in
                "\(url.scheme ?? scheme)://\(url.authority ?? listening)"
            } ?? "\(scheme)://\(listening)"
        do {
            let played = try Self.provider(recordings, base: base, options: recordedOptions)
            try checkAutoLogin(played)
            hasBegun = true
            if attack.isWanted {
                let session = AttackSession(played, writer: writer, detail: verbose ? .messages : .nothing)
                responder.set(session)
                try tell(played, listening)
                try await run(session, played, files?.files.certificatePath, signals)
            } else {
                let delivery = try options.faults().compactMap(\.delivery).last
                responder.set(
                    MockSession(
                        played,
                        writer: writer,
                        detail: verbose ? .exchanges : .messages,
                        delivery: delivery
                    )
                )
                try tell(played, listening)
                for await _ in signals { break }
            }
        } catch ProviderError.noProvider {
            await server.stop()
            throw CommandFailure(
                .dataError,
                "\(captures.joined(separator: ", ")): no exchange with a provider is in it",
                hint: "\(Invocation.command("show", captures.first ?? "CAPTURE")) says what is"
            )
        } catch {
            await server.stop()
            throw error
        }
        await server.stop()
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
        _ responder: Late<any MockResponder>
    ) async throws -> LocalServer {
        for (index, port) in ports.enumerated() {
            do {
                return try await LocalServer.start(
                    host: host,
                    port: port,
                    tls: tls,
                    delivery: { responder.value?.delivery(of: $0) ?? .whole },
                    responder: { responder.value?.answer($0) ?? RecordedResponse(status: 503) }
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
        throw CommandFailure(
            .usage,
            "there is no user \(name): \(users.map(\.name).joined(separator: ", ")) can sign in",
            hint:
                "\(Invocation.name) mock CAPTURE --auto-login signs in whoever the capture shows; --user adds somebody"
        )
    }

    // MARK: - What it says at the start

    private func tell(_ played: PlayedProvider, _ listening: String) throws {
        for issuer in played.issuers {
            let origin = issuer.recorded.map { " plays \($0.printable)" } ?? ", a provider for development"
            StandardError.note("\(issuer.identifier.printable)\(origin)")
            StandardError.line("  discovery   \(issuer.discovery.printable)")
            for client in issuer.clients { StandardError.line("  client      \(Self.line(client))") }
            for user in issuer.users {
                // One that somebody really has is not for everybody who looks at the screen.
                let known =
                    issuer.recorded == nil ? "password \(user.password.printable)" : "the recorded password"
                let password = user.acceptsAnyPassword ? "any password" : known
                StandardError.line("  user        \(user.name.printable), \(password)")
            }
            for remark in issuer.remarks { StandardError.line("  note        \(remark.printable)") }
        }
        for fault in try attack.isWanted ? [] : options.faults() {
            StandardError.line("  fault       \(fault.id): \(fault.summary)")
        }
        StandardError.line("listening on \(listening)")
        // Unbuffered: whoever waits for the line waits on a pipe.
        if format == .json, !attack.isWanted {
            try OutputFile.write(JSONWriter.bytes(of: Self.json(played, listening)) + [0x0a], to: "-")
        }
    }

    /// A line for each fault, or an object with all of them.
    private static func list(_ faults: [Fault], _ format: Format) -> String {
        guard format == .text else {
            let list = faults.map { fault -> JSONValue in
                [
                    "id": .string(fault.id), "rule": fault.rule.map { .string($0) } ?? .null,
                    "summary": .string(fault.summary),
                    "must_be_rejected": .bool(fault.mustBeRejected),
                ]
            }
            return JSONWriter.text(of: ["faults": .array(list)])
        }
        let width = faults.map(\.id.utf8.count).max() ?? 0
        return faults.map { fault in
            let gap = String(repeating: " ", count: width - fault.id.utf8.count)
            return "\(fault.id)\(gap)  \(fault.mustBeRejected ? "reject" : "      ")  \(fault.summary)"
        }.joined(separator: "\n")
    }

    /// `shop, a secret, redirect URI https://shop.example/callback`.
    private static func line(_ client: ProviderConfiguration.Client) -> String {
        var parts = [client.id.printable]
        if client.acceptsAnySecret {
            parts.append("any secret")
        } else {
            parts.append(client.secret == nil ? "no secret" : "its recorded or given secret")
        }
        if !client.authenticationMethods.isEmpty {
            parts.append(client.authenticationMethods.joined(separator: ", "))
        }
        let uris = client.redirectURIs.map(\.printable)
        parts.append(uris.isEmpty ? "any redirect URI on this machine" : uris.joined(separator: ", "))
        return parts.joined(separator: " · ")
    }

    private static func json(_ played: PlayedProvider, _ listening: String) -> JSONValue {
        func value(_ issuer: PlayedProvider.Issuer) -> JSONObject {
            let clients = issuer.clients.map { client -> JSONValue in
                [
                    "client_id": .string(client.id),
                    "redirect_uris": .array(client.redirectURIs.map { .string($0) }),
                    "token_endpoint_auth_methods": .array(client.authenticationMethods.map { .string($0) }),
                ]
            }
            let users = issuer.users.map { user -> JSONValue in
                ["name": .string(user.name), "sub": .string(user.subject)]
            }
            var object: JSONObject = [
                "issuer": .string(issuer.identifier), "discovery": .string(issuer.discovery),
                "clients": .array(clients), "users": .array(users),
            ]
            if let recorded = issuer.recorded { object["recorded"] = .string(recorded) }
            return object
        }
        let first = played.issuers.first.map(value) ?? JSONObject()
        return .object(
            JSONObject(
                first.members + [
                    .init(name: "listening", value: .string(listening)),
                    .init(name: "issuers", value: .array(played.issuers.map { .object(value($0)) })),
                ]
            )
        )
    }
}
