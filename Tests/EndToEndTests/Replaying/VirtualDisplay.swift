import Foundation
import TestSupport

/// An X display that nobody sees, and somebody who types at it.
struct VirtualDisplay {
    /// As `DISPLAY` names it.
    let name: String
    private let process: Process

    private static let person = Fixtures.root.appending(path: "Tests/EndToEndTests/Components/person.py").path

    struct Failure: Error { var words: String }

    /// Starts a display with a number that is free.
    init() throws {
        process = Process()
        process.executableURL = URL(filePath: "/usr/bin/Xvfb")
        process.arguments = ["-displayfd", "1", "-nolisten", "tcp", "-screen", "0", "1280x900x24"]
        let output = Pipe()
        process.standardOutput = output
        process.standardError = FileHandle(forWritingAtPath: "/dev/null")
        try process.run()
        var line = ""
        while !line.hasSuffix("\n") {
            let bytes = output.fileHandleForReading.availableData
            guard !bytes.isEmpty else { throw Failure(words: "Xvfb ended") }
            line += String(decoding: bytes, as: UTF8.self)
        }
        name = ":" + line.trimmingCharacters(in: .whitespacesAndNewlines)
    }

    /// Types into the largest window: Tab between the texts, Return behind the last.
    func type(_ texts: [String]) throws {
        let result = try Program.run([name] + texts, executable: Self.person, within: 60)
        guard result.status == 0 else { throw Failure(words: result.errors) }
    }

    func end() {
        // It was started with every other signal blocked.
        kill(process.processIdentifier, SIGKILL)
        process.waitUntilExit()
    }
}
