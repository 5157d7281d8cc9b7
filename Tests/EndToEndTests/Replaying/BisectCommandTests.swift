import Captures
import Foundation
import JSON
import Proxy
import Synchronization
import TestSupport
import Testing

/// `authreel diff --bisect` as a user runs it, against the mock of the login that works.
@Suite(.serialized, .timeLimit(.minutes(3)))
struct BisectCommandTests {
    private static func path(_ name: String) -> String { Fixtures.root.appending(path: name).path }
    private static let good = path("captures/token-request/redirect-uri-token-mismatch.near-miss.har")
    private static let bad = path("captures/token-request/redirect-uri-token-mismatch.har")

    /// The failing login with more that is otherwise: another browser, another language.
    private static func noisy(in folder: TemporaryFolder) throws -> String {
        var text = try String(contentsOfFile: bad, encoding: .utf8)
        let before = text
        text = text.replacingOccurrences(of: "scope=openid", with: "ui_locales=de&display=touch&scope=openid")
        text = text.replacingOccurrences(of: "Mozilla/5.0", with: "Mozilla/6.0")
        try #require(text != before)
        let path = folder.file("noisy.har")
        try Data(text.utf8).write(to: URL(filePath: path))
        return path
    }

    @Test func whatMattersIsFoundAmongWhatDoesNot() throws {
        let mocked = try MockedProvider([Self.good])
        defer { mocked.end() }
        let proof = mocked.folder.file("proof.har")
        let result = try Program.run([
            "diff", "--bisect", "--against", mocked.issuer, "--out", proof, "--format", "json", Self.good,
            try Self.noisy(in: mocked.folder),
        ])
        #expect(result.status == 1, "\(result.output) \(result.errors)")
        let json = try JSONParser.parse(result.output.utf8)
        #expect(json["ending"] == "found" && json["minimal"] == true)
        #expect(json["primary"] == "redirect-uri-token-mismatch")
        let differences = json["differences"]?.array ?? []
        let causes = differences.filter { $0["role"] == "cause" }
        #expect(causes.count == 1 && causes.first?["kind"] == "token_request", "\(result.output)")
        #expect(causes.first?["difference"]?["name"] == "redirect_uri")
        #expect(differences.count { $0["role"] == "not_needed" } >= 2)
        #expect(json["drives"]?.int == 3 && json["attempts"]?.array?.count == 3)
        // The proof: a login that works, and one that fails with this alone.
        let diagnosis = try Program.run(["diagnose", "--format", "json", proof])
        let flows = try JSONParser.parse(diagnosis.output.utf8)["flows"]?.array ?? []
        #expect(flows.compactMap { $0["outcome"]?.string } == ["success", "failure"], "\(diagnosis.output)")
        let again = try Program.run(["diff", proof])
        #expect(again.output.contains("first difference: token_request: redirect_uri"), "\(again.output)")
        #expect(!again.output.contains("ui_locales"))
    }

    /// At real components: glewlwyd with mod_auth_openidc, played by the mock of the login that works.
    @Test func realLoginIsBisected() throws {
        let good = Self.path("Tests/Recordings/login-http2.har")
        let mocked = try MockedProvider([good])
        defer { mocked.end() }
        let result = try Program.run([
            "diff", "--bisect", "--against", mocked.issuer, good,
            Self.path("Tests/Recordings/broken-client-secret.har"),
        ])
        #expect(result.status == 1, "\(result.errors)")
        #expect(
            result.output.contains("1 of 1 difference makes it fail (2 logins driven)"),
            "\(result.output)"
        )
        #expect(result.output.contains("client_secret") && result.output.contains("token-invalid-client"))
        // Secrets are masked as in any comparison; stderr tells each run.
        #expect(!result.output.contains("not-the-"))
        #expect(result.errors.contains("1. A as it is") && result.errors.contains("speaks to"))
    }

    @Test func markdownAndPlanArePrinted() throws {
        let mocked = try MockedProvider([Self.good])
        defer { mocked.end() }
        let markdown = try Program.run([
            "diff", "--bisect", "--against", mocked.issuer, "--format", "markdown", Self.good, Self.bad,
        ])
        #expect(markdown.output.hasPrefix("# What makes the login fail"), "\(markdown.errors)")
        #expect(markdown.output.contains("## Cause") && markdown.output.contains("| token_request |"))
        // Shown, and nobody asked: not even for metadata.
        let plan = try Program.run([
            "diff", "--bisect", "--plan", "--against", "http://127.0.0.1:9", Self.good, Self.bad,
        ])
        #expect(plan.status == 0 && plan.output.contains("1 difference to try"), "\(plan.errors)")
    }

    @Test(arguments: [SIGINT, SIGTERM])
    func interruptionTellsWhatWasDriven(signal: Int32) async throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let asked = Mutex([String]())
        let server = try await LocalServer.start { request in
            asked.withLock { $0.append(request.url.path) }
            try? await Task.sleep(for: .seconds(120))
            return RecordedResponse(status: 200)
        }
        let proof = folder.file("proof.har")
        let ended = try await InterruptedProgram.run(
            [
                "diff", "--bisect", "--map", "https://id.harbour.example=http://127.0.0.1:\(server.port)",
                "--out", proof, Self.good, Self.bad,
            ],
            signal,
            when: { asked.withLock { !$0.isEmpty } }
        )
        #expect(ended.status == 128 + signal)
        #expect(
            ended.errors.contains("interrupted after 1 login; \(proof) holds them"),
            "\(ended.errors)"
        )
        #expect(ended.output.contains("interrupted (1 login driven)"), "\(ended.output)")
        #expect(try CaptureReader.read(path: proof).count > 0)
        await server.stop()
    }

    @Test func loginThatDoesNotWorkNowIs65AndProviderThatIsGone69() throws {
        // Played from the failing login alone: it has no answers for what comes behind the failure.
        let gone = try Program.run([
            "diff", "--bisect", "--map", "https://id.harbour.example=http://127.0.0.1:9", Self.good, Self.bad,
        ])
        #expect(gone.status == 69 && gone.errors.contains("the provider was not reached"), "\(gone.errors)")
        let healthy = Self.path("captures/healthy/web-code-flow.har")
        let mocked = try MockedProvider([Self.bad])
        defer { mocked.end() }
        let result = try Program.run([
            "diff", "--bisect", "--against", mocked.issuer, healthy, Self.bad,
        ])
        #expect(result.status == 65, "\(result.output) \(result.errors)")
        #expect(result.output.contains("the login that works (A) does not work now"))
        #expect(result.errors.contains("hint: "))
    }

    @Test(
        arguments: [
            (["--bisect", "B", "A"], 65, "is not a login that works: redirect-uri-token-mismatch"),
            (["--bisect", "A", "A"], 65, "is not a login that fails"),
            (["--max-drives", "9", "A", "B"], 64, "--max-drives goes with --bisect"),
            (["--out", "x.har", "A", "B"], 64, "--out goes with --bisect"),
            (["--against", "https://a.example", "A", "B"], 64, "--against goes with --bisect"),
            (["--bisect", "--max-drives", "2", "A", "B"], 64, "--max-drives takes a number from 3 on"),
            (
                ["--bisect", "--plan", "--out", "x.har", "A", "B"], 64,
                "--plan sends nothing that --out could hold"
            ),
            (["--bisect", "--format", "junit", "A", "B"], 64, "--bisect prints text, json or markdown"),
            (["--bisect", "--out", "A", "A", "B"], 64, "is what is compared"),
            (["--bisect", "--out", "-", "A", "B"], 64, "which standard output is not"),
        ] as [([String], Int32, String)]
    )
    func wrongUseIsSaid(arguments: [String], status: Int32, words: String) throws {
        let arguments = arguments.map { $0 == "A" ? Self.good : $0 == "B" ? Self.bad : $0 }
        let result = try Program.run(["diff"] + arguments)
        #expect(result.status == status && result.errors.contains(words), "\(result.errors)")
        #expect(result.output.isEmpty)
    }
}
