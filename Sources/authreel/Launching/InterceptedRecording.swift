import ArgumentParser
import Captures
import Foundation
import Proxy

/// A recording through the proxy, from the first line to the last.
struct InterceptedRecording {
    var configuration: ProxyConfiguration
    let trust: RecordingAuthority
    /// What the user called the capture, which is there afterwards then, whatever came; nil for a dated name.
    let path: String?
    /// Runs meanwhile; nil for none.
    let command: CommandLauncher?
    /// Is started; nil for none.
    let browser: BrowserLauncher?
    /// What the browser opens.
    let firstPage: String
    let environment: [String: String]
    let detail: LiveView.Detail
    /// In a browser of the person's own.
    let isShown: Bool
    /// Whether a notice is told each time it comes.
    let repeatsNotices: Bool
    let isPortGiven: Bool
    let allowsRemote: Bool

    /// Records until it is interrupted, or the command or the browser has ended.
    ///
    /// - Throws: ``CommandFailure`` where there can be no such recording; `ExitCode` with the command's status where that is not
    ///   0, and with 1 where exchanges are missing from the file.
    consuming func run() async throws {
        configuration.limits.connections = DescriptorLimit.raise(for: configuration.limits.connections)
        HeapSettings.setForRecording()
        // A file that may not grow is told of like a full disk, and does not end us.
        signal(SIGXFSZ, SIG_IGN)
        let writer = try path.map(CaptureOpening.open) ?? CaptureOpening.make(at: SystemClock.now)
        var hasBegun = false
        defer { if !hasBegun || path == nil { writer.takeBack() } }
        tellOfMending(writer)
        let halves = Halves()
        let page = try await isShown ? LivePage.start(writer.path) : nil
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
        let notices = NoticeTeller(
            repeats: repeatsNotices,
            certificatePath: trust.authority.scope == nil ? nil : trust.certificatePath
        )
        let recording = try recording(into: writer, view, notices)
        view.follow { recording.position }
        // Before anybody is told the address: who stops us then, stops us cleanly.
        let signals = Interruption.signals()
        let address = try await recording.start()
        hasBegun = true
        tellOfBeginning(of: recording, at: address, behind: writer.mending.entries)
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
        let isGone = path == nil && writer.takeBack()
        Self.sayGoodbye(
            recording,
            summary,
            why: Self.whyNothing(hasSeenClients: view.hasSeenClients, hasRefused: notices.hasRefused),
            isGone: isGone
        )
        // A command that failed has the first word.
        if status != 0 { throw ExitCode(status) }
        if recording.missing != nil { throw ExitCode(ExitStatus.negative.rawValue) }
    }

    private func recording(
        into writer: CaptureWriter,
        _ view: LiveView,
        _ notices: NoticeTeller
    ) throws -> Recording {
        try Recording(
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
    }

    // MARK: - What is told

    private func tellOfMending(_ writer: CaptureWriter) {
        guard writer.mending.bytesRemoved > 0 else { return }
        StandardError.warn(
            "\(writer.path): its end was torn; \(writer.mending.bytesRemoved) bytes behind entry \(writer.mending.entries) were cut off"
        )
    }

    /// `entries`: how many there were in the file before.
    private func tellOfBeginning(of recording: Recording, at address: Recording.Address, behind entries: Int)
    {
        StandardError.note(
            "recording into \(recording.path)"
                + (entries > 0 ? " behind its \(CaptureTeller.count(entries))" : "")
        )
        if !isPortGiven, address.port != ProxyOptions.defaultPort {
            StandardError.note("port \(ProxyOptions.defaultPort) is taken: listening on the next free one")
        }
        trust.announce(startsClients: command != nil || browser != nil)
        if allowsRemote { Self.tellOfNetwork(recording, configuration) }
        if configuration.proxyCredentials != nil {
            StandardError.note("clients have to give the user name and password of --proxy-auth")
        }
        if let upstream = configuration.upstreamProxy {
            StandardError.note("providers are reached by way of \(upstream)")
        }
        for (origin, address) in recording.played {
            StandardError.note("\(origin.url) is played at \(origin.scheme.rawValue)://\(address)")
        }
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

    /// What is behind it when nothing came.
    private static func whyNothing(hasSeenClients: Bool, hasRefused: Bool) -> String {
        if hasSeenClients { return "nothing came through but the recorder's own page: no login was begun" }
        return hasRefused
            ? "nothing came through but what the recorder could not use"
            : "nothing came through: does the client use the proxy, also for localhost?"
    }

    /// `why`: is said when nothing came; `isGone`: nothing did, and no capture is left.
    private static func sayGoodbye(
        _ recording: Recording,
        _ summary: [String],
        why: String,
        isGone: Bool
    ) {
        let (path, missing) = (recording.path, recording.missing)
        let (came, failures) = recording.count
        let exchanges = max(0, came - (missing?.count ?? 0))
        StandardError.note(
            "\(path): \(isGone ? CaptureTeller.nothing : CaptureTeller.count(exchanges) + " recorded")"
                + (failures > 0 ? ", \(failures) without an answer" : "")
        )
        for line in summary { StandardError.line(line) }
        if exchanges > 0 {
            let commands = ["show", "diagnose"].map { Invocation.command($0, path) }
            StandardError.note("next: \(commands.joined(separator: ", "))")
        } else if came == 0 {
            StandardError.note(why)
        }
        if let missing { CaptureTeller.tellOfMissing(missing, in: path) }
    }
}
