import Foundation
import Proxy

/// Runs other programs: without a shell, in the environment and on the terminal of this one.
///
/// Not with Foundation's `Process`: on Linux it puts each program into a process group of its own, and one that
/// asks for a password on the terminal, as sudo does, is then stopped for ever (measured with Swift 6.3.1).
enum ToolRunner {
    /// Runs a program to its end; what it prints goes to stderr.
    ///
    /// - Parameter words: its name, looked for in `PATH` where it has no slash, and its arguments.
    /// - Returns: its exit status, 128 and the number of the signal that ended it, or 127 where it cannot be
    ///   started.
    static func run(_ words: [String]) -> Int32 {
        // A program that reads what a script has for us would spoil it.
        let isInteractive = isatty(STDIN_FILENO) == 1
        guard let child = spawn(words, output: STDERR_FILENO, input: isInteractive ? nil : "/dev/null") else {
            return 127
        }
        return status(of: child)
    }

    /// What a program says on stdout and stderr; nil where it cannot be started.
    static func output(of words: [String]) -> ToolOutput? {
        var ends: [Int32] = [0, 0]
        guard pipe(&ends) == 0 else { return nil }
        // Else a program would keep its own pipe open.
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        let child = spawn(words, output: ends[1], errors: ends[1], input: "/dev/null")
        close(ends[1])
        let reader = FileHandle(fileDescriptor: ends[0], closeOnDealloc: true)
        let text = (try? reader.readToEnd()) ?? Data()
        guard let child else { return nil }
        return ToolOutput(status: status(of: child), text: String(decoding: text, as: UTF8.self))
    }

    private static func spawn(
        _ words: [String],
        output: Int32,
        errors: Int32 = STDERR_FILENO,
        input: String?
    ) -> pid_t? {
        #if canImport(Darwin)
        var actions: posix_spawn_file_actions_t?
        #else
        var actions = posix_spawn_file_actions_t()
        #endif
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        if let input { posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, input, O_RDONLY, 0) }
        posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO)
        posix_spawn_file_actions_adddup2(&actions, errors, STDERR_FILENO)
        var arguments = words.map { strdup($0) } + [nil]
        var environment = ProcessInfo.processInfo.environment.map { strdup("\($0)=\($1)") } + [nil]
        defer { for text in arguments + environment { free(text) } }
        var child = pid_t()
        return posix_spawnp(&child, words[0], &actions, nil, &arguments, &environment) == 0 ? child : nil
    }

    private static func status(of child: pid_t) -> Int32 {
        var status: Int32 = 0
        while waitpid(child, &status, 0) < 0 { guard errno == EINTR else { return 127 } }
        return status & 0x7f == 0 ? status >> 8 & 0xff : 128 + (status & 0x7f)
    }
}
