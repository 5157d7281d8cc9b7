import Foundation
import TestSupport
import Testing

/// The program, and the signal that ends it in the midst of its work.
enum InterruptedProgram {
    /// Starts it, sends the signal once `isReady`, and waits for its end.
    ///
    /// - Returns: its status, which is the number of the signal itself where that killed it, and what it printed.
    static func run(
        _ arguments: [String],
        _ signal: Int32,
        when isReady: () -> Bool
    ) async throws -> (status: Int32, output: String, errors: String) {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let process = Process()
        process.executableURL = URL(filePath: Program.path)
        process.arguments = arguments
        for name in ["out", "err"] { try Data().write(to: URL(filePath: folder.file(name))) }
        process.standardOutput = FileHandle(forWritingAtPath: folder.file("out"))
        process.standardError = FileHandle(forWritingAtPath: folder.file("err"))
        try process.run()
        for _ in 0..<600 where !isReady() { try await Task.sleep(for: .milliseconds(50)) }
        #expect(isReady(), "what the signal is for has not begun")
        kill(process.processIdentifier, signal)
        for _ in 0..<600 where process.isRunning { try await Task.sleep(for: .milliseconds(50)) }
        if process.isRunning {
            Issue.record("it goes on after the signal")
            kill(process.processIdentifier, SIGKILL)
            process.waitUntilExit()
        }
        return (
            process.terminationStatus,
            try String(contentsOfFile: folder.file("out"), encoding: .utf8),
            try String(contentsOfFile: folder.file("err"), encoding: .utf8)
        )
    }
}
