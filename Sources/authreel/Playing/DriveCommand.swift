import Foundation
import Provider
import Synchronization

/// The user's login test, run once for each login; what it leaves running is ended with it.
final class DriveCommand: Sendable {
    private struct State {
        var child: ChildProcess?
        var interruptions = 0
    }

    private let command: String
    private let timeout: Duration
    private let folder: RunFolder
    private let state = Mutex(State())
    /// How long what is asked to end may take.
    private static let graceTime = Duration.seconds(2)
    /// How much of its output is looked at.
    private static let tailBytes: UInt64 = 8192
    private static let tailLines = 12

    init(_ command: String, timeout: Duration, folder: RunFolder) {
        self.command = command
        self.timeout = timeout
        self.folder = folder
        ProcessTree.adoptOrphans()
    }

    /// Runs it to its end, or to the end of its time.
    ///
    /// - Parameter environment: all of its variables.
    /// - Returns: the login without what the provider saw of it.
    /// - Throws: ``CommandFailure`` when the shell cannot be started.
    func run(environment: [String: String]) async throws -> DrivenLogin {
        let output = folder.file("output")
        try? FileManager.default.removeItem(atPath: output)
        let began = ContinuousClock.now
        let child = try ChildProcess(
            path: "/bin/sh",
            name: "sh",
            arguments: ["-c", command],
            environment: environment,
            output: .file(output),
            leadsGroup: true
        )
        let isInterrupted = state.withLock { state in
            state.child = child
            return state.interruptions > 0
        }
        if isInterrupted { child.send(SIGKILL) }
        // Cancelled as soon as the command has ended.
        let timer = Task {
            try await Task.sleep(for: timeout)
            Self.end(child)
        }
        let ending = await child.wait()
        timer.cancel()
        let duration = ContinuousClock.now - began
        await endLeftovers(of: child)
        state.withLock { $0.child = nil }
        return DrivenLogin(
            ending: duration >= timeout ? .timedOut : Self.ending(ending),
            duration: duration,
            lastWords: Self.lastWords(of: output)
        )
    }

    /// Ends the login that is under way, and every later one; the second time at once.
    func interrupt() {
        let (child, isFirst) = state.withLock { state in
            state.interruptions += 1
            return (state.child, state.interruptions == 1)
        }
        guard let child else { return }
        if isFirst { Self.end(child) } else { child.send(SIGKILL) }
    }

    // MARK: -

    private static func ending(_ ending: ChildProcess.Ending) -> DrivenLogin.Ending {
        switch ending {
        case .exited(let status): .exited(status)
        case .signalled(let signal): .signalled(signal)
        }
    }

    /// Asks it to end, and makes it when it does not.
    private static func end(_ child: ChildProcess) {
        child.send(SIGTERM)
        // Nobody waits for it: who does, waits for the child.
        Task {
            try? await Task.sleep(for: graceTime)
            if child.ending == nil { child.send(SIGKILL) }
        }
    }

    /// Servers and browsers of one login would be met by the next.
    private func endLeftovers(of child: ChildProcess) async {
        // The group first, where nobody tells of descendants.
        child.send(SIGTERM)
        ProcessTree.signalDescendants(SIGTERM)
        await ProcessTree.descendantsEnd(looks: 40, every: .milliseconds(50))
        child.send(SIGKILL)
        ProcessTree.signalDescendants(SIGKILL)
        await ProcessTree.descendantsEnd(looks: 40, every: .milliseconds(50))
        ProcessTree.reapOrphans(except: [child.processID])
    }

    /// The last lines that it printed: anything may be in them.
    private static func lastWords(of file: String) -> [String] {
        guard let handle = FileHandle(forReadingAtPath: file), let size = try? handle.seekToEnd() else {
            return []
        }
        let isWhole = size <= tailBytes
        guard (try? handle.seek(toOffset: isWhole ? 0 : size - tailBytes)) != nil,
            let bytes = try? handle.readToEnd()
        else { return [] }
        let lines = String(decoding: bytes, as: UTF8.self).split(whereSeparator: \.isNewline)
        // The first one of a part is a part itself.
        return lines.dropFirst(isWhole || lines.count < 2 ? 0 : 1).suffix(tailLines).map { line in
            String(line.prefix(400))
        }
    }
}
