import Foundation

/// Starts programs by `posix_spawn`, for ``ChildProcess`` and ``ToolRunner``.
///
/// Not Foundation's `Process`: on Linux it puts each program into a process group of its own, and one that asks for a
/// password on the terminal, as sudo does, is then stopped for ever (measured with Swift 6.3.1); nor does it hand on what
/// descriptors the user gave us besides the first three.
enum ProcessSpawner {
    /// Where a program's first three descriptors lead; nil: where ours do.
    struct Streams {
        /// A file to read from.
        var input: String?
        /// A file that both outputs are appended to.
        var outputs: String?
        /// A descriptor in place of each output.
        var output: Int32?
        var errors: Int32?
        /// Further descriptors of the program, by its numbers; ours are above all of those.
        var further: [Int32: Int32] = [:]
    }

    /// Starts a program.
    ///
    /// - Parameters:
    ///   - path: the executable; no `PATH` is searched (see ``ProgramPath``).
    ///   - words: its name, as it is told, and its arguments.
    ///   - environment: all of its variables.
    ///   - streams: its input and outputs.
    ///   - leadsGroup: of a group of its own.
    /// - Returns: its number, and an error of the system's; 0 when it runs.
    static func spawn(
        _ path: String,
        _ words: [String],
        environment: [String: String],
        streams: Streams = Streams(),
        leadsGroup: Bool = false
    ) -> (processID: pid_t, code: Int32) {
        #if canImport(Darwin)
        var attributes: posix_spawnattr_t?
        var actions: posix_spawn_file_actions_t?
        var flags = POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_CLOEXEC_DEFAULT
        #else
        var attributes = posix_spawnattr_t()
        var actions = posix_spawn_file_actions_t()
        var flags = POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK
        #endif
        posix_spawn_file_actions_init(&actions)
        posix_spawnattr_init(&attributes)
        defer {
            posix_spawn_file_actions_destroy(&actions)
            posix_spawnattr_destroy(&attributes)
        }
        direct(streams, &actions)
        InheritedDescriptors.passOn(&actions, besides: Set(streams.further.keys))
        // Ours ignore SIGINT, SIGTERM, SIGXFSZ and SIGPIPE; a child would inherit that.
        var defaults = sigset_t()
        sigemptyset(&defaults)
        for number in [SIGINT, SIGTERM, SIGHUP, SIGPIPE, SIGQUIT, SIGCHLD, SIGXFSZ] {
            sigaddset(&defaults, number)
        }
        var none = sigset_t()
        sigemptyset(&none)
        posix_spawnattr_setsigdefault(&attributes, &defaults)
        posix_spawnattr_setsigmask(&attributes, &none)
        if leadsGroup {
            posix_spawnattr_setpgroup(&attributes, 0)
            flags |= POSIX_SPAWN_SETPGROUP
        }
        posix_spawnattr_setflags(&attributes, Int16(flags))
        let arguments = words.map { strdup($0) } + [nil]
        let variables = environment.map { strdup("\($0)=\($1)") } + [nil]
        defer { (arguments + variables).forEach { free($0) } }
        var processID: pid_t = 0
        let code = posix_spawn(&processID, path, &actions, &attributes, arguments, variables)
        return (processID, code)
    }

    /// Waits for a program to end, where this thread has nothing else to do.
    static func wait(for processID: pid_t) -> ChildProcess.Ending {
        var status: Int32 = 0
        while waitpid(processID, &status, 0) < 0, errno == EINTR {}
        // The macros of sys/wait.h.
        return status & 0x7f == 0 ? .exited((status >> 8) & 0xff) : .signalled(status & 0x7f)
    }

    private static func direct(_ streams: Streams, _ actions: inout InheritedDescriptors.Actions) {
        if let input = streams.input {
            posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, input, O_RDONLY, 0)
        }
        if let file = streams.outputs {
            posix_spawn_file_actions_addopen(
                &actions,
                STDOUT_FILENO,
                file,
                O_WRONLY | O_CREAT | O_APPEND,
                0o600
            )
            posix_spawn_file_actions_adddup2(&actions, STDOUT_FILENO, STDERR_FILENO)
        }
        if let output = streams.output { posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO) }
        if let errors = streams.errors { posix_spawn_file_actions_adddup2(&actions, errors, STDERR_FILENO) }
        for (number, own) in streams.further { posix_spawn_file_actions_adddup2(&actions, own, number) }
    }
}
