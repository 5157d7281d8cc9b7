import Captures
import Foundation
import JSON
import Proxy
import Synchronization
import TestSupport
import Testing

/// `authreel replay` as a user runs it, against the mock of its own capture, which stands for the provider.
@Suite(.serialized, .timeLimit(.minutes(3)))
struct ReplayCommandTests {
    private static func capture(_ path: String) -> String {
        Fixtures.root.appending(path: "captures/\(path).har").path
    }

    @Test func healthyLoginIsTheSameAndItsRunACapture() throws {
        let mocked = try MockedProvider([Self.capture("healthy/web-code-flow")])
        defer { mocked.end() }
        let again = mocked.folder.file("again.har")
        let result = try Program.run([
            "replay", "--against", mocked.issuer, "--out", again, "--format", "json",
            Self.capture("healthy/web-code-flow"),
        ])
        let json = try JSONParser.parse(result.output.utf8)
        #expect(result.status == 0 && json["same"] == true, "\(result.output) \(result.errors)")
        let diagnosis = try Program.run(["diagnose", again])
        #expect(diagnosis.status == 0, "\(diagnosis.output)")
        // A replay of the replay.
        let second = try Program.run(["replay", "--against", mocked.issuer, again])
        #expect(second.status == 0 && second.output.contains("the same"), "\(second.output) \(second.errors)")
    }

    @Test func differenceIsSaidAndMakesTheStatusOne() throws {
        let mocked = try MockedProvider([Self.capture("healthy/web-code-flow")])
        defer { mocked.end() }
        let junit = mocked.folder.file("replays.xml")
        let result = try Program.run([
            "replay", "--against", mocked.issuer, "--set", "token_request.code_verifier=wrong",
            "--junit", junit,
            Self.capture("healthy/web-code-flow"),
        ])
        #expect(
            result.status == 1 && result.output.contains("first difference: token_request"),
            "\(result.output)"
        )
        let report = try String(contentsOfFile: junit, encoding: .utf8)
        // It says who signed in where, as the capture does.
        let mode = try FileManager.default.attributesOfItem(atPath: junit)[.posixPermissions] as? Int
        #expect(mode == 0o600)
        #expect(report.contains(#"failures="1""#) && report.contains("token_request"))
    }

    /// Its mock names the endpoint for pushed requests, and no other.
    @Test func requestThatWasRefusedWhenItWasPushedIsPushedAgain() throws {
        let capture = Self.capture("authorization-request/par-rejected")
        let mocked = try MockedProvider([capture], ["--as-recorded"])
        defer { mocked.end() }
        let result = try Program.run(["replay", "--against", mocked.issuer, capture])
        #expect(
            result.status == 0 && result.output.contains("the same failure"),
            "\(result.output) \(result.errors)"
        )
    }

    @Test func fixIsFoundAtTheMock() throws {
        let mocked = try MockedProvider([Self.capture("token-request/redirect-uri-token-mismatch")])
        defer { mocked.end() }
        let result = try Program.run([
            "replay", "--against", mocked.issuer, "--find-fix",
            Self.capture("token-request/redirect-uri-token-mismatch"),
        ])
        #expect(
            result.status == 0 && result.output.contains("this makes the login work")
                && result.output.contains("redirect_uri"),
            "\(result.output) \(result.errors)"
        )
    }

    /// The script of docs/ci.md, as the pipeline runs it.
    @Test func pipelineScriptReplaysAFolder() throws {
        let mocked = try MockedProvider([Self.capture("healthy/web-code-flow")])
        defer { mocked.end() }
        let logins = mocked.folder.file("logins")
        try FileManager.default.createDirectory(atPath: logins, withIntermediateDirectories: true)
        for name in ["web-code-flow", "refresh"] {
            try FileManager.default.copyItem(
                atPath: Self.capture("healthy/\(name)"),
                toPath: "\(logins)/\(name).har"
            )
        }
        let script = Fixtures.root.appending(path: "docs/examples/login-regression/replay-logins").path
        let programs = URL(filePath: Program.path).deletingLastPathComponent().path
        let result = try Program.run(
            [logins, mocked.issuer],
            executable: script,
            environment: ["PATH": programs + ":/usr/bin:/bin"],
            in: mocked.folder.path
        )
        #expect(result.status == 0 || result.status == 1, "\(result.errors)")
        #expect(result.output.contains("# Login replay") && result.output.contains("web-code-flow.har"))
        let report = try String(contentsOfFile: mocked.folder.file("replays.xml"), encoding: .utf8)
        #expect(report.contains(#"<testsuites name="authreel" tests="2""#), "\(report)")
    }

    // MARK: - What cannot be done

    @Test func providerThatIsNotThereIsStatus69() throws {
        let result = try Program.run([
            "replay", "--map", "https://id.harbour.example=http://127.0.0.1:9",
            Self.capture("healthy/web-code-flow"),
        ])
        #expect(
            result.status == 69 && result.errors.contains("the provider was not reached"),
            "\(result.errors)"
        )
        let discovery = try Program.run([
            "replay", "--against", "http://127.0.0.1:9", Self.capture("healthy/web-code-flow"),
        ])
        #expect(discovery.status == 69 && discovery.errors.contains("hint:"), "\(discovery.errors)")
    }

    /// A provider that is down says nothing of the logins: a test runner's error, and no failure.
    @Test func providerThatIsNotThereForSeveralLoginsIsStatus69() throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let result = try Program.run([
            "replay", "--map", "https://id.harbour.example=http://127.0.0.1:9", "--junit",
            folder.file("replays.xml"), "--format", "markdown", Self.capture("healthy/web-code-flow"),
            Self.capture("healthy/refresh"),
        ])
        #expect(
            result.status == 69 && result.errors.contains("the provider was not reached"),
            "\(result.errors)"
        )
        let report = try String(contentsOfFile: folder.file("replays.xml"), encoding: .utf8)
        #expect(report.contains(#"tests="2" failures="0" errors="2""#), "\(report)")
        #expect(report.contains(#"<error type="unreachable" message="the provider was not reached: "#))
        #expect(!report.contains("<failure"))
        #expect(result.output.contains("2 replayed, **2 not reached**\n"), "\(result.output)")
        #expect(result.output.contains(" | **not reached** | ") && !result.output.contains("**differs**"))
    }

    /// A test system has its own client and its own user, and the login there is the same.
    @Test func loginWithWhatWasGivenIsTheSame() throws {
        let mocked = try MockedProvider(
            [Self.capture("healthy/web-code-flow")],
            [
                "--user", "bob:builder", "--client", "shop-test:secret-of-the-test", "--redirect-uri",
                "https://test.shop.example/callback",
            ]
        )
        defer { mocked.end() }
        let options = [
            "--set", "client_id=shop-test", "--set", "redirect_uri=https://test.shop.example/callback",
            "--secret", "client_secret=env:CLIENT_SECRET", "--secret", "username=env:LOGIN_NAME",
            "--secret", "password=env:PASSWORD",
        ]
        let given = [
            "CLIENT_SECRET": "secret-of-the-test", "LOGIN_NAME": "bob", "PASSWORD": "builder",
        ]
        let login =
            ["replay", "--against", mocked.issuer] + options + [Self.capture("healthy/web-code-flow")]
        let result = try Program.run(login, environment: given)
        #expect(
            result.status == 0 && result.output.contains("the same") && !result.errors.contains("warning"),
            "\(result.output) \(result.errors)"
        )
        let wrong = try Program.run(login, environment: given.merging(["PASSWORD": "x"]) { $1 })
        #expect(
            wrong.status == 1 && wrong.output.contains("first difference: user_interaction: status: "),
            "\(wrong.output) \(wrong.errors)"
        )
    }

    @Test func missingSecretIsNamedBeforeAnythingIsSent() throws {
        let result = try Program.run(["replay", Self.capture("providers/singpass")])
        #expect(result.status == 64, "\(result.output)")
        #expect(
            result.errors.contains("client_key") && result.errors.contains("--secret client_key=file:"),
            "\(result.errors)"
        )
        let plan = try Program.run(["replay", "--dry-run", Self.capture("providers/singpass")])
        #expect(plan.status == 64 && plan.output.contains("needed: --secret client_key"))
    }

    @Test(arguments: [
        (["--map", "nonsense"], 64, "--map takes OLD=NEW"),
        (
            ["--map", "https://id.harbour.exampl=http://127.0.0.1:9"], 64,
            "recorded are https://id.harbour.example"
        ),
        (["--map", "id.harbour.example=http://127.0.0.1:9"], 64, "nothing goes to id.harbour.example"),
        (["--map", "https://id.harbour.example=127.0.0.1:9"], 64, "NEW is no http or https URL"),
        (["--map", "https://id.harbour.example="], 64, "NEW is no http or https URL"),
        (["--set", "token_reqest.code=x"], 64, "no request has such a parameter"),
        (["--set", "stat=x"], 64, "--plan lists them"),
        (["--out", "again.har"], 64, "--plan sends nothing that --out could hold"),
        (["--junit", "replays.xml"], 64, "--plan sends nothing that --junit could hold"),
        (["--format", "junit"], 64, "--plan compares nothing, and prints text or json"),
        (["--secret", "password=hunter2"], 64, "says where"),
        (["--secret", "password=env:NO_SUCH_VARIABLE"], 64, "no variable NO_SUCH_VARIABLE"),
        (["--secret", "password=file:/no/such/file"], 66, "hint: a file that holds the secret"),
        (["--upstream-ca", "/"], 66, "/: is a folder"),
        (["--upstream-ca", "/no/such/file"], 66, "hint: --upstream-ca takes certificates in PEM"),
        (["--flow", "flow-9"], 64, "there is no flow flow-9"),
        (["--allow-host", "http://app.example/x"], 64, "--allow-host takes HOST or HOST:PORT"),
        (["--allow-host", "app.example:http"], 64, "--allow-host takes HOST or HOST:PORT"),
        (["--find-fix", "--junit", "a.xml"], 64, "--find-fix compares nothing"),
        (["--find-fix", "--format", "markdown"], 64, "prints text or json"),
        (["--max-wait", "-1"], 64, "--max-wait takes seconds from 0 on"),
        (["--repeat", "0"], 64, "--repeat"), (["--proxy", "nowhere"], 64, "--proxy takes HOST:PORT"),
        (["--against", "127.0.0.1:8090/realms/a"], 64, "hint: --against http://127.0.0.1:8090/realms/a\n"),
        (["--against", "id.harbour.example"], 64, "hint: --against https://id.harbour.example\n"),
        (["--against", "harbour"], 64, "hint: --against https://idp.example/realms/shop\n"),
    ])
    func wrongUseIsSaid(_ options: [String], _ status: Int, _ words: String) throws {
        let result = try Program.run(
            ["replay", "--plan"] + options + [Self.capture("healthy/web-code-flow")]
        )
        #expect(
            Int(result.status) == status && result.errors.contains(words),
            "\(result.status) \(result.errors)"
        )
    }

    @Test func planOfASearchListsWhatWouldBeTried() throws {
        let command = ["replay", "--plan", "--find-fix"]
        let broken = command + [Self.capture("token-request/pkce-verifier-mismatch")]
        let text = try Program.run(broken)
        #expect(text.status == 0, "\(text.errors)")
        #expect(
            text.output.contains(
                "until the login works:\n    Nothing changed\n    Make the code_challenge of"
            ),
            "\(text.output)"
        )
        let json = try JSONParser.parse(Program.run(broken + ["--format", "json"]).output.utf8)
        let changes = json["plans"]?.array?.first?["changes"]?.array ?? []
        #expect(changes.count > 1 && changes.first?["change"] == "unchanged", "\(changes)")
        let healthy = try Program.run(command + [Self.capture("healthy/web-code-flow")])
        #expect(healthy.status == 65 && healthy.errors.contains("nothing to mend"), "\(healthy.errors)")
    }

    @Test func hostsMayBeAllowed() throws {
        let hosts = ["app.example", "app.example:8080", "[::1]:3000", "localhost"]
        let allowed = hosts.flatMap { ["--allow-host", $0] }
        let result = try Program.run(["replay", "--plan", Self.capture("healthy/web-code-flow")] + allowed)
        #expect(result.status == 0, "\(result.errors)")
    }

    @Test func captureOfWhichNoLoginIsLeftIsNotTheSame() throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let whole = try Data(contentsOf: URL(filePath: Self.capture("healthy/web-code-flow")))
        try whole.prefix(2600).write(to: URL(filePath: folder.file("torn.har")))
        let result = try Program.run(["replay", "--plan", folder.file("torn.har")])
        #expect(result.status == 65, "\(result.output)")
        #expect(result.errors.contains("no login to replay"), "\(result.errors)")
    }

    @Test func metadataAloneIsNoLogin() throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let whole = try JSONParser.parse(Fixtures.bytes("captures/healthy/web-code-flow.har"))
        let discovery = try #require(whole["log"]?["entries"]?.array?.first)
        let document: JSONValue = [
            "log": ["version": "1.2", "creator": ["name": "x"], "entries": [discovery]]
        ]
        try Data(JSONWriter.bytes(of: document)).write(to: URL(filePath: folder.file("metadata.har")))
        let result = try Program.run(["replay", folder.file("metadata.har")])
        #expect(result.status == 65 && result.output.isEmpty, "\(result.output)")
        #expect(
            result.errors.contains("nothing but metadata is in it, and no login to replay"),
            "\(result.errors)"
        )
    }

    @Test(arguments: [SIGINT, SIGTERM])
    func interruptionLeavesWhatWasDriven(signal: Int32) async throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let path = folder.file("again.har")
        let asked = Mutex([String]())
        let server = try await LocalServer.start { request in
            asked.withLock { $0.append(request.url.path) }
            // The metadata comes, and nothing after it.
            if request.url.path != "/.well-known/openid-configuration" {
                try? await Task.sleep(for: .seconds(120))
            }
            return RecordedResponse(status: 200)
        }
        let ended = try await InterruptedProgram.run(
            [
                "replay", "--map", "https://id.harbour.example=http://127.0.0.1:\(server.port)", "--out",
                path, Self.capture("healthy/web-code-flow"),
            ],
            signal,
            when: { asked.withLock { $0.contains("/authorize") } }
        )
        #expect(ended.status == 128 + signal)
        #expect(
            ended.errors.contains("interrupted after 2 requests; \(path) holds them"),
            "\(ended.errors)"
        )
        #expect(
            ended.output.contains("discovery") && ended.output.contains("interrupted"),
            "\(ended.output)"
        )
        let left = try CaptureReader.read(path: path)
        #expect(
            left.indices.map { left[$0].request.url.path } == [
                "/.well-known/openid-configuration", "/authorize",
            ]
        )
        await server.stop()
    }

    @Test(arguments: [SIGINT, SIGTERM])
    func searchThatIsInterruptedTellsWhatWasTried(signal: Int32) async throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let tokens = Mutex(0)
        let server = try await LocalServer.start { request in
            switch request.url.path {
            case "/authorize":
                var response = RecordedResponse(status: 302)
                let query = request.url.queryItems
                response.headers.append(
                    "Location",
                    "\(query.first("redirect_uri") ?? "")?code=a-code&state=\(query.first("state") ?? "")"
                )
                return response
            case "/token":
                // The login as it is and with the first change is refused, with the second it is not answered.
                if tokens.withLock({ count in
                    count += 1
                    return count
                }) > 2 {
                    try? await Task.sleep(for: .seconds(120))
                }
                return RecordedResponse(status: 400)
            default: return RecordedResponse(status: 404)
            }
        }
        let proof = folder.file("proof.har")
        let ended = try await InterruptedProgram.run(
            [
                "replay", "--find-fix", "--map",
                "https://id.harbour.example=http://127.0.0.1:\(server.port)", "--out", proof,
                Self.capture("authorization-request/pkce-method-omitted"),
            ],
            signal,
            when: { tokens.withLock { $0 > 2 } }
        )
        #expect(ended.status == 128 + signal)
        #expect(ended.errors.contains("authreel: interrupted after 1 change\n"), "\(ended.errors)")
        #expect(
            ended.output.contains("interrupted: none of the 1 change tried until then makes it work"),
            "\(ended.output)"
        )
        // There is no login that works.
        #expect(!FileManager.default.fileExists(atPath: proof))
        await server.stop()
    }

    @Test func searchAtAProviderThatIsGoneIs69AndLeavesNoProof() throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let proof = folder.file("proof.har")
        let result = try Program.run([
            "replay", "--find-fix", "--map", "https://id.harbour.example=http://127.0.0.1:9", "--out", proof,
            Self.capture("token-request/redirect-uri-token-mismatch"),
        ])
        #expect(result.status == 69, "\(result.output)")
        #expect(result.output.contains("nobody answers: no change was tried"), "\(result.output)")
        #expect(result.errors.contains("the provider was not reached: "), "\(result.errors)")
        #expect(result.errors.contains(" plays it on this machine, --against ISSUER"), "\(result.errors)")
        #expect(!FileManager.default.fileExists(atPath: proof))
    }

    @Test func parametersOfAStepMayBeSet() throws {
        let values = ["state=x", "token_request.resource=x", "redirect_uri=https://x.example/"]
        let result = try Program.run(
            ["replay", "--plan", Self.capture("healthy/web-code-flow")] + values.flatMap { ["--set", $0] }
        )
        #expect(result.status == 0, "\(result.errors)")
    }

    @Test func secretThatNothingAsksForIsTold() throws {
        let result = try Program.run(
            ["replay", "--plan", "--secret", "passwrd=env:LOGIN", Self.capture("healthy/web-code-flow")],
            environment: ["LOGIN": "x"]
        )
        #expect(
            result.status == 0
                && result.errors.contains("--secret passwrd: nothing that is driven asks for it"),
            "\(result.errors)"
        )
    }

    /// Name and password are entered on the pages, those of another provider as well, and what a browser's pages ask for
    /// besides.
    @Test(arguments: [
        (["--plan"], ["otp", "passwrd"]), (["--plan", "--browser"], ["passwrd"]),
        (["--against", "http://127.0.0.1:9"], ["otp", "passwrd"]),
    ])
    func secretsForPagesThatNobodyRecordedAreAskedFor(options: [String], told: [String]) throws {
        let names = ["otp", "passwrd", "username"]
        let result = try Program.run(
            ["replay"] + options + names.flatMap { ["--secret", "\($0)=env:LOGIN"] } + [
                Self.capture("healthy/web-code-flow")
            ],
            environment: ["LOGIN": "x"]
        )
        let isTold = { (name: String) in result.errors.contains("--secret \(name): nothing that is driven") }
        #expect(names.filter(isTold) == told, "\(result.errors)")
    }

    @Test func captureWithoutALoginIsSaid() throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let path = folder.file("empty.har")
        try Data(#"{"log":{"version":"1.2","entries":[]}}"#.utf8).write(to: URL(filePath: path))
        let result = try Program.run(["replay", path])
        #expect(
            result.status == 65 && result.errors.contains("nothing in it that can be replayed"),
            "\(result.errors)"
        )
    }
}
