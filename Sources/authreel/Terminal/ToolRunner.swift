import Foundation
import Proxy

/// Runs other programs to their end: without a shell, in the environment and on the terminal of this one.
enum ToolRunner {
    /// Runs a program to its end; what it prints goes to stderr.
    ///
    /// - Parameter words: its name, looked for in `PATH` where it has no slash, and its arguments.
    /// - Returns: its exit status, 128 and the number of the signal that ended it, or 127 where it cannot be
    ///   started.
    static func run(_ words: [String]) -> Int32 {
        // A program that reads what a script has for us would spoil it.
        let isInteractive = isatty(STDIN_FILENO) == 1
        let streams = ProcessSpawner.Streams(input: isInteractive ? nil : "/dev/null", output: STDERR_FILENO)
        return spawn(words, streams).map { ProcessSpawner.wait(for: $0).status } ?? 127
    }

    /// What a program says on stdout and stderr; nil where it cannot be started.
    static func output(of words: [String]) -> ToolOutput? {
        var ends: [Int32] = [0, 0]
        guard pipe(&ends) == 0 else { return nil }
        let child = spawn(words, .init(input: "/dev/null", output: ends[1], errors: ends[1]))
        close(ends[1])
        let reader = FileHandle(fileDescriptor: ends[0], closeOnDealloc: true)
        let text = (try? reader.readToEnd()) ?? Data()
        guard let child else { return nil }
        return ToolOutput(
            status: ProcessSpawner.wait(for: child).status,
            text: String(decoding: text, as: UTF8.self)
        )
    }

    private static func spawn(_ words: [String], _ streams: ProcessSpawner.Streams) -> pid_t? {
        let environment = ProcessInfo.processInfo.environment
        guard let name = words.first,
            case .found(let path) = ProgramPath.lookup(
                name,
                searchPath: environment["PATH"] ?? "/usr/bin:/bin"
            )
        else { return nil }
        let (child, code) = ProcessSpawner.spawn(path, words, environment: environment, streams: streams)
        return code == 0 ? child : nil
    }
}
