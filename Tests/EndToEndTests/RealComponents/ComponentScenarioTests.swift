import Captures
import Foundation
import JSON
import Synchronization
import TestSupport
import Testing

/// Logins between real components, healthy and broken in one way each: recorded, diagnosed, and driven again while
/// the provider is still there, all by the program itself.
///
/// Three at a time: most of a login is waiting. What they do not change they share: the authority of the components, the
/// certificates that it has signed, the recorder's own authority.
@Suite(
    .timeLimit(.minutes(20)),
    .enabled(if: RealComponents.isAvailable, Comment(rawValue: RealComponents.missing ?? ""))
)
struct ComponentScenarioTests {
    @Test(arguments: ComponentScenario.table)
    func loginIsExplainedAndDrivenAgain(scenario: ComponentScenario) async throws {
        if let missing = RealComponents.missing {
            Issue.record("\(missing): run Tests/EndToEndTests/Components/install")
            return
        }
        try await Self.lanes.inTurn { try await Self.check(scenario) }
    }

    private static let lanes = Lanes(3)

    /// Where all of them have their authorities; it goes with the last of them.
    private static let shared = Result { try SharedFolder() }

    private final class SharedFolder: Sendable {
        let folder: TemporaryFolder
        private let rest = Mutex(ComponentScenario.table.count)

        init() throws { folder = try TemporaryFolder() }

        func isDone() {
            rest.withLock {
                $0 -= 1
                if $0 == 0 { folder.remove() }
            }
        }
    }

    private static func check(_ scenario: ComponentScenario) async throws {
        let shared = try shared.get()
        let folder = try TemporaryFolder()
        defer {
            folder.remove()
            shared.isDone()
        }
        let played = try await play(scenario, in: folder, sharing: shared.folder)
        try await checkDiagnosis(of: played.capture, scenario)
        guard let again = scenario.again else { return }
        try await checkReplay(played, again)
        if again.inBrowser { try checkBrowser(played, again) }
        if let fix = again.fix { try await checkFix(played, fix, of: scenario) }
        if again.elsewhere { try await checkBuiltInProvider(played, again) }
    }

    /// Whoever adds a scenario says what has to come of it.
    @Test func everyScenarioIsInTheTable() throws {
        let listed = try RealComponents.run(["scenarios"]).output.split(separator: "\n").compactMap {
            $0.split(separator: " ").first.map(String.init)
        }
        #expect(listed.sorted() == ComponentScenario.table.map(\.name).sorted())
    }

    // MARK: - Playing

    /// What a scenario left behind.
    private struct Played {
        var capture: String
        /// How each command after it ended, by what it was for.
        var then: [String: JSONValue] = [:]
        var folder: TemporaryFolder

        /// The capture that a command after it wrote.
        func written(by purpose: String) -> String { folder.file("\(purpose).har") }
    }

    /// Plays a scenario through a recorder, and replays its capture while the provider is there.
    private static func play(
        _ scenario: ComponentScenario,
        in folder: TemporaryFolder,
        sharing shared: TemporaryFolder
    ) async throws -> Played {
        let state = shared.file("components")
        let certificate = try RealComponents.authority(state)
        var played = Played(capture: folder.file("\(scenario.name).har"), folder: folder)
        var commands: [(purpose: String, options: [String])] = []
        if let again = scenario.again {
            commands.append(("again", ["--repeat", "\(again.times)"]))
            if again.inBrowser { commands.append(("browser", ["--browser"])) }
            if again.fix != nil { commands.append(("fix", ["--find-fix"])) }
        }
        let recorder = try RecorderProcess(into: played.capture, folder: shared, upstreamCA: certificate)
        let run = try await RealComponents.runAside(
            [
                "scenario", scenario.name, "--state", state, "--proxy", "127.0.0.1:\(recorder.port)",
                "--proxy-ca", recorder.certificate,
            ]
                + commands.flatMap { purpose, options in
                    ["--then", Program.path, "replay", "--upstream-ca", certificate, "--format", "json"]
                        + ["--out", played.written(by: purpose)] + options + [played.capture]
                }
        )
        #expect(recorder.interrupt() == 0, "\(recorder.messages)")
        try #require(run.status == 0, "\(run.errors)\n\(recorder.messages)")
        let endings = try JSONParser.parse(run.output.utf8)["then"]?.array ?? []
        try #require(endings.count == commands.count)
        for (command, ending) in zip(commands, endings) { played.then[command.purpose] = ending }
        return played
    }

    // MARK: - What has to come of it

    private static func checkDiagnosis(of capture: String, _ scenario: ComponentScenario) async throws {
        let diagnosis = try await Program.runAside(["diagnose", "--format", "json", capture])
        let flows = try JSONParser.parse(diagnosis.output.utf8)["flows"]?.array ?? []
        let said = flows.map { flow in
            let findings = flow["findings"]?.array ?? []
            let primary = findings.first { $0["primary"] == true }?["rule"]?.string
            return "\(flow["outcome"]?.string ?? ""): \(primary ?? "nothing")"
        }
        let expected = scenario.flows.map { "\($0.outcome): \($0.primary ?? "nothing")" }
        #expect(said == expected, "\(scenario.reason)\n\(diagnosis.output)")
        // Beside a cause only what it brought about, and in a good login nothing loud at all.
        let isBroken = scenario.flows.contains { $0.outcome == "failure" }
        #expect(diagnosis.status == (isBroken || scenario.name.hasSuffix("-trust") ? 1 : 0))
    }

    /// The headline of each replay; status 1 says that one of them differs.
    private static func headlines(of ending: JSONValue?) throws -> [String] {
        try JSONParser.parse((ending?["output"]?.string ?? "").utf8)["replays"]?.array?.map {
            $0["headline"]?.string ?? ""
        } ?? []
    }

    private static func checkReplay(_ played: Played, _ again: ComponentScenario.Replay) async throws {
        let ending = played.then["again"]
        let said = try headlines(of: ending)
        let count = max(said.count / again.times, 1)
        let round =
            again.headlines.count == 1
            ? [String](repeating: again.headlines[0], count: count) : again.headlines
        let expected = (0..<again.times).flatMap { _ in round }
        #expect(said == expected, "\(again.reason)\n\(words(of: ending))")
        let differs = again.headlines.contains { $0.hasPrefix("first difference") }
        #expect(ending?["status"]?.int == (differs ? 1 : 0))
        // What it wrote is a capture like any other.
        let diagnosis = try await Program.runAside([
            "diagnose", "--format", "json", played.written(by: "again"),
        ])
        #expect(diagnosis.status == 0 || diagnosis.status == 1, "\(diagnosis.errors)")
    }

    private static func checkBrowser(_ played: Played, _ again: ComponentScenario.Replay) throws {
        let ending = played.then["browser"]
        let said = try headlines(of: ending)
        #expect(
            !said.isEmpty && said.allSatisfy { $0 == again.headlines[0] },
            "\(words(of: ending))"
        )
        #expect(ending?["status"] == 0)
        // What Chromium sent is in the new capture as a recorder takes it down.
        let capture = try CaptureReader.read(path: played.written(by: "browser"))
        let browsers = capture.indices.map { capture[$0] }.filter {
            $0.request.headers.first("user-agent")?.contains("Chrome/") ?? false
        }
        #expect(browsers.contains { $0.request.url.path.hasSuffix("/auth") })
        #expect(browsers.allSatisfy { $0.request.headers.contains("accept-encoding") })
    }

    private static func checkFix(_ played: Played, _ change: String, of scenario: ComponentScenario)
        async throws
    {
        let ending = played.then["fix"]
        let searches = try JSONParser.parse((ending?["output"]?.string ?? "").utf8)["searches"]?.array
        let fix = searches?.first?["fix"]
        #expect(fix?["change"]?.string?.hasPrefix(change) ?? false, "\(words(of: ending))")
        #expect(ending?["status"]?.int == 0)
        // The proof is a login that works, or one that is not refused any more and asks to sign in.
        #expect(fix?["reach"]?.string == (scenario.name == "pkce-not-sent" ? "sign_in" : "end"))
        let diagnosis = try await Program.runAside(["diagnose", played.written(by: "fix")])
        #expect(diagnosis.status == 0, "\(diagnosis.output)")
    }

    /// Another product: other paths, other pages, other keys; and nobody speaks to the recorded one any more.
    private static func checkBuiltInProvider(_ played: Played, _ again: ComponentScenario.Replay) async throws
    {
        let mock = try MockProcess(["--user", "alice:alice-password"], in: played.folder)
        defer { mock.end() }
        let result = try await Program.runAside([
            "replay", "--against", mock.issuer, "--repeat", "\(again.times)", "--format", "json",
            played.capture,
        ])
        let said = try JSONParser.parse(result.output.utf8)["replays"]?.array?.map {
            $0["headline"]?.string ?? ""
        }
        #expect(
            (said?.count ?? 0) >= again.times && said?.allSatisfy { $0 == "the same" } ?? false,
            "\(result.output)\n\(result.errors)\n\(mock.messages)"
        )
        #expect(result.status == 0)
        #expect(result.errors.contains("speaks to \(mock.issuer)\n"), "\(result.errors)")
    }

    private static func words(of ending: JSONValue?) -> String {
        "\(ending?["output"]?.string ?? "")\n\(ending?["errors"]?.string ?? "")"
    }
}
