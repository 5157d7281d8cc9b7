import Foundation
import JSON
import TestSupport
import Testing

/// `authreel record -- COMMAND` and `--browser` as a user runs them, the ways it can go wrong above all.
@Suite(.serialized, .timeLimit(.minutes(5)))
struct RecordCommandTests {
    /// A folder with all that a recording needs, and what it leaves.
    private struct Place {
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
    }

    /// What was killed is there until somebody has asked how it ended.
    private func isRunning(_ processID: Int32) -> Bool {
        for _ in 0..<100 {
            if kill(processID, 0) != 0 { return false }
            usleep(20_000)
        }
        return true
    }

    /// Shell commands that wait for a process ID in a file, and a moment for the recorder to see that process.
    private func written(_ path: String) -> String {
        "while [ ! -s \(path) ]; do sleep 0.1; done; sleep 0.5"
    }

    private func processID(in path: String) -> Int32? {
        (try? String(contentsOfFile: path, encoding: .utf8)).flatMap {
            Int32($0.trimmingCharacters(in: .whitespacesAndNewlines))
        }
    }

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
            "setsid sh -c 'echo $$ > \(pidFile); exec sleep 60' >/dev/null 2>&1 & \(written(pidFile)); exit 3",
        ])
        #expect(result.status == 3)
        #expect(result.errors.contains("sh left sleep (process "))
        let left = try #require(processID(in: pidFile))
        #expect(!isRunning(left))
    }

    // MARK: Signals

    /// A recorder in the background; returns when its command, prepared by a script, has written its process id.
    private func started(_ place: Place, preparing: String = ":", _ script: String) throws -> (
        process: Process, command: Int32
    ) {
        let process = Process()
        process.executableURL = URL(filePath: Program.path)
        let pidFile = place.folder.file("pid")
        process.arguments =
            place.options + ["--", "sh", "-c", "\(preparing); echo $$ > \(pidFile); \(script)"]
        process.environment = ProcessInfo.processInfo.environment.merging(["TMPDIR": place.folder.file("tmp")]
        ) { $1 }
        _ = FileManager.default.createFile(atPath: place.folder.file("err"), contents: nil)
        process.standardOutput = FileHandle.nullDevice
        process.standardInput = FileHandle.nullDevice
        process.standardError = FileHandle(forWritingAtPath: place.folder.file("err"))
        try process.run()
        for _ in 0..<1000 where processID(in: pidFile) == nil { usleep(10_000) }
        return (process, try #require(processID(in: pidFile)))
    }

    private func ending(_ process: Process, within seconds: Double) -> Int32 {
        let killer = DispatchWorkItem { kill(process.processIdentifier, SIGKILL) }
        DispatchQueue.global().asyncAfter(deadline: .now() + seconds, execute: killer)
        process.waitUntilExit()
        killer.cancel()
        return process.terminationStatus
    }

    @Test(arguments: [SIGTERM, SIGINT, SIGHUP])
    func signalIsHandedOnAndTheCommandsStatusIsKept(_ signal: Int32) throws {
        let place = try Place()
        defer { place.folder.remove() }
        let (process, command) = try started(
            place,
            preparing: "trap 'exit 23' TERM INT HUP",
            "while :; do sleep 0.1; done"
        )
        kill(process.processIdentifier, signal)
        #expect(ending(process, within: 10) == 23)
        #expect(!isRunning(command))
        #expect(place.leftFolders.isEmpty)
    }

    @Test func secondInterruptionEndsWhatDoesNotListen() throws {
        let place = try Place()
        defer { place.folder.remove() }
        let heard = place.folder.file("heard")
        let (process, command) = try started(
            place,
            preparing: "trap 'echo > \(heard)' TERM INT",
            "while :; do sleep 0.1; done"
        )
        kill(process.processIdentifier, SIGINT)
        for _ in 0..<1000 where !FileManager.default.fileExists(atPath: heard) { usleep(10_000) }
        #expect(FileManager.default.fileExists(atPath: heard), "the first one is handed on")
        #expect(process.isRunning && kill(command, 0) == 0)
        kill(process.processIdentifier, SIGINT)
        #expect(ending(process, within: 10) == 137)
        #expect(!isRunning(command))
        #expect(place.leftFolders.isEmpty)
        let errors = try String(contentsOfFile: place.folder.file("err"), encoding: .utf8)
        #expect(errors.contains("0 exchanges recorded"))
    }

    @Test func ctrlCReachesTheCommandOnce() throws {
        let place = try Place()
        defer { place.folder.remove() }
        let seen = try place.onTerminal(
            place.options + [
                "--", "sh", "-c",
                "trap 'echo interrupted; n=$((n+1))' INT; echo ready; while [ -z \"$n\" ]; do sleep 0.1; done; "
                    + "for i in 1 2 3 4 5; do sleep 0.1; done; exit $n",
            ],
            type: [("ready", "\\x03")]
        )
        #expect(seen.text.components(separatedBy: "interrupted").count == 2, "\(seen.text)")
        #expect(seen.status == 1)
    }

    @Test func ctrlCEndsARecordingWithoutACommand() throws {
        let place = try Place()
        defer { place.folder.remove() }
        // The line comes a moment after the address.
        let seen = try place.onTerminal(
            place.options,
            columns: 40,
            type: [("backend: not yet seen", "\\x03")]
        )
        #expect(seen.status == 0)
        #expect(seen.text.contains("browser: not yet seen · backend: not yet seen"))
    }

    @Test func killedRecordersFolderIsRemovedByTheNext() throws {
        let place = try Place()
        defer { place.folder.remove() }
        let (process, command) = try started(place, "exec sleep 60 > /dev/null 2>&1")
        kill(process.processIdentifier, SIGKILL)
        kill(command, SIGKILL)
        process.waitUntilExit()
        #expect(place.leftFolders.count == 1)
        #expect(try place.record(["--", "true"]).status == 0)
        #expect(place.leftFolders.isEmpty)
    }

    // MARK: The browser

    @Test func browserThatDiesIsToldOfWithItsLastWords() throws {
        let place = try Place()
        defer { place.folder.remove() }
        let broken = try place.script("chromium", "echo cannot open the display >&2; exit 3")
        let result = try place.record([
            "--headless", "--browser-program", broken, "--browser", "https://x.example/",
        ])
        #expect(result.status == 69)
        #expect(result.errors.contains("authreel: browser: cannot open the display\n"))
        #expect(result.errors.contains("warning: the browser ended with status 3\n"))
        #expect(place.leftFolders.isEmpty)
    }

    @Test func closedBrowserEndsTheRecording() throws {
        let place = try Place()
        defer { place.folder.remove() }
        let closed = try place.script(
            "chromium",
            "for last; do :; done; echo \"$last\" > \(place.folder.file("page"))"
        )
        let result = try place.record(["--headless", "--browser-program", closed, "--browser"])
        #expect(result.status == 0)
        #expect(
            try String(contentsOfFile: place.folder.file("page"), encoding: .utf8)
                == "https://authreel.proxy/\n"
        )
        #expect(place.leftFolders.isEmpty)
    }

    @Test func browserWaitsForTheServerThatTheCommandStarts() throws {
        let place = try Place()
        defer { place.folder.remove() }
        let browser = try place.script(
            "chromium",
            "for last; do :; done; curl -sS --noproxy '*' \"$last\" > \(place.folder.file("page"))"
        )
        let server = """
            import http.server, sys, time
            time.sleep(1)
            class Handler(http.server.BaseHTTPRequestHandler):
                def do_GET(self):
                    self.send_response(200); self.end_headers(); self.wfile.write(b'late'); self.server.done = True
            server = http.server.HTTPServer(('127.0.0.1', int(sys.argv[1])), Handler)
            server.done = False
            while not server.done: server.handle_request()
            """
        let port = try freePort()
        let result = try place.record([
            "--headless", "--browser-program", browser, "--browser", "http://localhost:\(port)/", "--",
            "python3", "-c",
            server, "\(port)",
        ])
        #expect(result.status == 0, "\(result.errors)")
        #expect(try String(contentsOfFile: place.folder.file("page"), encoding: .utf8) == "late")
    }

    /// Clients on the command line start a browser for the login (RFC 8252, section 7.3): the one that is recorded.
    @Test func pagesThatTheCommandOpensGoToTheRecordedBrowser() throws {
        let place = try Place()
        defer { place.folder.remove() }
        let pages = place.folder.file("pages")
        let browser = try place.script(
            "chromium",
            """
            touch "${1#--user-data-dir=}/SingletonLock"
            for last; do :; done
            echo "$1 $2 $last" >> \(pages)
            exec sleep 60
            """
        )
        let result = try place.record([
            "--headless", "--browser-program", browser, "--browser", "http://x.example/", "--", "sh", "-c",
            """
            "$BROWSER" "http://y.example/?a=it's&b=\\$c"
            "$(basename "$BROWSER")" http://z.example/
            until [ "$(wc -l < \(pages))" = 3 ]; do sleep 0.1; done
            """,
        ])
        #expect(result.status == 0, "\(result.errors)")
        let lines = try String(contentsOfFile: pages, encoding: .utf8).split(separator: "\n").map {
            $0.split(separator: " ")
        }
        #expect(
            lines.compactMap(\.last).sorted() == [
                "http://x.example/", "http://y.example/?a=it's&b=$c", "http://z.example/",
            ]
        )
        // Without a window no browser takes pages of others: each has a profile of its own, and the recorder for a proxy.
        #expect(Set(lines.compactMap(\.first)).count == 3)
        #expect(Set(lines.map { $0[1] }).count == 1 && lines[0][1].hasPrefix("--proxy-server=http://"))
        #expect(!result.errors.contains("background") && !result.errors.contains("left"), "\(result.errors)")
        #expect(place.leftFolders.isEmpty)
    }

    @Test func browserIsNotStartedWhenTheRecordingEndsBeforeItsPageIsThere() throws {
        let place = try Place()
        defer { place.folder.remove() }
        let browser = try place.script(
            "chromium",
            "echo started > \(place.folder.file("page")); exec sleep 60"
        )
        let began = Date.now
        let result = try place.record([
            "--headless", "--browser-program", browser, "--browser", "http://localhost:\(try freePort())/",
            "--", "sh", "-c",
            "sleep 0.5; exit 3",
        ])
        #expect(result.status == 3)
        #expect(!FileManager.default.fileExists(atPath: place.folder.file("page")))
        #expect(!result.errors.contains("left"), "\(result.errors)")
        #expect(Date.now.timeIntervalSince(began) < 20, "a page is waited for longer")
    }

    @Test func whatTheBrowserLeavesIsEndedAndNotTheCommands() throws {
        let place = try Place()
        defer { place.folder.remove() }
        let pidFile = place.folder.file("pid")
        let browser = try place.script(
            "chromium",
            "setsid sh -c 'echo $$ > \(pidFile); exec sleep 60' >/dev/null 2>&1 & exec sleep 60"
        )
        let result = try place.record([
            "--headless", "--browser-program", browser, "--browser", "http://x.example/", "--", "sh", "-c",
            written(pidFile),
        ])
        #expect(result.status == 0)
        #expect(!result.errors.contains("background") && !result.errors.contains("left"), "\(result.errors)")
        #expect(!isRunning(try #require(processID(in: pidFile))))
        #expect(place.leftFolders.isEmpty)
    }

    @Test func browserOptionsWithoutABrowserAreAMistake() throws {
        let place = try Place()
        defer { place.folder.remove() }
        let result = try place.record(["--headless"])
        #expect(result.status == 64)
        #expect(result.errors.contains("hint: ") && result.errors.contains("/authreel record --browser"))
    }

    /// It would match no connection, and what was to stay unread would be recorded.
    @Test(arguments: ["https://bank.example", "bank.example:443", "", "*bank.example", "*."])
    func whatIsNoHostIsAMistake(text: String) throws {
        let place = try Place()
        defer { place.folder.remove() }
        for option in ["--pass-through", "--only"] {
            let result = try place.record([option, text, "--", "true"])
            #expect(result.status == 64, "\(option) \(text)")
            #expect(
                result.errors.contains("is no host") && result.errors.contains("\(option) '*.example.com'")
            )
        }
        let result = try place.record(["--pass-through", "::1", "--only", "*.Bank_1.example", "--", "true"])
        #expect(result.status == 0, "\(result.errors)")
    }

    @Test func noBrowserIsAnErrorThatSaysWhatToInstall() throws {
        let place = try Place()
        defer { place.folder.remove() }
        let result = try place.record(["--browser"], environment: ["PATH": "/nowhere"])
        #expect(result.status == 66)
        #expect(result.errors.contains("error: no browser found"))
        #expect(result.errors.contains("apt install chromium"))
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
        defer { _ = ending(first, within: 10) }
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
        let made = FileManager.default.fileExists(atPath: place.folder.file("c.har"))
        #expect(!made, "a recording that did not begin leaves no capture")
    }

    @Test func secondRecorderOfAFileIsToldWhoHoldsIt() throws {
        let place = try Place()
        defer { place.folder.remove() }
        let (process, _) = try started(place, "exec sleep 60")
        defer { _ = ending(process, within: 10) }
        defer { kill(process.processIdentifier, SIGTERM) }
        let result = try place.record(["--", "true"])
        #expect(result.status == 69)
        #expect(result.errors.contains("\(process.processIdentifier)"))
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
        #expect(result.errors.contains("hint: --ca-dir DIR uses another folder"))
    }

    private func freePort() throws -> Int {
        let probe = try Program.run(
            ["-c", "import socket; s=socket.socket(); s.bind(('127.0.0.1',0)); print(s.getsockname()[1])"],
            executable: "/usr/bin/python3"
        )
        return try #require(Int(probe.output.trimmingCharacters(in: .whitespacesAndNewlines)))
    }
}
