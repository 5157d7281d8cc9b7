import Captures
import Foundation
import JSON
import Proxy
import TestSupport
import Testing

/// `authreel replay --browser` and `--interactive`, with a real Chromium.
@Suite(.serialized, .timeLimit(.minutes(10)))
struct BrowserReplayTests {
    // MARK: - Pages of scripts

    /// What a replay said, and what the provider was asked.
    private struct Replayed {
        var result: Program.Result
        var asked: [String]

        var headline: String? {
            (try? JSONParser.parse(result.output.utf8))?["replays"]?.array?.first?["headline"]?.string
        }
        var stopped: String? {
            (try? JSONParser.parse(result.output.utf8))?["replays"]?.array?.first?["stopped"]?.string
        }
    }

    private static func replay(
        _ manner: ScriptedProvider.Manner,
        recorded: ScriptedProvider.Manner? = nil,
        redirectURI: String = "https://app.example/cb",
        _ options: [String] = [],
        environment: [String: String] = [:]
    ) async throws -> Replayed {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let provider = ScriptedProvider(manner)
        let server = try await LocalServer.start { provider.respond(to: $0) }
        let capture = folder.file("login.har")
        try CaptureWriter(path: capture, version: "test").append(
            ScriptedProvider.recordedLogin(recorded ?? manner, redirectURI: redirectURI)
        )
        let map = "\(ScriptedProvider.recordedOrigin)=http://127.0.0.1:\(server.port)"
        let result = try await Self.run(
            ["replay", "--format", "json", "--map", map] + options + [capture],
            environment: environment.merging(["TMPDIR": folder.path]) { $1 }
        )
        #expect(Self.leftovers(in: folder).isEmpty, "a browser or its folder is left")
        await server.stop()
        return Replayed(result: result, asked: provider.asked)
    }

    /// Waits for the program beside the threads that the provider answers on.
    private static func run(_ arguments: [String], environment: [String: String]) async throws
        -> Program.Result
    {
        try await withCheckedThrowingContinuation { continuation in
            DispatchQueue.global().async {
                continuation.resume(
                    with: Result { try Program.run(arguments, environment: environment, within: 120) }
                )
            }
        }
    }

    /// Folders of browsers, and browsers that have theirs below this one.
    private static func leftovers(in folder: TemporaryFolder) -> Set<String> {
        let folders = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
        let processes = ((try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? []).filter {
            name in
            let line = FileManager.default.contents(atPath: "/proc/\(name)/cmdline") ?? Data()
            let text = String(decoding: line, as: UTF8.self)
            return text.contains("--remote-debugging-pipe") && text.contains(folder.path)
        }
        return Set(folders.filter { $0.hasPrefix("authreel-run-") } + processes)
    }

    /// Chromium, which the components come with.
    private static let hasBrowser = RealComponents.isAvailable

    @Test(.enabled(if: hasBrowser)) func formThatAScriptMadeIsFilledIn() async throws {
        let replayed = try await Self.replay(.plain, ["--browser"])
        #expect(replayed.headline == "the same", "\(replayed.result.output)\n\(replayed.result.errors)")
        #expect(
            replayed.asked.filter { $0 != "GET /favicon.ico" } == [
                "GET /authorize", "GET /app.js", "POST /session", "GET /authorize", "POST /token",
            ]
        )
    }

    @Test(.enabled(if: hasBrowser)) func appsOwnSchemeThatAScriptOpensIsCaught() async throws {
        let replayed = try await Self.replay(
            .opensAppByScript,
            recorded: .plain,
            redirectURI: "com.example.app:/cb",
            ["--browser"]
        )
        #expect(replayed.asked.last == "POST /token", "\(replayed.result.output)\n\(replayed.result.errors)")
        #expect(replayed.stopped == nil)
    }

    @Test(.enabled(if: hasBrowser)) func hostThatIsNoPartOfTheReplayIsToldOfOnce() async throws {
        let replayed = try await Self.replay(.loadsFromElsewhere, ["--browser", "--repeat", "2"])
        #expect(replayed.result.status == 0, "\(replayed.result.output)")
        let lines = replayed.result.errors.split(separator: "\n").filter {
            $0.contains("--allow-host cdn.example")
        }
        #expect(lines.count == 1, "\(replayed.result.errors)")
    }

    @Test(.enabled(if: hasBrowser)) func pageOfSomebodyElseIsNotOpened() async throws {
        let replayed = try await Self.replay(.sendsElsewhere, recorded: .plain, ["--browser"])
        #expect(replayed.result.status == 1)
        let where_ = "the provider leads to https://elsewhere.example/who, which is not part of this replay"
        #expect(replayed.stopped == where_, "\(replayed.result.output)\n\(replayed.result.errors)")
    }

    @Test(.enabled(if: hasBrowser)) func codeThatWasNotGivenEndsTheReplayWithThePageThatAsksForIt()
        async throws
    {
        let replayed = try await Self.replay(.asksForCode, recorded: .plain, ["--browser"])
        #expect(replayed.result.status == 1)
        #expect(
            replayed.stopped?.hasSuffix("/authorize (Sign in) does not move on; it has code") ?? false,
            "\(replayed.result.output)"
        )
        #expect(!replayed.asked.contains("POST /token"))
        #expect(replayed.asked.filter { $0 == "POST /session" }.count == 1)
    }

    @Test(.enabled(if: hasBrowser)) func codeThatWasGivenIsEntered() async throws {
        let replayed = try await Self.replay(
            .asksForCode,
            recorded: .plain,
            ["--browser", "--secret", "otp=env:CODE"],
            environment: ["CODE": ScriptedProvider.code]
        )
        #expect(replayed.asked.last == "POST /token", "\(replayed.result.output)\n\(replayed.result.errors)")
    }

    @Test(.enabled(if: hasBrowser)) func passwordThatIsTurnedDownIsEnteredOnce() async throws {
        let replayed = try await Self.replay(
            .plain,
            ["--browser", "--secret", "password=env:WRONG"],
            environment: ["WRONG": "red-queen"]
        )
        #expect(replayed.result.status == 1)
        #expect(replayed.asked.filter { $0 == "POST /session" }.count == 1, "\(replayed.asked)")
    }

    // MARK: - A person

    private static let hasDisplay = FileManager.default.isExecutableFile(atPath: "/usr/bin/Xvfb")

    @Test(.enabled(if: hasBrowser && hasDisplay)) func personSignsInAndTheReplayGoesOn() async throws {
        let display = try VirtualDisplay()
        defer { display.end() }
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let provider = ScriptedProvider(.asksForCode)
        let server = try await LocalServer.start { provider.respond(to: $0) }
        let capture = folder.file("login.har")
        // Without a password in it: the person knows it.
        var exchanges = ScriptedProvider.recordedLogin(.asksForCode)
        exchanges[1].request.body = Body(
            text: #"{"username":"alice","password":""}"#,
            mediaType: "application/json"
        )
        try CaptureWriter(path: capture, version: "test").append(exchanges)
        let person = Task {
            func shown(_ forms: Int) async throws {
                try await Self.until { provider.asked.count { $0 == "GET /shown" } >= forms }
            }
            try await shown(1)
            try display.type(["alice", "wonderland"])
            try await shown(2)
            try display.type([ScriptedProvider.code])
        }
        let result = try await Self.run(
            [
                "replay", "--interactive", "--format", "json", "--map",
                "\(ScriptedProvider.recordedOrigin)=http://127.0.0.1:\(server.port)", capture,
            ],
            environment: ["DISPLAY": display.name]
        )
        try await person.value
        await server.stop()
        #expect(result.status == 0, "\(result.output)\n\(result.errors)")
        #expect(result.errors.contains("sign in in the window that is open"), "\(result.errors)")
        #expect(provider.asked.last == "POST /token")
    }

    /// Fails after a while.
    private static func until(_ condition: @Sendable () -> Bool) async throws {
        for _ in 0..<600 where !condition() { try await Task.sleep(for: .milliseconds(50)) }
        try #require(condition())
    }

    @Test(.enabled(if: hasBrowser)) func windowWithoutADisplayIsAnError() async throws {
        let replayed = try await Self.replay(
            .plain,
            ["--interactive"],
            environment: ["DISPLAY": "", "WAYLAND_DISPLAY": ""]
        )
        #expect(replayed.result.status == 69 && replayed.asked.isEmpty)
        #expect(replayed.result.errors.contains("no display") && replayed.result.errors.contains("--browser"))
    }

    // MARK: - Beginning and end

    @Test func browserThatIsNotThereIsAnErrorThatSaysWhatToInstall() async throws {
        let replayed = try await Self.replay(.plain, ["--browser"], environment: ["PATH": "/nonexistent"])
        #expect(replayed.result.status == 69 && replayed.asked.isEmpty)
        #expect(replayed.result.errors.contains("apt install chromium"), "\(replayed.result.errors)")
    }

    @Test(arguments: [
        ["--browser", "--find-fix"], ["--browser", "--proxy", "127.0.0.1:1"],
        ["--browser-program", "chromium"],
    ])
    func flagsThatDoNotGoTogetherAreRefused(options: [String]) throws {
        let result = try Program.run(["replay"] + options + ["login.har"])
        #expect(result.status == 64, "\(result.errors)")
    }

    @Test(.enabled(if: hasBrowser), arguments: [SIGINT, SIGTERM])
    func interruptionLeavesNoBrowserAndNoFolder(signal: Int32) async throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let provider = ScriptedProvider(.asksForCode)
        let server = try await LocalServer.start { provider.respond(to: $0) }
        let capture = folder.file("login.har")
        try CaptureWriter(path: capture, version: "test").append(ScriptedProvider.recordedLogin())
        let process = Process()
        process.executableURL = URL(filePath: Program.path)
        process.environment = ProcessInfo.processInfo.environment.merging(["TMPDIR": folder.path]) { $1 }
        process.arguments = [
            "replay", "--browser", "--map",
            "\(ScriptedProvider.recordedOrigin)=http://127.0.0.1:\(server.port)", capture,
        ]
        process.standardError = FileHandle(forWritingAtPath: "/dev/null")
        try process.run()
        // It waits for a code that nobody has.
        try await Self.until { provider.asked.contains("POST /session") }
        #expect(!Self.leftovers(in: folder).isEmpty)
        kill(process.processIdentifier, signal)
        try await Self.until { !process.isRunning }
        #expect(process.terminationStatus == 128 + signal)
        try await Self.until { Self.leftovers(in: folder).isEmpty }
        await server.stop()
    }
}
