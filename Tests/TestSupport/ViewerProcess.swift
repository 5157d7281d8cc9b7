import Foundation

/// `authreel view` as a process of its own; ended when it is let go.
///
/// `@unchecked Sendable`: the process is started once and afterwards only asked and signalled, which `Foundation` guards.
package final class ViewerProcess: @unchecked Sendable {
    private let process = Process()
    /// Where it is, with this start's token; empty where it ended before.
    package let url: String

    /// Starts it and waits until it listens.
    package init(_ captures: [String]) throws {
        process.executableURL = URL(filePath: Program.path)
        process.arguments = ["view", "--no-open"] + captures
        let output = Pipe()
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = output
        process.standardError = FileHandle.nullDevice
        try process.run()
        var line = Data()
        // Ends with the line, or with the process.
        while line.last != 0x0a {
            let more = output.fileHandleForReading.availableData
            if more.isEmpty { break }
            line += more
        }
        url = String(decoding: line, as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines)
    }

    deinit { if process.isRunning { kill(process.processIdentifier, SIGKILL) } }

    /// Ends it as Ctrl-C does and returns its exit status.
    @discardableResult
    package func end() -> Int32 { Program.end(process, by: SIGINT) }
}
