import Foundation
import JSON
import Provider
import TestSupport
import Testing

/// `authreel mock --attack-suite` with relying parties that check everything, and with ones that do not.
@Suite(.timeLimit(.minutes(4)))
struct AttackSuiteTests {
    private static let app = Fixtures.root.appending(
        path: "Tests/EndToEndTests/Components/scripted_app.py"
    ).path

    private static let arguments = [
        "mock", "--listen", "127.0.0.1:0", "--client", "shop:shop-secret", "--redirect-uri",
        "http://127.0.0.1:9/callback", "--auto-login", "--attack-suite",
    ]

    private static func run(_ drive: String, _ more: [String] = [], in folder: TemporaryFolder) throws
        -> Program.Result
    {
        try Program.run(
            arguments + ["--drive", drive] + more,
            environment: ["APP": app, "FOLDER": folder.path],
            in: folder.path,
            within: 200
        )
    }

    /// The verdict of each fault.
    private static func verdicts(_ result: Program.Result) throws -> [String: String] {
        let report = try JSONParser.parse(result.output.utf8)
        let rows = report["faults"]?.array ?? []
        return Dictionary(
            rows.map { ($0["fault"]?.string ?? "", $0["verdict"]?.string ?? "") },
            uniquingKeysWith: { $1 }
        )
    }

    private static func row(_ result: Program.Result, _ fault: String) throws -> JSONValue? {
        try JSONParser.parse(result.output.utf8)["faults"]?.array?.first { $0["fault"]?.string == fault }
    }

    /// Every attack, and some that need not be rejected.
    private static let chosen = FaultCatalog.all.filter {
        $0.mustBeRejected || ["token-response-cacheable", "id-token-kid-unknown:rotated"].contains($0.id)
    }.map(\.id).joined(separator: ",")

    // MARK: - Applications

    @Test func whoChecksEverythingRejectsEveryAttack() throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let result = try Self.run(
            #""$APP""#,
            ["--format", "json", "--junit", folder.file("suite.xml"), "--fault", Self.chosen],
            in: folder
        )
        #expect(result.status == 0, "\(result.errors)")
        let verdicts = try Self.verdicts(result)
        let attacks = FaultCatalog.all.filter(\.mustBeRejected).map(\.id)
        for id in attacks {
            let isMissing = id.hasPrefix("jarm-invalid") || id.hasPrefix("refresh-")
            #expect(verdicts[id] == (isMissing ? "not_exercised" : "rejected"), "\(id)")
        }
        #expect(verdicts["token-response-cacheable"] == "let_through")
        #expect(verdicts["id-token-kid-unknown:rotated"] == "not_exercised")
        let suite = folder.file("suite.xml")
        let junit = try String(contentsOfFile: suite, encoding: .utf8)
        // The last words of the command are in it.
        let mode = try FileManager.default.attributesOfItem(atPath: suite)[.posixPermissions] as? Int
        #expect(mode == 0o600)
        #expect(junit.contains(#"name="id-token-alg-none""#) && !junit.contains("<failure"))
    }

    /// What is not checked, and what goes through then.
    static let lax: [(checks: String, faults: Set<String>)] = [
        (
            "pkce,nonce", ["code-injection", "id-token-nonce-mismatch", "id-token-nonce-missing"]
        ),
        (
            "nonce,aud",
            [
                "id-token-nonce-mismatch", "id-token-nonce-missing", "id-token-audience-mismatch",
                "id-token-claims-missing:aud",
            ]
        ),
        (
            "state,iss",
            [
                "state-mismatch", "issuer-param-mismatch", "id-token-issuer-mismatch",
                "id-token-claims-missing:iss",
            ]
        ),
        (
            "signature",
            [
                "id-token-signature-invalid", "id-token-signature-invalid:claims", "id-token-kid-unknown",
                "id-token-signature-invalid:key-in-token", "id-token-alg-none:signature-removed",
            ]
        ),
        (
            "alg",
            [
                "id-token-alg-none", "id-token-alg-none:spelled",
                "id-token-signature-invalid:public-key-as-secret",
            ]
        ),
    ]

    @Test(arguments: lax) func whatIsNotCheckedGoesThrough(checks: String, faults: Set<String>) throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let attacks = faults.union(["id-token-claims-missing:sub", "id-token-expired"]).sorted()
        let result = try Self.run(
            "\"$APP\" --lax \(checks) --no-userinfo",
            ["--format", "json", "--fault", attacks.joined(separator: ",")],
            in: folder
        )
        #expect(result.status == 1, "\(result.errors)")
        let through = try Self.verdicts(result).filter { $0.value == "let_through" }.map(\.key)
        #expect(Set(through) == faults)
        let row = try Self.row(result, faults.sorted()[0])
        #expect(row?["duty"]?.string?.isEmpty == false && row?["sources"]?.array?.isEmpty == false)
    }

    /// RFC 9700, section 4.5.3: by the verifier the provider tells, by the nonce the client.
    @Test(arguments: ["pkce", "nonce"]) func injectedCodeIsNoticedByVerifierOrNonce(without: String) throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let result = try Self.run(
            "\"$APP\" --lax \(without) --no-userinfo",
            ["--format", "json", "--fault", "code-injection"],
            in: folder
        )
        #expect(result.status == 0, "\(result.errors)")
        #expect(try Self.verdicts(result) == ["code-injection": "rejected"])
        // Who has no verifier gets tokens, and goes by what they say.
        let wentOn = try Self.row(result, "code-injection")?["went_on"]?.array?.compactMap(\.string)
        #expect(wentOn == (without == "pkce" ? ["token response", "keys"] : ["token response"]))
    }

    @Test func whatMayLeaveTheLoginAsItIsIsUndecided() throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let result = try Self.run(
            #""$APP" --lax userinfo"#,
            ["--fault", "userinfo-sub-mismatch,id-token-expired"],
            in: folder
        )
        #expect(result.status == 0, "\(result.errors)")
        #expect(result.output.contains("2 attacks tried, 1 rejected, 0 let through, 1 undecided"))
    }

    @Test func anAppThatKeepsKeysIsNotRefusedForIt() throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let result = try Self.run(
            #""$APP" --cache "$FOLDER/kept""#,
            ["--format", "json", "--fault", "jwks-unreachable,discovery-unreachable,id-token-expired"],
            in: folder
        )
        #expect(result.status == 0, "\(result.errors)")
        #expect(
            try Self.verdicts(result) == [
                "jwks-unreachable": "not_exercised", "discovery-unreachable": "not_exercised",
                "id-token-expired": "rejected",
            ]
        )
        #expect(
            try Self.row(result, "jwks-unreachable")?["reason"]?.string
                == "the app keeps keys from an earlier login: let the command start it anew"
        )
    }

    // MARK: - Commands

    @Test func commandFindsTheProviderInItsEnvironment() throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let result = try Self.run(
            #"echo "<$AUTHREEL_FAULT> $AUTHREEL_DISCOVERY" >> "$FOLDER/seen"; "$APP""#,
            ["--fault", "id-token-expired"],
            in: folder
        )
        #expect(result.status == 0, "\(result.errors)")
        let lines = try String(contentsOfFile: folder.file("seen"), encoding: .utf8).split(separator: "\n")
        #expect(lines.map { $0.prefix { $0 != " " } } == ["<>", "<id-token-expired>", "<>"])
        // One address for all.
        #expect(Set(lines.map { $0.drop { $0 != " " } }).count == 1)
        #expect(lines[0].hasSuffix("/.well-known/openid-configuration"))
    }

    @Test func hangingCommandIsEndedWithWhatItStarted() throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let drive =
            #""$APP"; s=$?; [ -z "$AUTHREEL_FAULT" ] || { trap '' TERM; sleep 300 & echo $! > "$FOLDER/pid"; wait; }; exit $s"#
        let result = try Self.run(
            drive,
            ["--fault", "id-token-expired", "--drive-timeout", "3", "--format", "json"],
            in: folder
        )
        #expect(result.status == 0, "\(result.errors)")
        let row = try Self.row(result, "id-token-expired")
        #expect(row?["verdict"] == "rejected" && row?["timed_out"] == true)
        #expect(result.errors.contains("timed out"))
        #expect(try !Self.runs(folder.file("pid")))
    }

    @Test func whatACommandLeavesRunningIsEnded() throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let result = try Self.run(
            #"setsid sleep 300 </dev/null >/dev/null 2>&1 & echo $! > "$FOLDER/pid"; "$APP""#,
            ["--fault", "id-token-expired"],
            in: folder
        )
        #expect(result.status == 0, "\(result.errors)")
        #expect(try !Self.runs(folder.file("pid")))
    }

    @Test func interruptionEndsTheCommandAndTellsWhatIsKnown() throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let drive =
            #""$APP"; s=$?; [ "$AUTHREEL_FAULT" != id-token-alg-none ] || { sleep 300 & echo $! > "$FOLDER/pid"; wait; }; exit $s"#
        let process = Process()
        process.executableURL = URL(filePath: Program.path)
        process.arguments =
            Self.arguments + ["--drive", drive, "--fault", "id-token-expired,id-token-alg-none"]
        process.environment = ProcessInfo.processInfo.environment.merging(
            ["APP": Self.app, "FOLDER": folder.path]
        ) { $1 }
        _ = FileManager.default.createFile(atPath: folder.file("out"), contents: nil)
        process.standardOutput = FileHandle(forWritingAtPath: folder.file("out"))
        process.standardError = FileHandle.nullDevice
        process.standardInput = FileHandle.nullDevice
        try process.run()
        let deadline = Date.now.addingTimeInterval(60)
        while Self.number(in: folder.file("pid")) == nil, Date.now < deadline { usleep(20_000) }
        kill(process.processIdentifier, SIGINT)
        process.waitUntilExit()
        #expect(process.terminationStatus == 130)
        #expect(try !Self.runs(folder.file("pid")))
        let output = try String(contentsOfFile: folder.file("out"), encoding: .utf8)
        #expect(output.contains("stopped: interrupted; 1 fault was not come to"), "\(output)")
        #expect(output.contains("unconfirmed"))
    }

    /// Whether the process whose number is in a file is alive.
    private static func runs(_ file: String) throws -> Bool {
        kill(try #require(number(in: file)), 0) == 0
    }

    private static func number(in file: String) -> pid_t? {
        (try? String(contentsOfFile: file, encoding: .utf8)).flatMap {
            pid_t($0.trimmingCharacters(in: .whitespacesAndNewlines))
        }
    }

    // MARK: - Nothing to compare with

    @Test func failingTestIsToldOfWithItsLastLines() throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let result = try Self.run(
            #"printf 'no such\033[31m selector\n'; exit 7"#,
            ["--fault", "id-token-expired"],
            in: folder
        )
        #expect(result.status == 69 && result.output.isEmpty)
        #expect(result.errors.contains(#"  | no such\u{1b}[31m selector"#), "\(result.errors)")
        #expect(result.errors.contains("the login test fails although nothing is wrong"))
        #expect(result.errors.contains("status 7") && result.errors.contains("hint: make it pass"))
        #expect(result.errors.contains("asked for nothing: is the application pointed at http://127.0.0.1:"))
    }

    /// It has not begun: nothing is said of the application.
    @Test func testThatIsNotThereIsToldApart() throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let result = try Self.run("./no-such-test", ["--fault", "id-token-expired"], in: folder)
        #expect(result.status == 69 && result.output.isEmpty)
        #expect(result.errors.contains("the login test cannot be run: status 127"), "\(result.errors)")
        #expect(!result.errors.contains("is the application pointed at"))
    }

    @Test func refusalOfTheProviderIsTold() throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let result = try Program.run(
            [
                "mock", "--listen", "127.0.0.1:0", "--client", "shop:another-secret", "--redirect-uri",
                "http://127.0.0.1:9/callback", "--auto-login", "--attack-suite", "--drive", Self.app,
            ]
        )
        #expect(result.status == 69)
        #expect(result.errors.contains("the provider refused: invalid_client"), "\(result.errors)")
    }

    @Test func testThatPassesWithoutAnyLoginProvesNothing() throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let result = try Self.run("true", in: folder)
        #expect(result.status == 69)
        #expect(result.errors.contains("the login test passed, and nobody logged in at this provider"))
        #expect(result.errors.contains("hint: point the application at http://127.0.0.1:"))
    }

    @Test func testThatFailsInTheEndMakesRejectionsWorthless() throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let result = try Self.run(
            #"[ ! -e "$FOLDER/over" ] && "$APP" && touch "$FOLDER/over""#,
            ["--fault", "id-token-expired", "--format", "json"],
            in: folder
        )
        #expect(result.status == 69)
        let report = try JSONParser.parse(result.output.utf8)
        #expect(report["stopped"]?.string?.hasPrefix("the good login, which worked before, fails") == true)
        #expect(try Self.verdicts(result) == ["id-token-expired": "not_exercised"])
    }

    @Test func suiteWithoutAnyOccasionIsNoSuccess() throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let result = try Self.run(#""$APP""#, ["--fault", "jarm-invalid:exp"], in: folder)
        #expect(result.status == 69 && result.output.contains("no attack was tried"))
        #expect(result.output.contains("this login has no signed authorization responses (JARM)"))
    }

    // MARK: - Options

    @Test(
        arguments: [
            (["--attack-suite"], "--attack-suite needs --drive"),
            (["--attack-suite", "--drive", " "], "--attack-suite needs --drive"),
            (["--drive", "true"], "--drive is about --attack-suite"),
            (["--drive-timeout", "5"], "--drive-timeout is about --attack-suite"),
            (["--junit", "x.xml"], "--junit is about --attack-suite"),
            (["--format", "junit"], "--format junit is about --attack-suite"),
            (["--attack-suite", "--drive", "true", "--drive-timeout", "0"], "from 1 on"),
            (["--attack-suite", "--drive", "true", "--list-faults"], "leave it or --attack-suite out"),
            (
                ["captures/healthy/refresh.har", "--attack-suite", "--drive", "true", "--as-recorded"],
                "leave one of the two out"
            ), (["--attack-suite", "--drive", "true", "--fault", "no-such"], "there is no fault no-such"),
        ] as [([String], String)]
    )
    func whatDoesNotGoTogetherIsRefused(arguments: [String], words: String) throws {
        let result = try Program.run(["mock"] + arguments, in: Fixtures.root.path)
        #expect(result.status == 64 && result.output.isEmpty)
        #expect(result.errors.contains(words) && result.errors.contains("hint: "), "\(result.errors)")
    }
}
