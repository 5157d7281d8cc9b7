import Foundation
import JSON
import TestSupport
import Testing

/// What a user meets before anything works: wrong names, wrong files, help.
struct CommandLineTests {
    private static let healthy = Fixtures.root.appending(path: "captures/healthy/web-code-flow.har").path
    private static let broken = Fixtures.root.appending(
        path: "captures/token-request/pkce-verifier-mismatch.har"
    ).path

    @Test func missingFileIs66AndSaysWhatMakesOne() throws {
        let result = try Program.run(["diagnose", "/nowhere/login.har"])
        #expect(result.status == 66)
        #expect(result.output.isEmpty)
        #expect(result.errors.contains("authreel: error: /nowhere/login.har: no such file"))
        #expect(result.errors.contains("authreel: hint: "))
    }

    /// Of a file to be written as well, which help must not call one that is not there.
    @Test func fileThatCannotBeWrittenIs66AndHelpSaysSo() throws {
        let result = try Program.run(["share", Self.healthy, "--out", "/nowhere/shared.har"])
        #expect(result.status == 66)
        #expect(result.errors.contains("no file can be written in /nowhere: "), "\(result.errors)")
        let help = try Program.run(["--help"], environment: ["COLUMNS": "100"]).output
        #expect(
            help.split(whereSeparator: \.isWhitespace).joined(separator: " ")
                .contains("66 a file is not there or cannot be read or written, 69 "),
            "\(help)"
        )
    }

    @Test(arguments: ["show", "diagnose"])
    func fileThatIsNotHARIs65WithItsPlace(command: String) throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let path = folder.file("login.har")
        try Data("{\"log\":\n  {\"entries\": 7}}".utf8).write(to: URL(filePath: path))
        let result = try Program.run([command, path])
        #expect(result.status == 65)
        #expect(result.errors.contains("\(path):2:15: expected"), "\(result.errors)")
    }

    /// Not a file of the name `-`, which `show -` would never read.
    @Test(arguments: ["record", "mock"])
    func recordingIntoStandardOutputIsAMistake(command: String) throws {
        let result = try Program.run([command, "--listen", "127.0.0.1:0", "--out", "-"])
        #expect(result.status == 64 && result.errors.contains("--out FILE.har"), "\(result.errors)")
    }

    /// `-h` is among the letters of `-log.har`: the help would be printed, with status 0.
    @Test(arguments: ["diagnose", "show", "share", "replay"])
    func fileWithADashInFrontIsNotReadAsOptions(command: String) throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        try FileManager.default.copyItem(atPath: Self.healthy, toPath: folder.file("-a log.har"))
        let result = try Program.run([command, "-a log.har"], in: folder.path)
        #expect(result.status == 64 && result.output.isEmpty)
        #expect(result.errors.contains("-a log.har is a file"), "\(result.errors)")
        #expect(result.errors.hasSuffix(": './-a log.har'\n"), "\(result.errors)")
        for way in [["./-a log.har"], ["--", "-a log.har"]] where command == "diagnose" {
            #expect(try Program.run([command] + way, in: folder.path).status == 0)
        }
    }

    @Test func folderOfCapturesIsToldHowToBeRead() throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let path = folder.file("my logins")
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
        let result = try Program.run(["diagnose", "my logins"], in: folder.path)
        #expect(result.status == 66 && result.errors.contains("my logins: is a folder"), "\(result.errors)")
        #expect(result.errors.contains("hint: name the captures in it, one by one or as 'my logins'/*.har"))
    }

    /// What somebody sends may call itself whatever it likes.
    @Test(arguments: [
        (#"{"\u001b]0;gone\u0007\u001b[2J":1}"#, ["diagnose"]),
        (
            #"{"log":{"creator":{"name":"\u001b[2J","version":"\u001b[2J"},"entries":[]}}"#,
            ["record", "--listen", "127.0.0.1:0", "--out"]
        ),
    ])
    func wordsOfStrangersAreNotObeyed(text: String, arguments: [String]) throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let file = folder.file("login.har")
        try Data(text.utf8).write(to: URL(filePath: file))
        let command = arguments.first == "record" ? ["--ca-dir", folder.file("ca"), "--", "true"] : []
        let result = try Program.run(arguments + [file] + command)
        #expect(result.status != 0 && result.errors.contains(#"\u{1b}[2J"#), "\(result.errors)")
        #expect(!result.errors.contains("\u{1b}"))
    }

    @Test func nameOfAFileIsNotObeyed() throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let result = try Program.run(["diagnose", folder.file("\u{1b}[2J.har")])
        #expect(result.status == 66 && result.errors.contains(#"/\u{1b}[2J.har: no such file"#))
        #expect(!result.errors.contains("\u{1b}"))
    }

    /// As text its name would be another one.
    @Test func nameThatIsNoTextIsNotWrittenUnderAnother() throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let result = try Program.run(
            ["-c", #"exec "$0" share "$1" --out "$(printf 'a\377.har')""#, Program.path, Self.healthy],
            executable: "/bin/sh",
            in: folder.path
        )
        #expect(result.status == 64 && result.errors.contains("no UTF-8"), "\(result.errors)")
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).isEmpty)
    }

    @Test func unknownOptionIs64AndShowsUsage() throws {
        let result = try Program.run(["show", "--colour", "login.har"])
        #expect(result.status == 64)
        #expect(result.errors.contains("authreel: error: unknown option '--colour'"), "\(result.errors)")
        #expect(result.errors.contains("Usage: authreel show"))
    }

    @Test(arguments: [
        (["diagnos", "login.har"], "there is no command diagnos", "did you mean diagnose?"),
        (["help", "shwo"], "there is no command shwo", "did you mean show?"),
        (["version"], "there is no command version", "/authreel --version"),
        (["ca", "pth"], "there is no command ca pth", "did you mean path?"),
        (["help", "ca", "exprot"], "there is no command ca exprot", "did you mean export?"),
        (["ca", "show"], "there is no command ca show", "/authreel ca --help lists them all"),
        (["ca", "install"], "there is no command ca install", "/authreel ca trust"),
        (["ca", "uninstall"], "there is no command ca uninstall", "/authreel ca untrust"),
        (["https://a.example/"], "there is no command https", "record --browser https://a.example/"),
        (["eyJhbGciOiJub25lIn0.e30."], "there is no command eyJ", "/authreel jwt eyJhbGciOiJub25lIn0.e30."),
        (["diag", "login.har"], "there is no command diag", "did you mean diagnose?"),
        (["trust"], "there is no command trust", "/authreel ca trust"),
        (["compare", "a.har", "b.har"], "there is no command compare", "/authreel diff"),
        (["attack"], "there is no command attack", "/authreel mock --attack-suite"),
        (["frobnicate"], "there is no command frobnicate", "/authreel --help lists them all"),
        (["explain", "pkce-verifer-mismatch"], "there is no rule", "did you mean pkce-verifier-mismatch?"),
        (
            ["diagnose", "--only", "state-mismach", "x.har"], "there is no rule",
            "did you mean state-mismatch?"
        ),
        ([healthy], "is a file, and no command", "/authreel diagnose "),
    ])
    func slipsAreToldWithWhatWasMeant(arguments: [String], words: String, hint: String) throws {
        let result = try Program.run(arguments)
        #expect(result.status == 64 && result.output.isEmpty)
        #expect(result.errors.contains(words), "\(result.errors)")
        let told = result.errors.split(separator: "\n").filter { $0.hasPrefix("authreel: hint: ") }
        #expect(told.contains { $0.contains(hint) }, "\(result.errors)")
    }

    @Test func forgottenHyphensAreToldWithTheCommand() throws {
        let result = try Program.run(["record", "sh", "-xc", "true"])
        #expect(result.status == 64 && result.output.isEmpty)
        #expect(
            result.errors.contains("hint: what is to be run stands behind --: ")
                && result.errors.contains("record -- sh -xc true"),
            "\(result.errors)"
        )
        let port = try Program.run(["record", "--port", "9090"])
        #expect(!port.errors.contains("Did you mean"), "\(port.errors)")
        #expect(port.errors.contains("record --listen 127.0.0.1:9090"), "\(port.errors)")
    }

    /// Other commands say that `show` tells what was recorded.
    @Test func captureWithoutALoginIsShownAllTheSame() throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let text = """
            {"log":{"version":"1.2","entries":[{"startedDateTime":"2026-03-04T09:54:08Z","time":1,"request":{"method":"GET",
            "url":"https://news.example/today?q=1","headers":[]},"response":{"status":404,"headers":[],"content":{}}}]}}
            """
        try Data(text.utf8).write(to: URL(filePath: folder.file("news.har")))
        let shown = try Program.run(["show", "news.har"], in: folder.path)
        #expect(shown.output.contains("\n  [0]  GET news.example/today  404"), "\(shown.output)")
    }

    @Test func starOfASeverityIsExplained() throws {
        let star = "* an error where the login was refused for it, else a warning"
        #expect(try Program.run(["rules"]).output.contains(star))
        #expect(try Program.run(["explain", "redirect-uri-token-mismatch"]).output.contains(star))
        #expect(!(try Program.run(["explain", "pkce-verifier-mismatch"]).output.contains(star)))
    }

    @Test func errorFindingIsStatusOneAndHealthyIsZero() throws {
        #expect(try Program.run(["diagnose", Self.broken]).status == 1)
        let healthy = try Program.run(["diagnose", Self.healthy])
        #expect(healthy.status == 0)
        #expect(healthy.output.contains("nothing wrong found"), "\(healthy.output)")
    }

    @Test func severalCapturesEndWithASummary() throws {
        let result = try Program.run(["diagnose", Self.healthy, Self.broken])
        #expect(result.status == 1)
        #expect(
            result.output.contains("2 captures") && result.output.hasSuffix("1 broken\n"),
            "\(result.output)"
        )
        let json = try Program.run(["diagnose", "--format", "json", Self.healthy, Self.broken])
        let captures = try JSONParser.parse(json.output.utf8)["captures"]?.array
        #expect(captures?.compactMap { $0["capture"]?.string } == [Self.healthy, Self.broken])
    }

    @Test func unreadableCaptureAmongSeveralDoesNotStopTheOthers() throws {
        let result = try Program.run(["diagnose", "/nowhere.har", Self.healthy])
        #expect(result.status == 66)
        #expect(
            result.errors.contains("/nowhere.har: no such file")
                && result.output.contains("nothing wrong found")
        )
    }

    /// A job that recorded nothing is green and hears of it; one whose login is healthy hears nothing.
    @Test(arguments: ["json", "junit", "sarif", "markdown"])
    func captureWithoutALoginIsWarnedOf(format: String) throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let empty = folder.file("empty.har")
        try Data(#"{"log":{"version":"1.2","entries":[]}}"#.utf8).write(to: URL(filePath: empty))
        let words = "warning: \(empty): 0 exchanges, no OAuth or OpenID Connect traffic among them\n"
        let alone = try Program.run(["diagnose", "--format", format, empty])
        #expect(alone.status == 0 && alone.errors.contains(words), "\(alone.errors)")
        #expect(alone.errors.contains("hint: a login begins with"))
        let two = try Program.run(["diagnose", "--format", format, Self.healthy, empty])
        #expect(two.status == 0 && two.errors == "authreel: \(words)", "\(two.errors)")
        #expect(try Program.run(["diagnose", "--format", format, Self.healthy]).errors == "")
    }

    @Test(arguments: [
        ("junit", #"errors="1""#), ("sarif", "toolExecutionNotifications"), ("markdown", "Not read"),
    ])
    func theOnlyCaptureThatCannotBeReadIsADocument(format: String, words: String) throws {
        let result = try Program.run(["diagnose", "--format", format, "/nowhere.har"])
        #expect(result.status == 66)
        #expect(result.output.contains(words), "\(result.output)")
        #expect(result.errors.contains("/nowhere.har: no such file"))
    }

    /// A report is kept and passed on; what to do with the token is said beside it.
    @Test(arguments: ["json", "junit", "sarif", "markdown"])
    func tokenInPlaceOfACaptureIsInNoReport(format: String) throws {
        let token = "eyJhbGciOiJub25lIn0.e30."
        let result = try Program.run(["diagnose", "--format", format, token, Self.healthy])
        #expect(result.status == 66 && result.errors.contains("jwt \(token)"), "\(result.errors)")
        #expect(!result.output.contains("eyJhbGciOiJub25lIn0"), "\(result.output)")
        #expect(result.output.contains("a token: no such file"), "\(result.output)")
    }

    @Test(
        arguments: [
            (["--only", "token-invalid-grant"], 1), (["--ignore", "pkce-*", "--ignore", "token-*"], 0),
            (["--only", "state-*"], 0),
            (["--fail-on", "note"], 1), (["--ignore", "no-such-rule"], 64), (["--only", "pkcx-*"], 64),
        ] as [([String], Int32)]
    )
    func rulesAreChosen(options: [String], status: Int32) throws {
        #expect(try Program.run(["diagnose"] + options + [Self.broken]).status == status)
    }

    @Test func sarifPointsAtTheLineOfTheEntry() throws {
        let result = try Program.run(["diagnose", "--format", "sarif", Self.broken])
        let first = try JSONParser.parse(result.output.utf8)["runs"]?.array?.first?["results"]?.array?.first
        #expect(first?["ruleId"] == "pkce-verifier-mismatch")
        let region = first?["locations"]?.array?.first?["physicalLocation"]?["region"]
        let text = try String(contentsOfFile: Self.broken, encoding: .utf8)
        let line = try #require(region?["startLine"]?.int)
        #expect(
            text.split(separator: "\n", omittingEmptySubsequences: false)[Int(line) - 1].contains(
                "code_challenge"
            )
        )
    }

    @Test func captureIsReadFromStandardInput() throws {
        let bytes = try Array(Data(contentsOf: URL(filePath: Self.broken)))
        let result = try Program.run(["diagnose", "--format", "json", "-"], input: bytes)
        #expect(result.status == 1)
        let report = try JSONParser.parse(Array(result.output.utf8))
        #expect(report["version"] == 1)
        let findings = report["flows"]?.array?.first?["findings"]?.array ?? []
        #expect(findings.contains { $0["rule"] == "pkce-verifier-mismatch" && $0["primary"] == true })
    }

    @Test func outputToAFileCarriesNoColour() throws {
        for command in ["show", "diagnose"] {
            #expect(!(try Program.run([command, Self.broken]).output.contains("\u{1b}")))
        }
    }

    @Test func sameCaptureGivesTheSameReportByteForByte() throws {
        for arguments in [
            ["show"], ["show", "--format", "json"], ["diagnose"], ["diagnose", "--format", "json"],
        ] {
            let first = try Program.run(arguments + [Self.broken])
            let second = try Program.run(
                arguments + [Self.broken],
                environment: ["TZ": "Asia/Singapore", "LC_ALL": "de_DE"]
            )
            #expect(first.output == second.output)
        }
    }

    @Test(arguments: [
        ("pkce-verifier", "pkce-verifier-mismatch"), ("PKCE-Verifier-Mismatch", "pkce-verifier-mismatch"),
        ("invalid_grant", "token-invalid-grant"), ("token", " rules | grep token"),
        ("", " rules lists them all"), (" ", " rules lists them all"),
        ("pkce", " have that in their names: "), ("pkce", " rules | grep pkce"),
    ])
    func unknownRuleNamesTheNearOnes(rule: String, near: String) throws {
        let result = try Program.run(["explain", rule])
        #expect(result.status == 64)
        #expect(result.errors.contains(near), "\(result.errors)")
    }

    @Test(arguments: [
        ("pkce", "'pkce-*' stands for the "), ("invalid_grant", "did you mean token-invalid-grant?"),
        ("pkce-verifier-mismatc", "did you mean pkce-verifier-mismatch?"),
        ("frobnicate", " rules lists them all"), ("frobnicate-*", " rules lists them all"),
    ])
    func unknownRuleToBeLeftOutNamesThoseThatBeginSo(rule: String, near: String) throws {
        for option in ["--ignore", "--only"] {
            let result = try Program.run(["diagnose", option, rule, Self.broken])
            #expect(result.status == 64 && result.errors.contains(near), "\(result.errors)")
        }
    }

    /// As a variable does that is not set.
    @Test(arguments: [["show"], ["show", "--format", "html"], ["share"], ["import"], ["replay"]])
    func emptyNameOfAFileIsSaid(command: [String]) throws {
        let result = try Program.run(command + ["--out", "", Self.healthy])
        #expect(result.status == 66, "\(result.errors)")
        #expect(result.errors.contains("the name of the file to be written is empty"), "\(result.errors)")
    }

    @Test func emptyNameOfAFolderIsSaid() throws {
        let result = try Program.run(["share", "--out", "", Self.healthy, Self.broken])
        #expect(result.status == 66, "\(result.errors)")
        #expect(result.errors.contains("name of the folder for the captures is empty"), "\(result.errors)")
        #expect(result.errors.contains("hint: a variable that is not set is none"), "\(result.errors)")
    }

    @Test(arguments: [["show"], ["diagnose"], ["diagnose", "--format", "junit"]])
    func unknownFlowNamesThoseThatAreThere(command: [String]) throws {
        let result = try Program.run(command + ["--flow", "flow-9", Self.healthy])
        #expect(result.status == 64)
        #expect(result.errors.contains("it has flow-1"), "\(result.errors)")
        #expect(result.output == "")
    }

    @Test func oneFlowIsDiagnosedAlone() throws {
        let whole = try Program.run(["diagnose", Self.broken])
        let alone = try Program.run(["diagnose", "--flow", "flow-1", Self.broken])
        #expect(alone.status == 1 && alone.output == whole.output)
        let two = try Program.run(["diagnose", "--flow", "flow-1", Self.broken, Self.healthy])
        #expect(two.status == 64 && two.errors.contains("--flow names a flow of one capture"))
    }

    private static let subcommands = [
        "demo", "record", "import", "show", "view", "diagnose", "diff", "replay", "share", "mock", "explain",
        "rules",
        "jwt",
        "jwt decode", "jwt verify", "ca",
        "ca export",
        "ca path", "ca trust", "ca untrust", "ca rotate",
    ]

    @Test(arguments: subcommands)
    func everySubcommandHelpsWithAnExample(command: String) throws {
        let words = command.split(separator: " ").map(String.init)
        let help = try Program.run(words + ["--help"], environment: ["COLUMNS": "100"])
        #expect(help.status == 0)
        #expect(words.count > 1 || help.output.contains("Example"), "\(command) has no example")
        #expect(help.output.contains("authreel \(command)"))
        #expect(
            try Snapshot.difference(of: help.output, from: "help/\(words.joined(separator: "-")).txt") == nil
        )
    }

    /// As many columns as any terminal has: a line that is broken is no command to copy.
    @Test(arguments: subcommands.filter { $0 != "ca path" })
    func examplesAreWholeLinesThatAShellTakes(command: String) throws {
        let words = command.split(separator: " ").map(String.init)
        let help = try Program.run(words + ["--help"], environment: ["COLUMNS": "80"]).output
        let lines = help.split(separator: "\n", omittingEmptySubsequences: false)
        let start = try #require(lines.firstIndex { $0.hasPrefix("Example") })
        let examples = lines[(start + 1)...].prefix { !$0.isEmpty }
        #expect(!examples.isEmpty && examples.allSatisfy { $0.hasPrefix("  ") }, "\(examples)")
        for example in examples {
            // What is said of a command is a remark to the shell as well.
            let line = example.drop { $0 == " " }
            #expect(!line.contains("   ") || line.contains("# "), "\(example)")
        }
    }
}
