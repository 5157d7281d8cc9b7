import Captures
import Foundation
import JSON
import TestSupport
import Testing

/// `authreel import` as a user runs it.
@Suite(.serialized, .timeLimit(.minutes(5)))
struct ImportCommandTests {
    private func names(_ folder: TemporaryFolder) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()
    }

    /// What `show` or `diagnose` says, times aside; these are for themselves.
    private func story(_ command: String, _ path: String) throws -> (JSONValue, [Timestamp]) {
        let url = URL(filePath: path)
        let result = try Program.run(
            [command, "--format", "json", url.lastPathComponent],
            in: url.deletingLastPathComponent().path
        )
        #expect(result.status <= 1, "\(result.errors)")
        var times: [Timestamp] = []
        func without(_ value: JSONValue) -> JSONValue {
            switch value {
            case .array(let elements): return .array(elements.map(without))
            case .object(let object):
                return .object(
                    JSONObject(
                        object.members.compactMap { member in
                            guard ["at", "started"].contains(member.name) else {
                                return .init(name: member.name, value: without(member.value))
                            }
                            times += member.value.string.flatMap(Timestamp.init(rfc3339:)).map { [$0] } ?? []
                            return nil
                        }
                    )
                )
            case .null, .bool, .number, .string: return value
            }
        }
        let story = without(try JSONParser.parse(result.output.utf8))
        return (story, times)
    }

    /// What is to be typed next can be pasted, whatever the file is called.
    @Test func hintsQuoteWhatAShellWouldChange() throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let recording = Fixtures.root.appending(path: "captures/healthy/web-code-flow.har").path
        let out = folder.file("my login's.har")
        let result = try Program.run(["import", recording, "--out", out])
        #expect(result.status == 0 && result.errors.contains(" diagnose '\(folder.path)/my login'\\''s.har'"))
        let missing = try Program.run(["show", folder.file("not there.har")])
        #expect(missing.errors.contains(" record --out '\(folder.path)/not there.har' makes one"))
    }

    /// Whoever names keys has forgotten the packets where there are none.
    @Test func keysThatNothingNeedsAreTold() throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let recording = Fixtures.root.appending(path: "captures/healthy/web-code-flow.har").path
        let keys = folder.file("login.keys")
        try Data("# none yet\n".utf8).write(to: URL(filePath: keys))
        let (with, without) = (folder.file("with.har"), folder.file("without.har"))
        let told = try Program.run(["import", recording, "--keylog", keys, "--out", with])
        #expect(told.status == 0 && told.errors.contains("this file has none: nothing was taken of \(keys)"))
        let silent = try Program.run(["import", recording, "--out", without])
        #expect(silent.status == 0 && !silent.errors.contains("--keylog"))
        #expect(try Data(contentsOf: URL(filePath: with)) == Data(contentsOf: URL(filePath: without)))
    }

    /// `authreel import … 2>&1 | head -1`: the capture is made all the same; to a pipe that nobody reads any more none is, and
    /// nothing is left.
    @Test func nothingIsLeftWhenNobodyListens() throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let recording = Fixtures.root.appending(path: "Tests/Recordings/devtools-chromium.har").path
        for (out, left) in [("login.har", ["login.har"]), ("-", ["login.har"])] {
            let result = try Program.run(
                ["-c", "\"$0\" import \"$1\" --out \"$2\" 2>&1 | exec true", Program.path, recording, out],
                executable: "/bin/sh",
                environment: ["TMPDIR": folder.path],
                in: folder.path
            )
            #expect(result.status == 0)
            #expect(try names(folder) == left)
        }
    }

    /// Two halves with clocks that differ make the login that was recorded: the same flows, steps, links and findings.
    @Test(
        arguments: [
            "login-http2", "login-cleartext", "key-rotated", "broken-client-secret", "broken-clock-ahead",
            "broken-kid-unknown", "broken-state-expired", "broken-callback-replayed",
        ],
        [false, true]
    )
    func halvesMakeTheWholeLogin(recording: String, isAligned: Bool) throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let split = try SplitLogin(recording, ahead: .seconds(37), in: folder)
        try #require(split.shared > 1)
        let out = folder.file("login.har")
        let result = try Program.run(
            ["import", split.browser, split.server, "--out", out, "--format", "json"]
                + (isAligned ? ["--align-clocks"] : [])
        )
        #expect(result.status == 0, "\(result.errors)")
        let summary = try JSONParser.parse(result.output.utf8)
        #expect(summary["seen_twice"]?.int == Int64(split.shared))
        #expect(summary["undecided"] == 0)
        let clock = summary["files"]?.array?[1]["clock"]
        let ahead = try #require(clock?["ahead"]?.double)
        #expect(abs(ahead - 37) <= clock?["within"]?.double ?? 0)
        for command in ["show", "diagnose"] {
            let (expected, times) = try story(command, split.original)
            let (found, others) = try story(command, out)
            #expect(found == expected, "\(command)")
            #expect(times.count == others.count)
            #expect(zip(times, others).allSatisfy { abs($0.nanoseconds - $1.nanoseconds) < 3_000_000 })
        }
        let shown = try Program.run(["show", out])
        #expect(shown.errors.contains("entries of server.har are read") == !isAligned)
    }

    @Test func fileIsForItsOwnerAloneAndNothingElseIsLeft() throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let split = try SplitLogin("login-http2", ahead: .seconds(-5), in: folder)
        let out = folder.file("both.har")
        let result = try Program.run(["import", split.browser, split.server, "--out", out])
        #expect(result.status == 0 && result.output.isEmpty)
        #expect(
            result.errors.contains("server.har: ") && result.errors.contains("s behind that of browser.har")
        )
        #expect(result.errors.contains("diagnose \(out)"))
        #expect(try names(folder) == ["both.har", "browser.har", "original", "server.har"])
        let mode = try FileManager.default.attributesOfItem(atPath: out)[.posixPermissions] as? Int
        #expect(mode == 0o600)
        // A capture of ours, but never one that was there before: not even the same again.
        let before = try Data(contentsOf: URL(filePath: out))
        let again = try Program.run(["import", split.browser, "--out", out])
        #expect(again.status == 66 && again.errors.contains("is not overwritten"))
        #expect(try Data(contentsOf: URL(filePath: out)) == before)
        // What points to nowhere is a name that is taken, too.
        try FileManager.default.createSymbolicLink(
            atPath: folder.file("link.har"),
            withDestinationPath: "nowhere.har"
        )
        #expect(try Program.run(["import", split.browser, "--out", folder.file("link.har")]).status == 66)
        #expect(try names(folder) == ["both.har", "browser.har", "link.har", "original", "server.har"])
    }

    /// What another producer wrote stays, in the file's own order.
    @Test func oneFileIsConverted() throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let entries = (0..<3).map { index in
            """
            {"pageref":"page_1","startedDateTime":"2026-09-21T14:13:\(30 - index).000Z","time":5,"_x":{"n":\(index)},
             "request":{"method":"GET","url":"https://a.example/\(index)","httpVersion":"h2","cookies":[],"headers":[],
             "queryString":[],"headersSize":7,"bodySize":0,"_r":1},"response":{"status":200,"statusText":"","httpVersion":"h2",
             "cookies":[],"headers":[],"content":{"size":2,"mimeType":"text/plain","text":"ok","_c":[1]},"redirectURL":"",
             "headersSize":-1,"bodySize":2,"_transferSize":9},"cache":{"_k":1},"timings":{"send":0,"wait":5,"receive":0,"_t":2}}
            """
        }
        let text =
            #"{"_outside":1,"log":{"version":"1.2","creator":{"name":"Firefox","version":"140","_p":1},"#
            + #""browser":{"name":"Firefox","version":"140"},"pages":[{"id":"page_1","title":"t","pageTimings":{}}],"#
            + #""entries":["# + entries.joined(separator: ",") + #"],"comment":"mine","_y":[1,2]}}"#
        try Data(text.utf8).write(to: URL(filePath: folder.file("firefox.har")))
        let out = folder.file("login.har")
        let result = try Program.run(["import", folder.file("firefox.har"), "--out", out])
        #expect(
            result.status == 0 && result.errors.contains("3 exchanges of firefox.har"),
            "\(result.errors)"
        )
        let (before, after) = try (
            CaptureReader.read(path: folder.file("firefox.har")), CaptureReader.read(path: out)
        )
        for name in ["browser", "pages", "comment", "_y"] {
            #expect(after.logMembers[name] == before.logMembers[name])
        }
        #expect(after.creator.name == "authreel")
        #expect(after.imported?.files.first?.creator == before.logMembers["creator"])
        #expect(after.indices.map { after[$0].request.url.path } == ["/0", "/1", "/2"])
        for index in before.indices {
            #expect(after[index].startedAt == before[index].startedAt)
            #expect(after[index].foreign == before[index].foreign)
            #expect(after[index].request.foreign == before[index].request.foreign)
            #expect(after[index].response?.foreign == before[index].response?.foreign)
            #expect(after[index].response?.body?.foreign == before[index].response?.body?.foreign)
            #expect(after[index].timings == before[index].timings)
        }
        // An entry a line, and once more it is the same.
        let lines = try String(contentsOfFile: out, encoding: .utf8).split(separator: "\n")
        #expect(lines.count == 5)
        #expect(try Program.run(["import", out, "--out", folder.file("again.har")]).status == 0)
        let again = try String(contentsOfFile: folder.file("again.har"), encoding: .utf8).split(
            separator: "\n"
        )
        #expect(again.dropFirst() == lines.dropFirst())
    }

    @Test func standardInputAndOutput() throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let split = try SplitLogin("login-http2", ahead: .seconds(37), in: folder)
        let server = try Array(Data(contentsOf: URL(filePath: split.server)))
        let result = try Program.run(["import", split.browser, "-", "--out", "-"], input: server)
        #expect(result.status == 0 && result.errors.contains("standard input: "), "\(result.errors)")
        #expect(result.errors.hasPrefix("authreel: standard output: "), "\(result.errors)")
        let read = try CaptureReader.read(bytes: Array(result.output.utf8), name: "-")
        #expect(read.losses.isEmpty && read.imported?.files.map(\.name) == ["browser.har", "standard input"])
        #expect(try names(folder) == ["browser.har", "original", "server.har"])
    }

    @Test(
        arguments: [
            ([], "--out", 64), (["--out", "x.har", "--max-body", "much"], "--max-body", 64),
            (["-", "-", "--out", "x.har"], "standard input is one file", 64),
            (["--out", "-", "--format", "json"], "standard output", 64),
            (["missing.har", "--out", "x.har"], "missing.har: no such file", 66),
            (["notes.txt", "--out", "x.har"], "notes.txt: this looks like plain text", 65),
            (["--out", "nowhere/x.har"], "nowhere/x.har cannot be written", 66),
            (["--keylog", "no.keys", "--out", "x.har"], "SSLKEYLOGFILE", 66),
            (["--keylog", ".", "--out", "x.har"], "SSLKEYLOGFILE", 66),
        ] as [([String], String, Int32)]
    )
    func troubleIsSaidAndNothingIsLeft(arguments: [String], words: String, status: Int32) throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let split = try SplitLogin("login-http2", ahead: .zero, in: folder)
        try Data("a diary".utf8).write(to: URL(filePath: folder.file("notes.txt")))
        let result = try Program.run(["import", split.browser] + arguments, in: folder.path)
        #expect(result.status == status && result.errors.contains(words), "\(result.errors)")
        #expect(try names(folder) == ["browser.har", "notes.txt", "original", "server.har"])
    }

    /// A recording that broke off is imported as far as it goes, and what is lost is said with its place.
    @Test func tornFileIsReadAsFarAsItGoes() throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let split = try SplitLogin("login-http2", ahead: .seconds(37), in: folder)
        let whole = try Data(contentsOf: URL(filePath: split.server))
        try whole.dropLast(100).write(to: URL(filePath: split.server))
        let out = folder.file("login.har")
        let result = try Program.run([
            "import", split.browser, split.server, "--out", out, "--format", "json",
        ])
        #expect(result.status == 0 && result.errors.contains("is cut off after"), "\(result.errors)")
        let losses = try JSONParser.parse(result.output.utf8)["files"]?.array?.map {
            $0["losses"]?.array?.count
        }
        #expect(losses == [0, 1])
        #expect(try CaptureReader.read(path: out).losses.isEmpty)
    }

    /// A merged capture is shared like any other: the flow stays one, and the clocks are still told.
    @Test func mergedCaptureCanBeShared() throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let split = try SplitLogin("broken-client-secret", ahead: .seconds(37), in: folder)
        let (out, shared) = (folder.file("login.har"), folder.file("shared.har"))
        #expect(try Program.run(["import", split.browser, split.server, "--out", out]).status == 0)
        let result = try Program.run(["share", out, "--out", shared])
        #expect(result.status == 0, "\(result.errors)")
        let (before, after) = try (CaptureReader.read(path: out), CaptureReader.read(path: shared))
        #expect(after.imported?.corrections == before.imported?.corrections)
        #expect(after.redaction != nil)
    }

    #if os(Linux)
    /// Seventy megabytes are imported in less memory than that.
    @Test func memoryIsThatOfAnEntryNotOfTheFile() throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let path = folder.file("long.har")
        do {
            let writer = try CaptureWriter(path: path, version: "1")
            for index in 0..<70 {
                let page = Body(
                    text: String(repeating: "\(index % 10)", count: 1 << 20),
                    mediaType: "text/plain"
                )
                try writer.append([
                    Exchange(
                        startedAt: Timestamp(seconds: 1_790_000_000 + Int64(index)),
                        request: RecordedRequest(
                            method: "GET",
                            url: RecordedURL("https://a.example/\(index)")
                        ),
                        response: RecordedResponse(status: 200, body: page)
                    )
                ])
            }
        }
        let command = "ulimit -d 49152; exec \(Program.path) import \(path) --out \(folder.file("out.har"))"
        let result = try Program.run(["-c", command], executable: "/bin/sh", within: 120)
        #expect(result.status == 0, "\(result.errors)")
        #expect(try CaptureReader.read(path: folder.file("out.har")).count == 70)
    }
    #endif

    /// Stopped while it writes, and then interrupted: no file is there that was not before.
    @Test func interruptionLeavesNothing() throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let path = folder.file("long.har")
        do {
            let writer = try CaptureWriter(path: path, version: "1")
            let exchange = Exchange(
                startedAt: Timestamp(seconds: 1_790_000_000),
                request: RecordedRequest(method: "GET", url: RecordedURL("https://a.example/")),
                response: RecordedResponse(
                    status: 200,
                    body: Body(text: String(repeating: "x", count: 10_000), mediaType: "text/plain")
                )
            )
            for _ in 0..<20 { try writer.append([Exchange](repeating: exchange, count: 500)) }
        }
        let process = Process()
        process.executableURL = URL(filePath: Program.path)
        process.arguments = ["import", path, "--out", folder.file("out.har")]
        process.standardError = FileHandle.nullDevice
        try process.run()
        let deadline = Date(timeIntervalSinceNow: 60)
        while process.isRunning, Date() < deadline {
            if try names(folder).contains(where: { $0.hasPrefix(".authreel-import-") }) { break }
            usleep(1000)
        }
        kill(process.processIdentifier, SIGSTOP)
        try #require(process.isRunning)
        #expect(try names(folder).count == 2 && !names(folder).contains("out.har"))
        kill(process.processIdentifier, SIGINT)
        kill(process.processIdentifier, SIGCONT)
        process.waitUntilExit()
        #expect(process.terminationReason == .uncaughtSignal && process.terminationStatus == SIGINT)
        #expect(try names(folder) == ["long.har"])
    }

    @Test(.enabled(if: SmallDisk.isPossible)) func fullDiskIsSaidAndLeftAsItWas() throws {
        let disk = try SmallDisk(kilobytes: 64)
        defer { disk.remove() }
        try disk.fill(sparing: 8192)
        let path = Fixtures.root.appending(path: "Tests/Recordings/login-http2.har").path
        let result = try Program.run(["import", path, "--out", disk.file("login.har")])
        #expect(result.status == 69 && result.errors.contains("No space left on device"), "\(result.errors)")
        #expect(try FileManager.default.contentsOfDirectory(atPath: disk.path) == ["ballast"])
    }
}
