import Foundation
import Synchronization

/// curl through the recorder, heard while it runs.
///
/// `@unchecked Sendable`: the process is started once and afterwards only signalled, which `Foundation` guards.
final class ListeningCurl: @unchecked Sendable {
    private let process = Process()
    private let state = State()

    private final class State: Sendable {
        let text = Mutex("")
        let isOver = Mutex(false)
    }

    init(_ rig: ProxyRig, _ arguments: [String]) throws {
        process.executableURL = URL(filePath: "/usr/bin/curl")
        process.arguments =
            [
                "-sSN", "--max-time", "60", "--proxy", "http://127.0.0.1:\(rig.port)", "--noproxy", "",
                "--cacert",
                rig.authorityFile,
            ] + arguments
        let output = Pipe()
        process.standardOutput = output
        process.standardError = FileHandle.nullDevice
        try process.run()
        let state = state
        let file = output.fileHandleForReading
        Thread.detachNewThread {
            while true {
                let bytes = file.availableData
                guard !bytes.isEmpty else { break }
                state.text.withLock { $0 += String(decoding: bytes, as: UTF8.self) }
            }
            state.isOver.withLock { $0 = true }
        }
    }

    /// Everything it has printed.
    var heard: String { state.text.withLock { $0 } }

    /// Waits, by looking, until the condition holds; at most twenty seconds.
    func until(_ condition: (String) -> Bool) async throws -> Bool {
        for _ in 0..<2000 {
            if condition(heard) { return true }
            try await Task.sleep(for: .milliseconds(10))
        }
        return condition(heard)
    }

    /// Waits for its end, by looking, at most twenty seconds; nil where it goes on.
    func end() async throws -> Int32? {
        for _ in 0..<2000 {
            if state.isOver.withLock({ $0 }), !process.isRunning { return process.terminationStatus }
            try await Task.sleep(for: .milliseconds(10))
        }
        if process.isRunning { kill(process.processIdentifier, SIGKILL) }
        return nil
    }
}
