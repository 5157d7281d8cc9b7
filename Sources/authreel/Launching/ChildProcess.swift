import Captures
import Foundation
import Synchronization

/// A program that this one started, and waits for beside its other work.
final class ChildProcess: Sendable {
    /// Where its output goes.
    enum Output: Sendable {
        /// To where ours goes.
        case inherited
        /// Into a file; it reads nothing.
        case file(String)
    }

    /// How it ended.
    enum Ending: Sendable, Hashable {
        case exited(Int32)
        case signalled(Int32)

        /// As a shell tells it: 128 and the number of the signal.
        var status: Int32 {
            switch self {
            case .exited(let status): status
            case .signalled(let signal): 128 + signal
            }
        }

        /// `status 3`, `signal 9 (Killed)`.
        var words: String {
            switch self {
            case .exited(let status): "status \(status)"
            case .signalled(let signal): "signal \(signal) (\(String(cString: strsignal(signal))))"
            }
        }
    }

    let processID: pid_t
    /// It leads a process group of its own, which signals go to.
    private let leadsGroup: Bool
    private let state = Mutex<(ending: Ending?, waiting: [CheckedContinuation<Ending, Never>])>((nil, []))

    /// Starts a program.
    ///
    /// - Parameters:
    ///   - path: the executable; no `PATH` is searched (see ``ProgramPath``).
    ///   - name: what it is told it is called.
    ///   - arguments: without the program's name, which comes first.
    ///   - environment: all of its variables.
    ///   - output: of both streams.
    ///   - descriptors: of ours that it gets, by its numbers.
    ///   - leadsGroup: a group of its own, so that Ctrl-C reaches it through us alone, and all it starts can be ended.
    /// - Throws: ``CommandFailure`` with status 126 when the system refuses to start it.
    init(
        path: String,
        name: String,
        arguments: [String],
        environment: [String: String],
        output: Output = .inherited,
        descriptors: [Int32: Int32] = [:],
        leadsGroup: Bool = false
    ) throws {
        self.leadsGroup = leadsGroup
        var streams =
            switch output {
            case .inherited: ProcessSpawner.Streams()
            case .file(let file): ProcessSpawner.Streams(input: "/dev/null", outputs: file)
            }
        streams.further = descriptors
        let (child, code) = ProcessSpawner.spawn(
            path,
            [name] + arguments,
            environment: environment,
            streams: streams,
            leadsGroup: leadsGroup
        )
        guard code == 0 else {
            throw CommandFailure(.cannotInvoke, "\(path): \(code.systemReason)")
        }
        processID = child
        // A thread that waits, because process sources exist on Apple's systems only.
        Thread.detachNewThread { [self] in finish(ProcessSpawner.wait(for: processID)) }
    }

    /// Nil while it runs.
    var ending: Ending? { state.withLock { $0.ending } }

    /// Returns when it has ended.
    func wait() async -> Ending {
        await withCheckedContinuation { continuation in
            let ending = state.withLock { state in
                if state.ending == nil { state.waiting.append(continuation) }
                return state.ending
            }
            if let ending { continuation.resume(returning: ending) }
        }
    }

    /// Sends a signal, to its whole group where it leads one; nothing once it has ended, as its number may be another's then.
    func send(_ signal: Int32) {
        state.withLock { state in
            // What it started may outlive a group's leader, and keeps the group's number taken.
            guard state.ending == nil || leadsGroup else { return }
            kill(leadsGroup ? -processID : processID, signal)
        }
    }

    // MARK: -

    private func finish(_ ending: Ending) {
        let waiting = state.withLock { state in
            defer { state = (ending, []) }
            return state.waiting
        }
        for continuation in waiting { continuation.resume(returning: ending) }
    }
}
