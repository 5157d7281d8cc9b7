import Captures
import Foundation
import Proxy
import TestSupport
import Testing

/// `authreel record` on a disk that is full, and with a file that somebody takes away.
@Suite(.serialized, .timeLimit(.minutes(5)))
struct DiskTroubleTests {
    private static let rights: Comment = "a small file system can be mounted by root only"

    /// Answers with so many bytes as the path says.
    private static func origin() async throws -> LocalServer {
        try await LocalServer.start { request in
            let length = request.url.path.split(separator: "/").first.flatMap { Int($0) } ?? 0
            return RecordedResponse(
                status: 200,
                body: Body(text: String(repeating: "x", count: length), mediaType: "text/plain")
            )
        }
    }

    /// How many bytes curl gets by way of a recorder.
    private func get(_ path: String, _ origin: LocalServer, _ recorder: RecorderProcess) async throws
        -> Int
    {
        let result = try await Program.runAside(
            [
                "-sS", "--max-time", "20", "--noproxy", "", "-x", "http://127.0.0.1:\(recorder.port)",
                "http://127.0.0.1:\(origin.port)/\(path)",
            ],
            executable: "/usr/bin/curl"
        )
        #expect(result.status == 0, "\(result.errors)")
        return result.output.utf8.count
    }

    private func wait(for text: String, from recorder: RecorderProcess) async throws {
        for _ in 0..<1000 {
            if recorder.messages.contains(text) { break }
            try await Task.sleep(for: .milliseconds(10))
        }
        #expect(recorder.messages.contains(text), "\(recorder.messages)")
    }

    private func whole(_ path: String) throws -> Int {
        let capture = try CaptureReader.read(path: path)
        #expect(capture.losses.isEmpty)
        let parsed = try Program.run(
            ["-c", "import json, sys; print(len(json.load(open(sys.argv[1]))['log']['entries']))", path],
            executable: "/usr/bin/python3"
        )
        #expect(parsed.output == "\(capture.count)\n", "\(parsed.errors)")
        return capture.count
    }

    @Test(.enabled(if: SmallDisk.isPossible, rights))
    func trafficGoesOnWhenTheDiskIsFull() async throws {
        let folder = try TemporaryFolder()
        let disk = try SmallDisk(kilobytes: 256)
        defer {
            disk.remove()
            folder.remove()
        }
        let origin = try await Self.origin()
        let recorder = try RecorderProcess(into: disk.file("login.har"), folder: folder)
        #expect(recorder.messages.contains("there is room for"), "little room is told of at the start")
        #expect(try await get("100", origin, recorder) == 100)
        try disk.fill()
        for number in 0..<6 { #expect(try await get("8000/\(number)", origin, recorder) == 8000) }
        // At once: the answer came after it.
        let first = "login.har cannot be written: No space left on device"
        #expect(recorder.messages.contains(first), "\(recorder.messages)")
        #expect(recorder.interrupt() == 1)
        #expect(recorder.messages.components(separatedBy: first).count == 2, "told once")
        let inFile = try whole(recorder.capture)
        #expect(inFile >= 1 && inFile < 7)
        let last = try #require(recorder.messages.split(separator: "\n").last)
        #expect(
            last.hasPrefix("authreel: error: \(7 - inFile) exchanges of this recording are not in ")
                && last.contains(" since 20") && last.hasSuffix(": No space left on device"),
            "\(last)"
        )
        #expect(
            recorder.messages.contains(
                "login.har: \(inFile) exchange\(inFile == 1 ? "" : "s") recorded\n"
            )
        )
        await origin.stop()
    }

    @Test(.enabled(if: SmallDisk.isPossible, rights))
    func recordingGoesOnWhenThereIsRoomAgain() async throws {
        let folder = try TemporaryFolder()
        let disk = try SmallDisk(kilobytes: 256)
        defer {
            disk.remove()
            folder.remove()
        }
        let origin = try await Self.origin()
        let recorder = try RecorderProcess(into: disk.file("login.har"), folder: folder)
        try disk.fill()
        for number in 0..<4 { #expect(try await get("8000/\(number)", origin, recorder) == 8000) }
        try await wait(for: "cannot be written", from: recorder)
        try FileManager.default.removeItem(atPath: disk.file("ballast"))
        try await wait(for: "login.har is written again: ", from: recorder)
        #expect(try await get("8000/5", origin, recorder) == 8000)
        #expect(recorder.interrupt() == 0, "\(recorder.messages)")
        #expect(try whole(recorder.capture) == 5)
        await origin.stop()
    }

    @Test(.enabled(if: FrozenDisk.isPossible, "a file system can be frozen by root only"))
    func diskThatTakesNothingForAWhileIsToldOf() async throws {
        let folder = try TemporaryFolder()
        let disk = try FrozenDisk()
        defer {
            disk.remove()
            folder.remove()
        }
        let origin = try await Self.origin()
        let recorder = try RecorderProcess(into: disk.file("login.har"), folder: folder)
        #expect(try await get("100", origin, recorder) == 100)
        try disk.freeze()
        async let answer = get("200", origin, recorder)
        try await wait(for: "login.har has not taken what was written for ", from: recorder)
        #expect(!recorder.messages.contains("is written again"))
        try disk.thaw()
        #expect(try await answer == 200, "the answer went on when its entry was in the file")
        try await wait(for: "login.har is written again after ", from: recorder)
        #expect(recorder.interrupt() == 0, "\(recorder.messages)")
        #expect(recorder.messages.components(separatedBy: "has not taken").count == 2, "told once")
        #expect(try whole(recorder.capture) == 2)
        await origin.stop()
    }

    /// A limit on the size of files needs nobody's rights, and would kill a program that is not prepared for it.
    @Test func fileThatMayNotGrowIsToldOf() async throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let origin = try await Self.origin()
        let recorder = try RecorderProcess(into: folder.file("login.har"), folder: folder)
        #expect(try await get("100", origin, recorder) == 100)
        func limit(_ value: String) throws {
            let result = try Program.run(
                ["--pid", "\(recorder.processID)", "--fsize=\(value):"],
                executable: "/usr/bin/prlimit"
            )
            #expect(result.status == 0, "\(result.errors)")
        }
        try limit("10000")
        for number in 0..<3 { #expect(try await get("12000/\(number)", origin, recorder) == 12_000) }
        #expect(recorder.messages.contains("cannot be written: File too large"), "\(recorder.messages)")
        #expect(try whole(recorder.capture) == 1)
        try limit("unlimited")
        try await wait(for: "is written again: 3 exchanges that waited are in it", from: recorder)
        try limit("60000")
        for number in 0..<2 { #expect(try await get("30000/\(number)", origin, recorder) == 30_000) }
        #expect(recorder.interrupt() == 1)
        #expect(
            recorder.messages.components(separatedBy: "cannot be written").count == 3,
            "told again: \(recorder.messages)"
        )
        #expect(try whole(recorder.capture) == 4)
        #expect(recorder.messages.contains("error: 2 exchanges of this recording are not in "))
        await origin.stop()
    }

    @Test(.enabled(if: SmallDisk.isPossible, rights), arguments: [(7, Int32(7)), (0, 1)])
    func statusOfACommandIsKept(_ row: (command: Int, recording: Int32)) async throws {
        let folder = try TemporaryFolder()
        let disk = try SmallDisk(kilobytes: 128)
        defer {
            disk.remove()
            folder.remove()
        }
        let origin = try await Self.origin()
        let result = try await Program.runAside([
            "record", "--listen", "127.0.0.1:0", "--ca-dir", folder.file("ca"), "--out",
            disk.file("login.har"), "--", "sh", "-c",
            "dd if=/dev/zero of=\(disk.file("ballast")) 2>/dev/null; "
                + "curl -sS http://127.0.0.1:\(origin.port)/9000 | wc -c; exit \(row.command)",
        ])
        #expect(result.output.trimmingCharacters(in: .whitespacesAndNewlines) == "9000")
        #expect(result.status == row.recording, "\(result.errors)")
        #expect(result.errors.contains("error: 1 exchange of this recording is not in "))
        // Something did come through.
        #expect(!result.errors.contains("nothing came through"))
        #expect(try whole(disk.file("login.har")) == 0)
        await origin.stop()
    }

    // MARK: At the start

    private func refusal(_ path: String) throws -> Program.Result {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let result = try Program.run([
            "record", "--listen", "127.0.0.1:0", "--ca-dir", folder.file("ca"), "--out", path, "--", "sh",
            "-c",
            "echo traffic",
        ])
        #expect(result.status == 66 && result.output.isEmpty, "\(result)")
        #expect(!result.errors.contains("listening on"))
        #expect(result.errors.contains("authreel: hint: name a file in a folder that is there, with room"))
        return result
    }

    @Test(.enabled(if: SmallDisk.isPossible, rights))
    func fullDiskAtTheStartIsAnErrorThatLeavesNothing() throws {
        let disk = try SmallDisk(kilobytes: 16)
        defer { disk.remove() }
        try disk.fill()
        let path = disk.file("login.har")
        #expect(
            try refusal(path).errors.contains(
                "authreel: error: \(path) cannot be written: No space left on device\n"
            )
        )
        #expect(try FileManager.default.contentsOfDirectory(atPath: disk.path) == ["ballast"])
    }

    @Test(.enabled(if: SmallDisk.isPossible, rights), arguments: [true, false])
    func readOnlyFolderAtTheStartIsAnError(isThere: Bool) throws {
        let disk = try SmallDisk(kilobytes: 16)
        defer { disk.remove() }
        let path = disk.file("login.har")
        if isThere { _ = FileManager.default.createFile(atPath: path, contents: nil) }
        try disk.makeReadOnly()
        #expect(
            try refusal(path).errors.contains(
                "authreel: error: \(path) cannot be written: Read-only file system\n"
            )
        )
    }

    @Test func missingFolderAtTheStartIsAnError() throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let path = folder.file("nowhere/login.har")
        #expect(
            try refusal(path).errors.contains("\(path) cannot be written: No such file or directory\n")
        )
    }

    // MARK: Files that are taken away

    @Test func deletedFileIsThereAgain() async throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let origin = try await Self.origin()
        let recorder = try RecorderProcess(into: folder.file("login.har"), folder: folder)
        for number in 0..<3 { #expect(try await get("100/\(number)", origin, recorder) == 100) }
        try FileManager.default.removeItem(atPath: recorder.capture)
        try await wait(for: "login.har was deleted or moved; it is there again", from: recorder)
        #expect(try whole(recorder.capture) == 3)
        #expect(try await get("100/3", origin, recorder) == 100)
        try FileManager.default.removeItem(atPath: recorder.capture)
        // Nobody has looked since: the end does.
        #expect(recorder.interrupt() == 0)
        #expect(try whole(recorder.capture) == 4)
        #expect(recorder.messages.contains("login.har: 4 exchanges recorded\n"), "\(recorder.messages)")
        await origin.stop()
    }

    @Test func replacedFileIsLeftAlone() async throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let origin = try await Self.origin()
        let recorder = try RecorderProcess(into: folder.file("login.har"), folder: folder)
        #expect(try await get("100/1", origin, recorder) == 100)
        try "another's".write(toFile: folder.file("other"), atomically: false, encoding: .utf8)
        #expect(rename(folder.file("other"), recorder.capture) == 0)
        try await wait(for: "login.har was replaced by another file, which is left alone", from: recorder)
        #expect(try await get("100/2", origin, recorder) == 100)
        #expect(recorder.interrupt() == 0)
        #expect(try whole(folder.file("login-2.har")) == 2)
        #expect(try String(contentsOfFile: recorder.capture, encoding: .utf8) == "another's")
        #expect(recorder.messages.contains("login-2.har: 2 exchanges recorded\n"), "\(recorder.messages)")
        await origin.stop()
    }

    @Test func emptiedFileIsToldOfInTheStatus() async throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let origin = try await Self.origin()
        let recorder = try RecorderProcess(into: folder.file("login.har"), folder: folder)
        for number in 0..<2 { #expect(try await get("100/\(number)", origin, recorder) == 100) }
        // The entries have been there for longer than the recorder looks away.
        try await Task.sleep(for: .milliseconds(2300))
        #expect(truncate(recorder.capture, 0) == 0)
        try await wait(for: "another program wrote into ", from: recorder)
        #expect(try await get("100/2", origin, recorder) == 100)
        #expect(recorder.interrupt() == 1)
        #expect(try whole(recorder.capture) == 1)
        #expect(recorder.messages.contains("error: 2 exchanges of this recording are not in "))
        await origin.stop()
    }
}
