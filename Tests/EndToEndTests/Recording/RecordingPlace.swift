import Foundation
import JSON
import TestSupport
import Testing

/// A folder with all that a recording needs, and what it leaves.
struct RecordingPlace {
    let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
        try FileManager.default.createDirectory(
            atPath: folder.file("tmp"),
            withIntermediateDirectories: false
        )
    }

    var options: [String] {
        [
            "record", "--listen", "127.0.0.1:0", "--out", folder.file("login.har"), "--ca-dir",
            folder.file("ca"),
        ]
    }

    /// The run's own folder for temporary files is below ours, so that what is left in it shows.
    func record(_ more: [String], environment: [String: String] = [:], within seconds: Double = 60) throws
        -> Program.Result
    {
        try Program.run(
            options + more,
            environment: ["TMPDIR": folder.file("tmp")].merging(environment) { $1 },
            within: seconds
        )
    }

    /// Without `--out`, in a folder of its own; gives what is there afterwards, too.
    func recordUnnamed(_ command: [String]) throws -> (result: Program.Result, left: [String]) {
        let own = folder.file("own")
        try FileManager.default.createDirectory(atPath: own, withIntermediateDirectories: true)
        let result = try Program.run(
            ["record", "--listen", "127.0.0.1:0", "--ca-dir", folder.file("ca"), "--"] + command,
            environment: ["TMPDIR": folder.file("tmp")],
            in: own
        )
        return (result, try FileManager.default.contentsOfDirectory(atPath: own))
    }

    var leftFolders: [String] {
        (try? FileManager.default.contentsOfDirectory(atPath: folder.file("tmp"))) ?? ["?"]
    }

    func script(_ name: String, _ text: String) throws -> String {
        let path = folder.file(name)
        _ = FileManager.default.createFile(
            atPath: path,
            contents: Data("#!/bin/sh\n\(text)\n".utf8),
            attributes: [.posixPermissions: 0o755]
        )
        return path
    }

    /// Runs on a terminal, types keys when patterns have come.
    func onTerminal(_ arguments: [String], columns: Int = 80, type: [(String, String)] = []) throws -> (
        status: Int, text: String
    ) {
        let script = Fixtures.root.appending(path: "Tests/EndToEndTests/Components/terminal").path
        let keys = type.flatMap { ["--type", $0.0, $0.1] }
        let result = try Program.run(
            ["--columns", "\(columns)"] + keys + ["--", Program.path] + arguments,
            executable: script,
            environment: ["TMPDIR": folder.file("tmp")]
        )
        let json = try JSONParser.parse(Array(result.output.utf8))
        #expect(json["untyped"]?.array?.isEmpty == true, "never came: \(result.output)")
        return (Int(json["status"]?.int ?? -1), json["text"]?.string ?? "")
    }

    // MARK: Processes

    /// A recorder in the background; returns when its command, prepared by a script, has written its process id.
    func started(preparing: String = ":", _ script: String) throws -> (
        process: Process, command: Int32
    ) {
        let process = Process()
        process.executableURL = URL(filePath: Program.path)
        let pidFile = folder.file("pid")
        process.arguments =
            options + ["--", "sh", "-c", "\(preparing); echo $$ > \(pidFile); \(script)"]
        process.environment = ProcessInfo.processInfo.environment.merging(["TMPDIR": folder.file("tmp")]
        ) { $1 }
        _ = FileManager.default.createFile(atPath: folder.file("err"), contents: nil)
        process.standardOutput = FileHandle.nullDevice
        process.standardInput = FileHandle.nullDevice
        process.standardError = FileHandle(forWritingAtPath: folder.file("err"))
        try process.run()
        for _ in 0..<1000 {
            if Self.processID(in: pidFile) != nil { break }
            usleep(10_000)
        }
        return (process, try #require(Self.processID(in: pidFile)))
    }

    /// The status with which a recorder ends; one that goes on for longer is killed.
    static func ending(_ process: Process, within seconds: Double) -> Int32 {
        let killer = DispatchWorkItem { kill(process.processIdentifier, SIGKILL) }
        DispatchQueue.global().asyncAfter(deadline: .now() + seconds, execute: killer)
        process.waitUntilExit()
        killer.cancel()
        return process.terminationStatus
    }

    /// What was killed is there until somebody has asked how it ended.
    static func isRunning(_ processID: Int32) -> Bool {
        for _ in 0..<100 {
            if kill(processID, 0) != 0 { return false }
            usleep(20_000)
        }
        return true
    }

    /// Shell commands that wait for a process ID in a file, and a moment for the recorder to see that process.
    static func written(_ path: String) -> String {
        "while [ ! -s \(path) ]; do sleep 0.1; done; sleep 0.5"
    }

    static func processID(in path: String) -> Int32? {
        (try? String(contentsOfFile: path, encoding: .utf8)).flatMap {
            Int32($0.trimmingCharacters(in: .whitespacesAndNewlines))
        }
    }
}
