import Foundation
import TestSupport
import Testing

@testable import authreel

/// What is found out and made before a command or a browser is started.
struct LaunchingTests {
    // MARK: Programs

    @Test func programsAreFoundAsAShellFindsThem() throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        try FileManager.default.createDirectory(atPath: folder.file("bin"), withIntermediateDirectories: true)
        for (name, mode) in [("bin/tool", 0o755), ("bin/text", 0o644)] {
            _ = FileManager.default.createFile(
                atPath: folder.file(name),
                contents: Data("#!/bin/sh\n".utf8),
                attributes: [.posixPermissions: mode]
            )
        }
        let searchPath = "/nowhere:\(folder.file("bin"))"
        #expect(ProgramPath.lookup("tool", searchPath: searchPath) == .found(folder.file("bin/tool")))
        #expect(
            ProgramPath.lookup("text", searchPath: searchPath)
                == .unusable("\(folder.file("bin/text")) is not executable")
        )
        #expect(ProgramPath.lookup("other", searchPath: searchPath) == .notFound)
        #expect(ProgramPath.lookup("", searchPath: searchPath) == .notFound)
        #expect(
            ProgramPath.lookup(folder.file("bin"), searchPath: "")
                == .unusable("\(folder.file("bin")) is a folder")
        )
        // The first that can be run counts, not the first of that name.
        try FileManager.default.createDirectory(
            atPath: folder.file("first/tool"),
            withIntermediateDirectories: true
        )
        #expect(
            ProgramPath.lookup("tool", searchPath: "\(folder.file("first")):\(searchPath)")
                == .found(folder.file("bin/tool"))
        )
    }

    @Test func browserIsTheFirstThatIsThereOrTheOneAskedFor() throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        for name in ["google-chrome", "firefox", "my-fox-firefox", "my-shell"] {
            _ = FileManager.default.createFile(
                atPath: folder.file(name),
                contents: Data("#!/bin/sh\n".utf8),
                attributes: [.posixPermissions: 0o755]
            )
        }
        #expect(try BrowserProgram.find(nil, searchPath: folder.path).name == "Chrome")
        #expect(try BrowserProgram.find("Firefox", searchPath: folder.path).family == .firefox)
        #expect(try BrowserProgram.find(folder.file("my-fox-firefox"), searchPath: "").family == .firefox)
        #expect(try BrowserProgram.find("my-shell", searchPath: folder.path).family == .chromium)
        #expect(throws: CommandFailure.self) { try BrowserProgram.find("edge", searchPath: folder.path) }
        let none = #expect(throws: CommandFailure.self) {
            try BrowserProgram.find(nil, searchPath: "/nowhere")
        }
        #expect(none?.message.contains("no browser found") == true && none?.status == .noInput)
        #expect(none?.hint?.contains("apt install chromium") == true)
    }

    @Test func browserOfASnapHasItsProfileWhereItMayWrite() throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let stub = folder.file("firefox")
        try "#!/bin/sh\nexec /snap/bin/firefox \"$@\"\n".write(
            toFile: stub,
            atomically: true,
            encoding: .utf8
        )
        let snap = BrowserProgram(name: "Firefox", path: stub, family: .firefox)
        #expect(snap.confinedFolder?.hasSuffix("/snap/firefox/common") == true)
        let plain = folder.file("chromium")
        try "#!/bin/sh\nexec /usr/lib/chromium/chromium\n".write(
            toFile: plain,
            atomically: true,
            encoding: .utf8
        )
        #expect(BrowserProgram(name: "Chromium", path: plain, family: .chromium).confinedFolder == nil)
    }

    @Test func commandsThatCannotBeRunHaveAShellsStatuses() throws {
        let missing = #expect(throws: CommandFailure.self) {
            try CommandLauncher(["no-such-command"], searchPath: "/bin")
        }
        #expect(missing?.status.rawValue == 127)
        let quoted = #expect(throws: CommandFailure.self) {
            try CommandLauncher(["npm start"], searchPath: "/bin")
        }
        #expect(quoted?.hint == "give command and arguments as words of their own: -- npm start")
        let folder = #expect(throws: CommandFailure.self) { try CommandLauncher(["/tmp"], searchPath: "") }
        #expect(folder?.status.rawValue == 126)
    }

    @Test(.enabled(if: FileManager.default.isExecutableFile(atPath: "/usr/bin/go")))
    func programsOfGoAreRecognised() throws {
        let tools = try FileManager.default.contentsOfDirectory(atPath: "/usr/lib").filter {
            $0.hasPrefix("go-")
        }
        .map { "/usr/lib/\($0)/bin/gofmt" }.filter { FileManager.default.isExecutableFile(atPath: $0) }
        for tool in tools { #expect(try CommandLauncher([tool], searchPath: "").isMadeByGo) }
        #expect(!tools.isEmpty)
        for other in ["sh", "python3", "ls"] {
            #expect(try !CommandLauncher([other], searchPath: "/bin:/usr/bin").isMadeByGo)
        }
    }

    @Test func windowlessMachineIsToldOf() throws {
        let program = BrowserProgram(name: "Chromium", path: "/bin/true", family: .chromium)
        #if os(Linux)
        let failure = #expect(throws: CommandFailure.self) {
            try BrowserLauncher(program: program, isHeadless: false, environment: ["DISPLAY": ""])
        }
        #expect(failure?.status == .unavailable && failure?.hint?.contains("--headless") == true)
        #endif
        #expect(throws: Never.self) {
            try BrowserLauncher(program: program, isHeadless: true, environment: [:])
        }
    }

    // MARK: Profiles

    @Test func chromiumTrustsTheRunsKeyAndRecordsLoopback() {
        let arguments = ChromiumProfile.arguments(
            folder: "/f",
            route: BrowserRoute(
                proxy: .init(host: "127.0.0.1", port: 8080),
                keyDigest: [UInt8](repeating: 0xff, count: 32),
                played: [.init(host: "0.0.0.0", port: 9443), .init(host: "192.0.2.7", port: 443)]
            ),
            isHeadless: false,
            isRoot: false,
            pages: ["https://app.example/"]
        )
        #expect(
            arguments.contains(
                "--ignore-certificate-errors-spki-list=//////////////////////////////////////////8="
            )
        )
        #expect(arguments.contains("--proxy-server=http://127.0.0.1:8080"))
        // Where an origin is played the recorder is asked without a proxy.
        let list = "--proxy-bypass-list=<-loopback>;127.0.0.1:9443;localhost:9443;192.0.2.7:443;"
        #expect(arguments.contains { $0.hasPrefix(list) })
        #expect(arguments.contains("--disable-quic"))
        #expect(!arguments.contains("--no-sandbox"))
        #expect(arguments.last == "https://app.example/")
    }

    @Test func firefoxPreferencesAreScriptThatSetsEachOnce() throws {
        let text = FirefoxProfile.preferences(
            BrowserRoute(
                proxy: .init(host: "127.0.0.1", port: 8080),
                keyDigest: [],
                played: [.init(host: "127.0.0.1", port: 9443)]
            )
        )
        let lines = text.split(separator: "\n").dropFirst()
        let names = try lines.map { line in
            let match = try #require(
                line.wholeMatch(of: /user_pref\("([a-zA-Z0-9._-]+)", (-?\d+|true|false|"[^"\\]*")\);/)
            )
            return String(match.1)
        }
        #expect(Set(names).count == names.count)
        #expect(text.contains("user_pref(\"network.proxy.allow_hijacking_localhost\", true);"))
        #expect(text.contains("user_pref(\"network.proxy.ssl_port\", 8080);"))
        #expect(text.contains("user_pref(\"network.dns.disablePrefetch\", true);"))
        #expect(text.contains("\"network.proxy.no_proxies_on\", \"127.0.0.1:9443, localhost:9443, "))
    }

    // MARK: Processes

    @Test(arguments: [
        ("7 (apache2) S 1 7 7 0 -1", "apache2", 1, 7), ("12 (a) (b c) Z 3 4 5 0", "a) (b c", 3, 5),
    ])
    func processIsReadWhateverItsName(_ row: (text: String, name: String, parent: Int32, session: Int32))
        throws
    {
        let member = try #require(ProcessTree.parse(Array(row.text.utf8)))
        #expect(member.name == row.name && member.parent == row.parent && member.session == row.session)
        #expect(member.isZombie == row.text.contains(" Z "))
    }

    @Test(arguments: ["", "7", "7 (x", "7 (x) S", "x (y) S 1 2 3", ")("])
    func otherTextIsNoProcess(_ text: String) { #expect(ProcessTree.parse(Array(text.utf8)) == nil) }

    @Test func endingIsKnownHoweverLateOneAsks() async throws {
        let child = try ChildProcess(
            path: "/bin/sh",
            name: "sh",
            arguments: ["-c", "exit 5"],
            environment: [:]
        )
        #expect(await child.wait() == .exited(5))
        #expect(await child.wait() == .exited(5))
        #expect(child.ending == .exited(5))
        child.send(SIGKILL)
    }

    @Test func childHearsSignalsThatWeIgnore() async throws {
        let before = signal(SIGTERM, SIG_IGN)
        defer { signal(SIGTERM, before) }
        let child = try ChildProcess(
            path: "/bin/sleep",
            name: "sleep",
            arguments: ["60"],
            environment: [:],
            leadsGroup: true
        )
        child.send(SIGTERM)
        #expect(await child.wait() == .signalled(SIGTERM))
    }

    @Test func programThatTheSystemRefusesIsAnError() throws {
        let failure = #expect(throws: CommandFailure.self) {
            try ChildProcess(path: "/etc/passwd", name: "x", arguments: [], environment: [:])
        }
        #expect(failure?.status == .cannotInvoke)
    }

    // MARK: The run's folder

    @Test func folderIsGoneAfterwardsAndSoIsThatOfADeadRecorder() async throws {
        let parent = try TemporaryFolder()
        defer { parent.remove() }
        let dead = try ChildProcess(path: "/bin/true", name: "true", arguments: [], environment: [:])
        _ = await dead.wait()
        let abandoned = parent.file("authreel-run-\(dead.processID)-abcdef")
        let alive = parent.file("authreel-run-1-abcdef")
        for path in [abandoned, alive, parent.file("authreel-run-x"), parent.file("other")] {
            try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
        }
        let folder = try RunFolder(in: parent.path)
        try folder.write("secret".utf8, to: "a/b")
        try folder.write("public".utf8, to: "c/d", isPublic: true)
        func mode(_ name: String) throws -> Int? {
            try FileManager.default.attributesOfItem(atPath: folder.file(name))[.posixPermissions] as? Int
        }
        #expect(try mode("") == 0o711)
        #expect(try mode("a") == 0o700 && mode("a/b") == 0o600)
        #expect(try mode("c") == 0o755 && mode("c/d") == 0o644)
        folder.remove()
        let left = try FileManager.default.contentsOfDirectory(atPath: parent.path).sorted()
        #expect(left == ["authreel-run-1-abcdef", "authreel-run-x", "other"])
    }

    /// Others may pass through the folder: what is only the owner's is never in a file that somebody has opened, or that leads elsewhere.
    @Test func fileIsANewOneForItsReaders() throws {
        let parent = try TemporaryFolder()
        defer { parent.remove() }
        let folder = try RunFolder(in: parent.path)
        let before = try folder.write("before".utf8, to: "a", isPublic: true)
        let reader = try #require(FileHandle(forReadingAtPath: before))
        try folder.write("secret".utf8, to: "a")
        #expect(try reader.readToEnd() == Data("before".utf8))
        symlink(parent.file("elsewhere"), folder.file("b"))
        try folder.write("secret".utf8, to: "b")
        #expect(!FileManager.default.fileExists(atPath: parent.file("elsewhere")))
        #expect(FileManager.default.contents(atPath: folder.file("b")) == Data("secret".utf8))
    }

    @Test func folderThatCannotBeMadeIsAnError() throws {
        let failure = #expect(throws: CommandFailure.self) { try RunFolder(in: "/nowhere/at/all") }
        #expect(failure?.hint == "TMPDIR=DIR names another one")
    }

    @Test func fileThatCannotBeWrittenInItIsAnErrorWithAWayOut() throws {
        let parent = try TemporaryFolder()
        defer { parent.remove() }
        let folder = try RunFolder(in: parent.path)
        try folder.write("x".utf8, to: "a/b")
        // There is a folder of this name.
        let failure = #expect(throws: CommandFailure.self) { try folder.write("x".utf8, to: "a") }
        #expect(failure?.hint?.contains("TMPDIR=DIR") == true)
    }

    @Test func whatIsThereAndIsNoProgramIsToldWithAWayOut() throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let browser = #expect(throws: CommandFailure.self) {
            try BrowserProgram.find(folder.path, searchPath: "")
        }
        #expect(browser?.hint?.contains("the path of its program") == true)
        let script = folder.file("a script")
        _ = FileManager.default.createFile(atPath: script, contents: Data("echo".utf8))
        let command = #expect(throws: CommandFailure.self) { try CommandLauncher([script], searchPath: "") }
        #expect(command?.hint?.hasSuffix("-- sh '\(script)'") == true)
    }
}
