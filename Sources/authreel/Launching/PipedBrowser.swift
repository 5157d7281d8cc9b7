import Foundation
import Replay
import Synchronization

/// A browser that runs, is spoken to by a pipe, and is gone with its profile when it is ended.
final class PipedBrowser: Sendable {
    /// How long it may take to start, and to end when it is asked to.
    static let startTime = Duration.seconds(30)
    private static let endTime = Duration.seconds(3)
    private static let tickInterval = Duration.milliseconds(100)

    typealias Listener = @Sendable (BrowserVisitStateMachine.Event) -> Void

    private struct State {
        var listener: Listener?
        var ticking: Task<Void, Never>?
        var hasEnded = false
        /// We are ending it: whoever listens is not told, or a replay would report what the interruption did to it.
        var isBeingEnded = false
    }

    private let state = Mutex(State())
    private let pipe: DevToolsPipe
    private let child: ChildProcess
    private let folder: RunFolder
    private let name: String

    /// Those that have to be ended with us.
    private static let running = Mutex<[ObjectIdentifier: PipedBrowser]>([:])

    /// Starts it.
    ///
    /// - Parameters:
    ///   - launcher: of the Chromium family.
    ///   - route: all that it sends goes there.
    ///   - environment: what it would have had.
    /// - Throws: ``CommandFailure``.
    init(
        _ launcher: BrowserLauncher,
        route: BrowserRoute,
        environment: [String: String]
    ) throws {
        ProcessTree.adoptOrphans()
        folder = try launcher.makeFolder()
        name = launcher.program.name
        do {
            pipe = try DevToolsPipe()
            child = try launcher.start(
                page: "about:blank",
                in: folder,
                route: route,
                certificatePath: "",
                environment: environment,
                pipe: pipe
            )
        } catch {
            folder.remove()
            throw error
        }
        pipe.started()
        pipe.read { [weak self] message in
            self?.hear(.message(message))
        } ended: { [weak self] in
            self?.hasEnded()
        }
        Self.running.withLock { $0[ObjectIdentifier(self)] = self }
    }

    /// Who is told what it says from now on; at once that it has ended, where it has.
    func listen(_ listener: Listener?) {
        let hasEnded = state.withLock { state in
            state.listener = listener
            return state.hasEnded && !state.isBeingEnded
        }
        if hasEnded { listener?(.browserEnded(reason: lastWords)) }
    }

    /// Tells the listener that time passes.
    func beginTicking() {
        // Ended by endTicking(), which whoever began it calls.
        let task = Task { [weak self] in
            while !Task.isCancelled {
                self?.hear(.tick)
                try? await Task.sleep(for: Self.tickInterval)
            }
        }
        state.withLock { $0.ticking = task }
    }

    func endTicking() {
        state.withLock { state in
            state.ticking?.cancel()
            state.ticking = nil
        }
    }

    func send(_ command: DevToolsCommand) { pipe.send(command) }

    /// Ends it and all that it has started, and removes its profile; returns when nothing is left.
    func end() async {
        pipe.hangUp()
        let deadline = ContinuousClock.now + Self.endTime
        while child.ending == nil, ContinuousClock.now < deadline {
            try? await Task.sleep(for: .milliseconds(20))
        }
        endNow()
    }

    /// The same without asking it first.
    private func endNow() {
        guard Self.running.withLock({ $0.removeValue(forKey: ObjectIdentifier(self)) }) != nil else { return }
        state.withLock { $0.isBeingEnded = true }
        // What it starts outside of its group as well.
        let helpers = child.ending == nil ? ProcessTree.descendants(of: child.processID) : []
        child.send(SIGKILL)
        for helper in helpers { kill(helper.processID, SIGKILL) }
        folder.remove()
    }

    /// Ends those that run, at once.
    static func endAll() {
        for browser in running.withLock({ Array($0.values) }) { browser.endNow() }
    }

    private func hear(_ event: BrowserVisitStateMachine.Event) {
        let listener = state.withLock { $0.listener }
        listener?(event)
    }

    private func hasEnded() {
        let listener = state.withLock { state in
            state.hasEnded = true
            return state.isBeingEnded ? nil : state.listener
        }
        listener?(.browserEnded(reason: lastWords))
    }

    private var lastWords: String {
        let words = BrowserLauncher.lastWords(in: folder, 1).first
        return "\(name) ended" + (words.map { ": \($0)" } ?? "")
    }
}
