import Foundation

/// `authreel record` as a process of its own, on a port that the system picked.
///
/// `@unchecked Sendable`: the process is started once and afterwards only asked and signalled, which
/// `Foundation` guards.
package final class RecorderProcess: @unchecked Sendable {
    /// Why the recorder is not to be had.
    package struct Failure: Error, CustomStringConvertible {
        package var description: String

        package init(_ description: String) { self.description = description }
    }

    private let process: Process
    private let errorFile: String
    /// Where it listens, on 127.0.0.1.
    package let port: Int
    package let capture: String
    /// The certificate that its clients have to trust.
    package let certificate: String

    /// Starts it and waits for its `listening on` line.
    ///
    /// `capture`: the file it writes; need not exist.
    /// `folder`: where its authority and its log go; recorders of one folder share the authority.
    /// `upstreamCA`: a certificate that it trusts servers by.
    /// `options`: further options of `record`.
    package init(
        into capture: String,
        folder: TemporaryFolder,
        upstreamCA: String? = nil,
        options: [String] = []
    ) throws {
        let process = Process()
        process.executableURL = URL(filePath: Program.path)
        process.arguments =
            ["record", "--listen", "127.0.0.1:0", "--out", capture, "--ca-dir", folder.file("ca")]
            + (upstreamCA.map { ["--upstream-ca", $0] } ?? []) + options
        let log = folder.file("recorder-\(UUID().uuidString).log")
        _ = FileManager.default.createFile(atPath: log, contents: nil)
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = FileHandle(forWritingAtPath: log)
        process.standardError = FileHandle(forWritingAtPath: log)
        try process.run()
        guard let port = Self.port(of: process, log: log) else {
            kill(process.processIdentifier, SIGKILL)
            process.waitUntilExit()
            throw Failure("the recorder does not listen: " + Self.text(of: log))
        }
        self.process = process
        self.port = port
        self.capture = capture
        errorFile = log
        certificate = try Self.certificatePath(folder: folder)
    }

    deinit { if process.isRunning { kill(process.processIdentifier, SIGKILL) } }

    package var processID: Int32 { process.processIdentifier }

    /// What it has said so far.
    package var messages: String { Self.text(of: errorFile) }

    /// Ends it as Ctrl-C does and returns its exit status; after ten seconds it is killed, which shows in the
    /// status.
    @discardableResult
    package func interrupt(_ signal: Int32 = SIGINT) -> Int32 {
        Program.end(process, by: signal)
    }

    /// Ends it without a word of warning.
    package func killNow() { Program.end(process, by: SIGKILL) }

    private static func port(of process: Process, log: String) -> Int? {
        let deadline = Date.now.addingTimeInterval(20)
        while Date.now < deadline {
            let line = text(of: log).split(separator: "\n").first { $0.hasPrefix("listening on ") }
            if let port = line?.split(separator: ":").last.flatMap({ Int($0) }) { return port }
            guard process.isRunning else { return nil }
            usleep(10_000)
        }
        return nil
    }

    private static func certificatePath(folder: TemporaryFolder) throws -> String {
        let result = try Program.run(["ca", "path", "--ca-dir", folder.file("ca")])
        guard result.status == 0 else { throw Failure(result.errors) }
        return result.output.trimmingCharacters(in: .whitespacesAndNewlines)
    }

    private static func text(of path: String) -> String {
        (try? String(contentsOfFile: path, encoding: .utf8)) ?? ""
    }
}
