package import Foundation

/// The built program, run as a user runs it.
package enum Program {
    /// `authreel` beside the test bundle, as `swift build --build-tests` leaves it.
    package static let path = URL(filePath: CommandLine.arguments[0]).deletingLastPathComponent()
        .appending(path: "authreel").path

    /// What a finished run left.
    package struct Result: Sendable {
        package var status: Int32
        package var output: String
        package var errors: String
    }

    /// Runs the program to its end.
    ///
    /// `arguments`: without the program's name.
    /// `executable`: `authreel`, unless another program is what the test is about.
    /// `input`: what it reads from standard input; nothing by default.
    /// `environment`: variables set besides those of the test.
    /// `folder`: its current folder.
    /// `seconds`: after which it is killed; the status is then that of the signal.
    package static func run(
        _ arguments: [String],
        executable: String = path,
        input: [UInt8] = [],
        environment: [String: String] = [:],
        in folder: String? = nil,
        within seconds: Double = 60
    ) throws -> Result {
        let process = Process()
        process.executableURL = URL(filePath: executable)
        process.arguments = arguments
        process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
        if let folder { process.currentDirectoryURL = URL(filePath: folder) }
        // Files, not pipes: a pipe that nobody reads would block a talkative program.
        let scratch = try TemporaryFolder()
        defer { scratch.remove() }
        let inputPath = scratch.path + "/in"
        try Data(input).write(to: URL(filePath: inputPath))
        let outputPath = scratch.path + "/out"
        let errorPath = scratch.path + "/err"
        for path in [outputPath, errorPath] { try Data().write(to: URL(filePath: path)) }
        let handles = [
            FileHandle(forReadingAtPath: inputPath), FileHandle(forWritingAtPath: outputPath),
            FileHandle(forWritingAtPath: errorPath),
        ]
        // What is to kill the process keeps it, and with it these, until its time has come: hundreds of runs later.
        defer { for handle in handles { try? handle?.close() } }
        process.standardInput = handles[0]
        process.standardOutput = handles[1]
        process.standardError = handles[2]
        try process.run()
        let deadline = DispatchTime.now() + seconds
        let killer = DispatchWorkItem { if process.isRunning { kill(process.processIdentifier, SIGKILL) } }
        DispatchQueue.global().asyncAfter(deadline: deadline, execute: killer)
        process.waitUntilExit()
        killer.cancel()
        return Result(
            status: process.terminationStatus,
            output: String(decoding: try Data(contentsOf: URL(filePath: outputPath)), as: UTF8.self),
            errors: String(decoding: try Data(contentsOf: URL(filePath: errorPath)), as: UTF8.self)
        )
    }

    /// Runs the program to its end, and lets servers of this process answer it meanwhile: no thread of theirs waits.
    ///
    /// The parameters are those of ``run(_:executable:input:environment:in:within:)``.
    package static func runAside(
        _ arguments: [String],
        executable: String = path,
        environment: [String: String] = [:],
        within seconds: Double = 60
    ) async throws -> Result {
        try await withCheckedThrowingContinuation { continuation in
            Thread.detachNewThread {
                continuation.resume(
                    with: Swift.Result {
                        try run(
                            arguments,
                            executable: executable,
                            environment: environment,
                            within: seconds
                        )
                    }
                )
            }
        }
    }

    /// Ends a process that runs on its own and returns its exit status; after ten seconds it is killed, which shows in
    /// the status.
    @discardableResult
    package static func end(_ process: Process, by signal: Int32) -> Int32 {
        guard process.isRunning else { return process.terminationStatus }
        kill(process.processIdentifier, signal)
        let killer = DispatchWorkItem { if process.isRunning { kill(process.processIdentifier, SIGKILL) } }
        DispatchQueue.global().asyncAfter(deadline: .now() + 10, execute: killer)
        process.waitUntilExit()
        killer.cancel()
        return process.terminationStatus
    }
}

/// A folder of a test's own, below the system's temporary one.
package struct TemporaryFolder: Sendable {
    package let path: String

    package init() throws {
        path =
            FileManager.default.temporaryDirectory.appending(path: "authreel-test-\(UUID().uuidString)").path
        try FileManager.default.createDirectory(
            atPath: path,
            withIntermediateDirectories: true,
            attributes: [.posixPermissions: 0o700]
        )
    }

    package func file(_ name: String) -> String { path + "/" + name }

    package func remove() { try? FileManager.default.removeItem(atPath: path) }
}
