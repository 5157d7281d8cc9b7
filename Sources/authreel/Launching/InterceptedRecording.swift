import ArgumentParser
import Captures
import Foundation
import Proxy
import Synchronization

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
    let detail: TrafficDetail
    /// In a browser of the person's own.
    let isShown: Bool
    /// Whether a notice is told each time it comes.
    let repeatsNotices: Bool
    let isPortGiven: Bool
    let allowsRemote: Bool
    /// Whether the system has no room for as many connections as are allowed.
    var isLimitedBySystem = false

    /// Records until it is interrupted, or the command or the browser has ended.
    ///
    /// - Throws: ``CommandFailure`` where there can be no such recording; `ExitCode` with the command's status where that is not
    ///   0, and with 1 where exchanges are missing from the file.
    consuming func run() async throws {
        prepareProcess()
        let writer = try path.map(CaptureOpening.open) ?? CaptureOpening.make(at: SystemClock.now)
        var hasBegun = false
        defer { if !hasBegun || path == nil { writer.takeBack() } }
        let teller = teller()
        teller.tellOfMending(writer)
        let halves = Halves()
        let page = try await isShown ? LivePage.start(writer.path) : nil
        let view = view(of: writer, page, halves)
        configure(for: page, halves)
        let notices = notices()
        let recording = try recording(into: writer, view, notices)
        view.follow { recording.position }
        // Before anybody is told the address: who stops us then, stops us cleanly.
        let signals = Interruption.signals()
        let address = try await recording.start()
        hasBegun = true
        teller.tellOfBeginning(of: recording, configuration, at: address, behind: writer.mending.entries)
        try page?.open(environment)
        StandardError.line("listening on \(address)")
        let tidying = tidyMemory()
        defer { tidying.cancel() }
        let session = session(recording, at: address, view, halves)
        let ending = try await serve(session, recording, page, signals)
        let summary = summary(of: view)
        await page?.end()
        let isGone = path == nil && writer.takeBack()
        teller.tellOfEnd(
            of: recording,
            summary,
            whereNothingCame: EmptyRecording(
                hasSeenClients: view.hasSeenClients,
                hasRefused: notices.hasRefused,
                unserved: ending.unserved,
                failed: command != nil && Self.failures.contains(ending.status) ? ending.status : nil,
                startsBrowser: browser != nil
            ),
            hasRunOutOfDescriptors: notices.hasRunOutOfDescriptors,
            isGone: isGone
        )
        // A command that failed has the first word.
        if ending.status != 0 { throw ExitCode(ending.status) }
        if recording.missing != nil { throw ExitCode(ExitStatus.negative.rawValue) }
    }

    /// Serves until the session ends, and stops the recording, whatever came.
    ///
    /// - Returns: how the session ended.
    private func serve(
        _ session: RecordingSession,
        _ recording: Recording,
        _ page: LivePage?,
        _ signals: AsyncStream<Int32>
    ) async throws -> RecordingSession.Ending {
        do {
            let ending = try await session.run(signals: signals)
            await recording.stop()
            return ending
        } catch {
            await recording.stop()
            await page?.end()
            throw error
        }
    }

    /// What came of the logins.
    ///
    /// The capture is whole by then: where a look through all of it takes time, nobody has to wait for that.
    private func summary(of view: LiveView) -> [String] {
        let isOver = Atomic(false)
        // The look takes the thread that a task might have had.
        Thread.detachNewThread {
            Thread.sleep(forTimeInterval: Self.unnoticed)
            guard !isOver.load(ordering: .relaxed) else { return }
            Interruption.letGo()
            guard isatty(STDERR_FILENO) == 1 else { return }
            StandardError.note("looking through what was recorded; Ctrl-C leaves it at that")
        }
        defer { isOver.store(true, ordering: .relaxed) }
        // Nothing is passed on any more.
        CodePages.unmap()
        return view.finish()
    }

    /// Exit statuses of programs that failed; above are those that a signal has ended, such as that of Ctrl-C.
    private static let failures: Range<Int32> = 1..<128

    /// In seconds: how long the end may take without a word, and a second signal of the same Ctrl-C to come.
    private static let unnoticed = 1.0

    // MARK: - Setting up

    private mutating func prepareProcess() {
        let wanted = configuration.limits.connections
        configuration.limits.connections = DescriptorLimit.raise(for: wanted)
        isLimitedBySystem = configuration.limits.connections < wanted
        HeapSettings.setForRecording()
        // A file that may not grow is told of like a full disk, and does not end us.
        signal(SIGXFSZ, SIG_IGN)
    }

    /// Gives back what only the start needed.
    private func tidyMemory() -> Task<Void, any Error> {
        Task {
            // The first client is often there within the second, and needs less than the start did.
            CodePages.unmap()
            try await Task.sleep(for: .seconds(1))
            CodePages.unmap()
        }
    }

    private mutating func configure(for page: LivePage?, _ halves: Halves) {
        if let page { configuration.ownPorts.append(page.port) }
        // Those that this process starts have no way to be told a password, or are told it by us.
        if configuration.proxyCredentials != nil {
            configuration.vouchesFor = { ProcessTree.ancestors(of: $0).contains(getpid()) }
        }
        configuration.acceptsCertificates = halves.isBrowser
    }

    private func teller() -> RecordingTeller {
        RecordingTeller(
            trust: trust,
            startsClients: command != nil || browser != nil,
            isPortGiven: isPortGiven,
            allowsRemote: allowsRemote
        )
    }

    private func notices() -> NoticeTeller {
        NoticeTeller(
            repeats: repeatsNotices,
            trust: trust.clientTrust,
            isStarted: { ProcessTree.ancestors(of: $0).contains(getpid()) },
            isLimitedBySystem: isLimitedBySystem
        )
    }

    private func view(of writer: CaptureWriter, _ page: LivePage?, _ halves: Halves) -> LiveView {
        LiveView(
            writer: writer,
            looksAtAll: page != nil,
            detail: detail,
            half: halves.half,
            observe: { page?.show($0, unsettled: $1) }
        )
    }

    private func session(
        _ recording: Recording,
        at address: Recording.Address,
        _ view: LiveView,
        _ halves: Halves
    ) -> RecordingSession {
        RecordingSession(
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
}
