import Captures
import Foundation
import Proxy
import Reports
import Synchronization

/// A recording with the command and the browser that it was asked to start: from the first line to the last.
///
/// ``EndingStateMachine`` decides, this carries out.
struct RecordingSession {
    let recording: Recording
    let address: Recording.Address
    /// What the proxy asks for.
    var credentials: BasicCredentials?
    let certificatePath: String
    let command: CommandLauncher?
    let browser: BrowserLauncher?
    /// What the browser opens.
    let page: String
    let view: LiveView
    let halves: Halves
    let environment: [String: String]

    /// How long what is asked to end may take.
    static let graceTime = Duration.seconds(10)
    /// How long the page's server may take to come up.
    static let startTime = Duration.seconds(60)

    /// How a session ended.
    struct Ending {
        /// The exit status of the recording.
        var status: Int32
        /// Host and port on which nothing listened until the end, so that the browser was never started; else nil.
        var unserved: String?
    }

    /// What runs, for whoever has to end it.
    private final class Running: Sendable {
        private struct State {
            var command: ChildProcess?
            var browser: ChildProcess?
            /// Starts the browser and waits for it.
            var starting: Task<Void, Never>?
            /// Where nothing listened that the browser could have been started for.
            var unserved: String?
        }

        private let state = Mutex(State())

        func setStarting(_ task: Task<Void, Never>) { state.withLock { $0.starting = task } }

        /// Ends the browser, or keeps it from being started.
        func endBrowser() {
            state.withLock { state in
                state.browser?.send(SIGTERM)
                state.starting?.cancel()
            }
        }

        var command: ChildProcess? {
            get { state.withLock { $0.command } }
            set { state.withLock { $0.command = newValue } }
        }

        var browser: ChildProcess? {
            get { state.withLock { $0.browser } }
            set { state.withLock { $0.browser = newValue } }
        }

        var unserved: String? {
            get { state.withLock { $0.unserved } }
            set { state.withLock { $0.unserved = newValue } }
        }

        /// What the command has left running.
        var leftovers: [ProcessTree.Member] {
            let browser = browser?.processID
            let own = command.flatMap { $0.ending == nil ? $0.processID : nil }
            ProcessTree.reapOrphans(except: Set([browser, command?.processID].compactMap(\.self)))
            return ProcessTree.descendants(exceptGroup: browser).filter {
                $0.processID != own && !ProcessTree.isMarked(BrowserLauncher.mark, $0.processID)
            }
        }
    }

    /// Runs until the recording is over.
    ///
    /// - Parameter signals: those that end it.
    /// - Returns: how it ended.
    /// - Throws: ``CommandFailure`` when command or browser cannot be started; nothing is left running then.
    func run(signals: AsyncStream<Int32>) async throws -> Ending {
        let running = Running()
        let (events, post) = AsyncStream<EndingStateMachine.Event>.makeStream()
        var machine = EndingStateMachine(command: command?.name, hasBrowser: browser != nil)
        ProcessTree.adoptOrphans()
        let folder = try command.map { _ in try RunFolder() }
        defer { folder?.remove() }
        let browserFolder = try browser?.makeFolder()
        defer { browserFolder?.remove() }
        // Cancelled below, with the one beside it: the session's end comes by the events that they and others post.
        let listener = Task {
            for await signal in signals {
                post.yield(
                    .interrupted(signal: signal, fromTerminal: Self.isFromTerminal(signal))
                )
            }
        }
        let watcher = Task { await view.run() }
        defer {
            listener.cancel()
            watcher.cancel()
        }
        view.begin()
        do {
            if let command, let folder {
                running.command = try start(command, in: folder, opening: browserFolder)
            }
            if let child = running.command { watch(child, running, post) }
            if let browserFolder { startBrowser(in: browserFolder, running, post) }
        } catch {
            killEverything(running)
            throw error
        }
        for await event in events {
            for action in machine.handle(event) {
                if action == .tellLastWords, let browserFolder {
                    for line in BrowserLauncher.lastWords(in: browserFolder) {
                        StandardError.note("browser: \(line.printable)")
                    }
                }
                if let status = await carryOut(action, running, post) {
                    killEverything(running)
                    await allGone()
                    return Ending(status: status, unserved: running.unserved)
                }
            }
        }
        return Ending(status: ExitStatus.bug.rawValue)
    }

    /// Whether a signal is taken for one of Ctrl-C or Ctrl-\ on the terminal, which the command has had as well.
    static func isFromTerminal(_ signal: Int32) -> Bool {
        [SIGINT, SIGQUIT].contains(signal) && isInForeground
    }

    /// Whether what is typed on the terminal goes to us, and so to the command as well.
    private static var isInForeground: Bool {
        [STDIN_FILENO, STDERR_FILENO, STDOUT_FILENO].contains {
            isatty($0) == 1 && tcgetpgrp($0) == getpgrp()
        }
    }

    // MARK: Starting

    private var route: BrowserRoute {
        BrowserRoute(
            proxy: address,
            keyDigest: recording.leafKeyDigest,
            played: recording.played.map(\.address)
        )
    }

    private func start(
        _ command: CommandLauncher,
        in folder: RunFolder,
        opening browserFolder: RunFolder?
    ) throws -> ChildProcess {
        let authority = (try? String(contentsOfFile: certificatePath, encoding: .utf8)) ?? ""
        let files = try TrustFiles.write(
            to: folder,
            proxy: CommandEnvironment.proxyURL(address, credentials),
            authority: authority,
            environment: environment
        )
        let opening = browserFolder.flatMap {
            browser?.openingScript(in: $0, route: route)
        }
        if command.isMadeByGo {
            StandardError.note(
                "programs made by Go leave localhost and 127.0.0.1 out of every proxy: there, name the server LOCALHOST, in capitals"
            )
        }
        return try command.start(
            environment: CommandEnvironment.variables(
                over: environment,
                proxy: address,
                credentials: credentials,
                files: files,
                browser: try opening.map {
                    try CommandBrowser.write(
                        to: folder,
                        opening: $0,
                        searchPath: environment["PATH"] ?? ""
                    )
                }
            )
        )
    }

    /// Beside the rest, since the page's server may take its time.
    private func startBrowser(
        in folder: RunFolder,
        _ running: Running,
        _ post: AsyncStream<EndingStateMachine.Event>.Continuation
    ) {
        guard let browser else { return }
        let task = Task<Void, Never> {
            do {
                if command != nil {
                    running.unserved = await PageServer.wait(for: page, within: Self.startTime)
                }
                // The recording may have ended meanwhile.
                if Task.isCancelled {
                    post.yield(.browserEnded(.exited(0)))
                    return
                }
                let child = try browser.start(
                    page: page,
                    in: folder,
                    route: route,
                    certificatePath: certificatePath,
                    environment: environment
                )
                running.browser = child
                halves.setBrowser(child.processID)
                if Task.isCancelled { child.send(SIGTERM) }
                post.yield(.browserEnded(await child.wait()))
            } catch {
                let failure = error as? CommandFailure ?? CommandFailure(.unavailable, "\(error)")
                StandardError.report(failure.message, hint: failure.hint)
                post.yield(.browserEnded(.exited(failure.status.rawValue)))
            }
        }
        running.setStarting(task)
    }

    private func watch(
        _ child: ChildProcess,
        _ running: Running,
        _ post: AsyncStream<EndingStateMachine.Event>.Continuation
    ) {
        // Ends with the command, and what it posts behind the session's end is read by nobody.
        Task {
            let ending = await child.wait()
            // What was about to end with it may do so first.
            var left = running.leftovers
            for _ in 0..<5 where !left.isEmpty {
                try? await Task.sleep(for: .milliseconds(100))
                left = running.leftovers
            }
            let session = getsid(0)
            post.yield(
                .commandEnded(
                    ending,
                    left: left.map {
                        .init(name: $0.name, processID: $0.processID, isDaemon: $0.session != session)
                    }
                )
            )
        }
    }

    // MARK: Carrying out

    /// Returns the exit status when all is over.
    private func carryOut(
        _ action: EndingStateMachine.Action,
        _ running: Running,
        _ post: AsyncStream<EndingStateMachine.Event>.Continuation
    ) async -> Int32? {
        switch action {
        case .say(let text): StandardError.note(text)
        case .warn(let text): StandardError.warn(text)
        case .tellLastWords: break
        case .signalCommand(let signal): running.command?.send(signal)
        case .endBrowser: running.endBrowser()
        case .endLeftovers:
            for process in running.leftovers { kill(process.processID, SIGTERM) }
            watchLeftovers(running, post)
        case .watchLeftovers: watchLeftovers(running, post)
        case .startGrace:
            // The session goes on meanwhile, and may be over before it.
            Task {
                try? await Task.sleep(for: .seconds(2))
                if let name = command?.name, running.command?.ending == nil {
                    StandardError.note("waiting for \(name) to end; Ctrl-C once more ends it at once")
                }
                try? await Task.sleep(for: Self.graceTime)
                post.yield(.graceOver)
            }
        case .killEverything: killEverything(running)
        case .finish(let status): return status
        }
        return nil
    }

    private func watchLeftovers(
        _ running: Running,
        _ post: AsyncStream<EndingStateMachine.Event>.Continuation
    ) {
        // Ends with what it watches, which is killed when the session ends.
        Task {
            while !running.leftovers.isEmpty { try? await Task.sleep(for: .milliseconds(200)) }
            post.yield(.leftoversEnded)
        }
    }

    /// A browser's helpers end a moment after it; who looks then should find nothing of ours.
    private func allGone() async {
        guard command != nil || browser != nil else { return }
        await ProcessTree.descendantsEnd(looks: 100, every: .milliseconds(20))
    }

    private func killEverything(_ running: Running) {
        guard command != nil || browser != nil else { return }
        running.command?.send(SIGKILL)
        running.browser?.send(SIGKILL)
        // What a browser starts outside of its group as well.
        ProcessTree.signalDescendants(SIGKILL)
    }
}
