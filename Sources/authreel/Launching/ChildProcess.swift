import Foundation
import Synchronization

/// A program that this one started.
///
/// `posix_spawn`, not a library: the child gets the descriptors that the user gave us besides the three and none of ours,
/// and hears signals that we ourselves ignore or handle.
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
    ///   - leadsGroup: a group of its own, so that Ctrl-C reaches it through us alone, and all it starts can be ended.
    /// - Throws: ``CommandFailure`` with status 126 when the system refuses to start it.
    init(
        path: String,
        name: String,
        arguments: [String],
        environment: [String: String],
        output: Output = .inherited,
        leadsGroup: Bool = false
    ) throws {
        self.leadsGroup = leadsGroup
        let (child, code) = Self.spawn(path, [name] + arguments, environment, output, leadsGroup)
        guard code == 0 else {
            throw CommandFailure(.cannotInvoke, "\(path): \(String(cString: strerror(code)))")
        }
        processID = child
        // A thread that waits, because process sources exist on Apple's systems only.
        Thread.detachNewThread { [self] in
            var status: Int32 = 0
            while waitpid(processID, &status, 0) < 0, errno == EINTR {}
            // The macros of sys/wait.h.
            finish(status & 0x7f == 0 ? .exited((status >> 8) & 0xff) : .signalled(status & 0x7f))
        }
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

    private static func spawn(
        _ path: String,
        _ arguments: [String],
        _ environment: [String: String],
        _ output: Output,
        _ leadsGroup: Bool
    ) -> (pid_t, Int32) {
        #if canImport(Darwin)
        var actions: posix_spawn_file_actions_t?
        var attributes: posix_spawnattr_t?
        var flags = POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_CLOEXEC_DEFAULT
        #else
        var actions = posix_spawn_file_actions_t()
        var attributes = posix_spawnattr_t()
        var flags = POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK
        #endif
        posix_spawn_file_actions_init(&actions)
        posix_spawnattr_init(&attributes)
        defer {
            posix_spawn_file_actions_destroy(&actions)
            posix_spawnattr_destroy(&attributes)
        }
        if case .file(let file) = output {
            posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0)
            posix_spawn_file_actions_addopen(
                &actions,
                STDOUT_FILENO,
                file,
                O_WRONLY | O_CREAT | O_APPEND,
                0o600
            )
            posix_spawn_file_actions_adddup2(&actions, STDOUT_FILENO, STDERR_FILENO)
        }
        InheritedDescriptors.passOn(&actions)
        // Ours ignore SIGINT and SIGTERM, as NIO does SIGPIPE; a child would inherit that.
        var defaults = sigset_t()
        sigemptyset(&defaults)
        for number in [SIGINT, SIGTERM, SIGHUP, SIGPIPE, SIGQUIT, SIGCHLD] { sigaddset(&defaults, number) }
        var none = sigset_t()
        sigemptyset(&none)
        posix_spawnattr_setsigdefault(&attributes, &defaults)
        posix_spawnattr_setsigmask(&attributes, &none)
        if leadsGroup {
            posix_spawnattr_setpgroup(&attributes, 0)
            flags |= POSIX_SPAWN_SETPGROUP
        }
        posix_spawnattr_setflags(&attributes, Int16(flags))
        let argumentPointers = arguments.map { strdup($0) } + [nil]
        let variablePointers = environment.map { strdup("\($0)=\($1)") } + [nil]
        defer { (argumentPointers + variablePointers).forEach { free($0) } }
        var processID: pid_t = 0
        let code = posix_spawn(&processID, path, &actions, &attributes, argumentPointers, variablePointers)
        return (processID, code)
    }
}
