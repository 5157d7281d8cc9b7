import Foundation
package import JSON

/// `authreel mock` as a process of its own, on a port that the system picked; ended when it is let go.
///
/// `@unchecked Sendable`: the process is started once and afterwards only asked and signalled, which
/// `Foundation` guards.
package final class MockProcess: @unchecked Sendable {
    /// What it says on standard output once it listens; null where it ended before.
    package let ready: JSONValue
    private let process = Process()
    private let errorFile: String

    /// Starts it and waits until it listens.
    ///
    /// `folder`: where its authority and its log go.
    package init(_ arguments: [String], in folder: TemporaryFolder) throws {
        process.executableURL = URL(filePath: Program.path)
        process.arguments =
            ["mock", "--listen", "127.0.0.1:0", "--format", "json", "--ca-dir", folder.file("ca")] + arguments
        errorFile = folder.file("mock-\(UUID().uuidString).log")
        _ = FileManager.default.createFile(atPath: errorFile, contents: nil)
        let output = Pipe()
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = output
        process.standardError = FileHandle(forWritingAtPath: errorFile)
        try process.run()
        var line = Data()
        // Ends with the line, or with the process.
        while line.last != 0x0a {
            let more = output.fileHandleForReading.availableData
            if more.isEmpty { break }
            line += more
        }
        ready = (try? JSONParser.parse(line)) ?? .null
    }

    deinit { if process.isRunning { kill(process.processIdentifier, SIGKILL) } }

    /// Of the first capture.
    package var issuer: String {
        ready["issuer"]?.string ?? ready["issuers"]?.array?.first?["issuer"]?.string ?? ""
    }

    /// What it has said so far.
    package var messages: String { (try? String(contentsOfFile: errorFile, encoding: .utf8)) ?? "" }

    /// Ends it and returns its exit status; after ten seconds it is killed, which shows in the status.
    @discardableResult
    package func end(by signal: Int32 = SIGTERM) -> Int32 { Program.end(process, by: signal) }
}
