import Foundation
import JSON
import TestSupport

/// `authreel mock` in a folder of its own, listening; ended with ``end()``.
struct MockedProvider {
    let folder: TemporaryFolder
    private let mock: MockProcess

    /// Of the first capture's provider.
    var issuer: String { mock.issuer }

    init(_ captures: [String], _ options: [String] = []) throws {
        folder = try TemporaryFolder()
        mock = try MockProcess(captures, options, in: folder)
    }

    func end() {
        mock.stop()
        folder.remove()
    }
}

/// A mock that listens; ended with ``stop()``.
private final class MockProcess: @unchecked Sendable {
    private let process = Process()
    let issuer: String

    init(_ captures: [String], _ options: [String] = [], in folder: TemporaryFolder) throws {
        let ready = folder.file("ready-\(UUID().uuidString)")
        _ = FileManager.default.createFile(atPath: ready, contents: nil)
        process.executableURL = URL(filePath: Program.path)
        process.arguments =
            ["mock", "--listen", "127.0.0.1:0", "--format", "json", "--ca-dir", folder.file("ca")]
            + options
            + captures
        process.standardOutput = FileHandle(forWritingAtPath: ready)
        process.standardError = FileHandle.nullDevice
        process.standardInput = FileHandle.nullDevice
        try process.run()
        let deadline = Date.now.addingTimeInterval(20)
        var line = ""
        while !line.contains("\n"), Date.now < deadline, process.isRunning {
            usleep(20_000)
            line = (try? String(contentsOfFile: ready, encoding: .utf8)) ?? ""
        }
        let json = try JSONParser.parse(line.utf8)
        issuer = json["issuer"]?.string ?? json["issuers"]?.array?.first?["issuer"]?.string ?? ""
    }

    func stop() {
        process.interrupt()
        process.waitUntilExit()
    }
}
