import Foundation
import TestSupport
import Testing

/// `authreel record -- COMMAND` as a user runs it, the ways it can go wrong above all.
@Suite(.serialized, .timeLimit(.minutes(5)))
struct RecordCommandTests {
    private typealias Place = RecordingPlace

    // MARK: The command

    @Test(arguments: [("exit 0", Int32(0)), ("exit 7", 7), ("kill -KILL $$", 137), ("kill -TERM $$", 143)])
    func statusIsTheCommands(_ row: (script: String, status: Int32)) throws {
        let place = try Place()
        defer { place.folder.remove() }
        #expect(try place.record(["--", "sh", "-c", row.script]).status == row.status)
        #expect(place.leftFolders.isEmpty)
    }

    @Test func captureThatNobodyNamedIsKeptWhereSomethingIsInIt() throws {
        let place = try Place()
        defer { place.folder.remove() }
        let nothing = try place.recordUnnamed(["true"])
        #expect(nothing.result.status == 0 && nothing.left.isEmpty, "\(nothing.left)")
        #expect(
            nothing.result.errors.contains("nothing was recorded, so it is not kept"),
            "\(nothing.result.errors)"
        )
        // A failed one is an exchange as well.
        let refused = try place.recordUnnamed(["curl", "-s", "http://127.0.0.1:9/"])
        #expect(refused.left.count == 1, "\(refused.result.errors)")
        // Whoever names a file goes on with it.
        #expect(try place.record(["--", "true"]).status == 0)
        #expect(FileManager.default.fileExists(atPath: place.folder.file("login.har")))
    }

    @Test(arguments: [
        ("http://127.0.0.1:9/", "X: " + String(repeating: "x", count: 3000), "431", "--max-head 1M"),
        ("http://127.0.0.1:9/", "Content-Length: 3, 4", "400", "which is in the capture"),
    ])
    func requestThatTheRecorderAnswersItselfIsTold(
        url: String,
        field: String,
        status: String,
        help: String
    ) throws {
        let place = try Place()
        defer { place.folder.remove() }
        // With another request behind it: whose the first was is found out beside it.
        let result = try place.record([
            "--max-head", "2K", "--", "sh", "-c",
            "curl -s -H \"$1\" \"$2\"; curl -s -o /dev/null http://authreel.proxy/", "sh", field, url,
        ])
        #expect(
            result.errors.contains(" is answered \(status) by the recorder: "),
            "\(result.errors)"
        )
        #expect(result.errors.contains(help), "\(result.errors)")
        #expect(!result.errors.contains("does the client use the proxy"), "it does")
    }

    @Test func outputPassesUntouched() throws {
        let place = try Place()
        defer { place.folder.remove() }
        let result = try place.record(["--", "sh", "-c", "printf 'a\\0b\\n'; echo error >&2"])
        #expect(result.output == "a\0b\n")
        #expect(result.errors.contains("\nerror\n"))
        #expect(!result.errors.contains("\u{1b}"), "no colour outside of a terminal")
    }

    @Test func commandGetsThroughAndIsNamed() throws {
        let place = try Place()
        defer { place.folder.remove() }
        let result = try place.record(
            [
                "--", "sh", "-c",
                "curl -sS \"$HTTP_PROXY/ca.pem\" --noproxy '*' | head -1; echo [${NO_PROXY-unset}]",
            ],
            environment: ["NO_PROXY": "localhost"]
        )
        #expect(result.output == "-----BEGIN CERTIFICATE-----\n[]\n")
    }

    @Test func noDescriptorsOfOursReachTheCommand() throws {
        let place = try Place()
        defer { place.folder.remove() }
        // Without those of whoever runs the tests, and with one that the user gives on.
        let start =
            "import os, sys; os.closerange(3, 4096); os.dup2(0, 8); os.execv(sys.argv[1], sys.argv[1:])"
        let seen = try Program.run(
            ["-c", start, Program.path] + place.options
                + ["--keylog", place.folder.file("keys"), "--", "sh", "-c", "ls /proc/$$/fd"],
            executable: "/usr/bin/python3"
        )
        #expect(seen.output.split(separator: "\n") == ["0", "1", "2", "8"], "\(seen.errors)")
    }

    @Test(arguments: [("no-such-command", Int32(127)), ("/etc/passwd", 126), ("/etc", 126)])
    func commandThatCannotBeRunLeavesNothing(_ row: (command: String, status: Int32)) throws {
        let place = try Place()
        defer { place.folder.remove() }
        let result = try place.record(["--", row.command])
        #expect(result.status == row.status)
        #expect(result.errors.hasPrefix("authreel: error: "))
        #expect(!FileManager.default.fileExists(atPath: place.folder.file("login.har")))
        #expect(place.leftFolders.isEmpty)
    }

    @Test func daemonIsRecordedUntilItEnds() throws {
        let place = try Place()
        defer { place.folder.remove() }
        let over = place.folder.file("over")
        let result = try place.record([
            "--", "sh", "-c", "setsid sh -c 'sleep 1; echo > \(over)' >/dev/null 2>&1 & exit 0",
        ])
        #expect(result.status == 0)
        #expect(result.errors.contains("sh goes on in the background as sh (process "))
        #expect(FileManager.default.fileExists(atPath: over))
    }

    @Test func whatAFailedCommandLeavesEndsWithIt() throws {
        let place = try Place()
        defer { place.folder.remove() }
        let pidFile = place.folder.file("pid")
        let result = try place.record([
            "--", "sh", "-c",
            "setsid sh -c 'echo $$ > \(pidFile); exec sleep 60' >/dev/null 2>&1 & \(Place.written(pidFile)); exit 3",
        ])
        #expect(result.status == 3)
        #expect(result.errors.contains("sh left sleep (process "))
        let left = try #require(Place.processID(in: pidFile))
        #expect(!Place.isRunning(left))
    }

    // MARK: The machine

    @Test func takenPortIsNoTrouble() throws {
        let place = try Place()
        defer { place.folder.remove() }
        // 8080 itself may be taken here by whom we know nothing of.
        let first = Process()
        first.executableURL = URL(filePath: Program.path)
        first.arguments = [
            "record", "--out", place.folder.file("a.har"), "--ca-dir", place.folder.file("ca"),
        ]
        _ = FileManager.default.createFile(atPath: place.folder.file("err"), contents: nil)
        first.standardError = FileHandle(forWritingAtPath: place.folder.file("err"))
        try first.run()
        defer { _ = Place.ending(first, within: 10) }
        defer { kill(first.processIdentifier, SIGTERM) }
        func port(_ text: String) -> Int? {
            text.split(separator: "\n").first { $0.hasPrefix("listening on 127.0.0.1:") }?.split(
                separator: ":"
            ).last
                .flatMap { Int($0) }
        }
        var taken: Int?
        for _ in 0..<1000 where taken == nil {
            usleep(10_000)
            taken = port((try? String(contentsOfFile: place.folder.file("err"), encoding: .utf8)) ?? "")
        }
        let result = try Program.run([
            "record", "--out", place.folder.file("b.har"), "--ca-dir", place.folder.file("ca"), "--", "true",
        ])
        #expect(try #require(port(result.errors)) > #require(taken))
        #expect(result.errors.contains("port 8080 is taken: listening on the next free one"))
        let asked = try Program.run([
            "record", "--listen", "127.0.0.1:\(taken ?? 0)", "--out", place.folder.file("c.har"), "--ca-dir",
            place.folder.file("ca"), "--", "true",
        ])
        #expect(asked.status == 69, "who names a port wants that one")
        #expect(asked.errors.contains("127.0.0.1:\(taken ?? 0)"), "\(asked.errors)")
        let made = FileManager.default.fileExists(atPath: place.folder.file("c.har"))
        #expect(!made, "a recording that did not begin leaves no capture")
    }

    @Test func secondRecorderOfAFileIsToldWhoHoldsIt() throws {
        let place = try Place()
        defer { place.folder.remove() }
        let (process, _) = try place.started("exec sleep 60")
        defer { _ = Place.ending(process, within: 10) }
        defer { kill(process.processIdentifier, SIGTERM) }
        let result = try place.record(["--", "true"])
        #expect(result.status == 69)
        #expect(result.errors.contains("process \(process.processIdentifier)"), "\(result.errors)")
    }

    @Test(arguments: ["/proc", "/nowhere"])
    func homeThatCannotBeWrittenSaysWhatToDo(_ home: String) throws {
        let place = try Place()
        defer { place.folder.remove() }
        let home = home == "/nowhere" ? place.folder.file("file") + "/home" : home
        try Data().write(to: URL(filePath: place.folder.file("file")))
        let result = try Program.run(
            ["record", "--listen", "127.0.0.1:0", "--out", place.folder.file("login.har"), "--", "true"],
            environment: ["HOME": home, "XDG_CONFIG_HOME": ""]
        )
        #expect(result.status == 66)
        #expect(result.errors.contains("is kept there: --ca-dir DIR uses another folder"))
    }
}
