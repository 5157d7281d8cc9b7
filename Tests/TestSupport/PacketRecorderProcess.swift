import Foundation

/// `authreel record --interface` as a process of its own.
///
/// `@unchecked Sendable`: as ``RecorderProcess``.
package final class PacketRecorderProcess: @unchecked Sendable {
    private let process: Process
    private let errorFile: String
    package let capture: String

    /// Starts it and waits for its `capturing on` line.
    ///
    /// `capture`: the file it writes; need not exist.
    /// `folder`: where its log goes.
    /// `interface`: `lo`, mostly.
    /// `options`: further options of `record`.
    /// `environment`: variables set besides those of the test.
    package init(
        into capture: String,
        folder: TemporaryFolder,
        interface: String,
        options: [String] = [],
        environment: [String: String] = [:]
    ) throws {
        let process = Process()
        process.executableURL = URL(filePath: Program.path)
        process.arguments = ["record", "--interface", interface, "--out", capture] + options
        process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
        let log = folder.file("packets-\(UUID().uuidString).log")
        _ = FileManager.default.createFile(atPath: log, contents: nil)
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = FileHandle(forWritingAtPath: log)
        process.standardError = FileHandle(forWritingAtPath: log)
        try process.run()
        let deadline = Date.now.addingTimeInterval(20)
        while !Self.text(of: log).contains("capturing on ") {
            guard Date.now < deadline, process.isRunning else {
                kill(process.processIdentifier, SIGKILL)
                process.waitUntilExit()
                throw RecorderProcess.Failure("no packets are captured: " + Self.text(of: log))
            }
            usleep(10_000)
        }
        self.process = process
        self.capture = capture
        errorFile = log
    }

    deinit { if process.isRunning { kill(process.processIdentifier, SIGKILL) } }

    /// What it has said so far.
    package var messages: String { Self.text(of: errorFile) }

    /// Ends it as Ctrl-C does; its exit status.
    @discardableResult
    package func interrupt() -> Int32 { Program.end(process, by: SIGINT) }

    private static func text(of path: String) -> String {
        (try? String(contentsOfFile: path, encoding: .utf8)) ?? ""
    }
}
