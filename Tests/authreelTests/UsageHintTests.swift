import Foundation
import TestSupport
import Testing

@testable import authreel

/// What is said to words that a command does not take.
struct UsageHintTests {
    @Test(arguments: [
        ("Unknown option '--port'. Did you mean '--out'?", "Unknown option '--port'"),
        (
            "Unknown option '--browsr'. Did you mean '--browser'?",
            "Unknown option '--browsr'. Did you mean '--browser'?"
        ),
        (
            "Unknown option '-#flow-1'. Did you mean '--flow'?\n   or: Missing value for '-o <FILE.har>'",
            "Unknown option '-#flow-1'"
        ),
        ("Unknown option '-x'", "Unknown option '-x'"), ("Missing value", "Missing value"),
        (
            "Can't generate completion scripts for 'sh'.\nPlease use one of:\n    zsh\n    bash",
            "Can't generate completion scripts for 'sh'. Please use one of: zsh bash"
        ),
    ])
    func suggestionIsASlipAway(message: String, words: String) {
        #expect(UsageHint.words(message) == words)
    }

    /// A line that is made of the arguments would not do with an option that there is not.
    @Test(arguments: [
        ("share a.har --json", "Unknown option '--json'"),
        ("share a.har --format=json --out b", "Unknown option '--format'"),
        ("share a.har --dryrun", "Unknown option '--dryrun'. Did you mean '--dry-run'?"),
        ("share a.har --keep x", nil), ("view a.har --no-open --port 99999", nil),
        ("record --listen 8080 -- curl --json", nil), ("jwt --jsn", nil), ("--jsn share", nil),
    ])
    func unknownOptionComesFirst(arguments: String, words: String?) {
        let message = "say where the shared capture goes: --out FILE"
        let arguments = arguments.split(separator: " ").map(String.init)
        #expect(UnknownOption.first(before: message, arguments) == words ?? message)
        #expect(UnknownOption.first(before: "Missing value for '--also'", arguments).hasPrefix("Missing"))
    }

    /// An option stays beside its value.
    @Test func usageFitsTheTerminal() {
        let line = "Usage: authreel diagnose <CAPTURE> ... [--flow <ID>] [--only <RULE> ...] [--verbose]"
        let lines = [line, "  See 'authreel diagnose --help' for more information."].map { Substring($0) }
        #expect(UsageHint.usage(lines, columns: nil) == lines.map(String.init))
        #expect(UsageHint.usage(lines, columns: 100) == lines.map(String.init))
        let broken = "Usage: authreel diagnose <CAPTURE> ...\n       [--flow <ID>]"
        #expect(UsageHint.usage(lines, columns: 40)[0].hasPrefix(broken + " [--only <RULE> ...]\n"))
    }

    private static let rows: [(message: String, arguments: String, hint: String?)] = [
        ("Unknown option '-sk'", "record curl -sk https://a.example", "record -- curl -sk https://a.example"),
        (
            "2 unexpected arguments: 'curl', 'x'", "record --headless curl x", "record --headless -- curl x"
        ),
        ("Unexpected argument 'make'", "record --out a.har make", "record --out a.har -- make"),
        ("Unexpected argument 'ls'", "record --out=a.har ls", "record --out=a.har -- ls"),
        // What names the recording is none of the command's options.
        ("Unexpected argument 'npm'", "record npm --out a.har", "record --out a.har -- npm"),
        ("2 unexpected arguments: 'npm', 'x'", "record npm x --out=a.har", "record --out=a.har -- npm x"),
        ("Unexpected argument 'cc'", "record cc --out a.o", "record -- cc --out a.o"),
        ("Unexpected argument 'x'", "record https://a.example/", "record --browser https://a.example/"),
        ("Unknown option '--port'", "record --port 9090", "record --listen 127.0.0.1:9090"),
        ("Unknown option '-p'", "record -p", "record --listen 127.0.0.1:8080"),
        ("Unknown option '--port'", "record --port=9091", "record --listen 127.0.0.1:9091"),
        ("Unknown option '--port'", "record --port 9092 -- curl", "record --listen 127.0.0.1:9092"),
        ("Unknown option '--out'", "--out a.har record -- curl", "record --out a.har -- curl"),
        ("Unknown option '--format'", "--format json diagnose a.har", "diagnose --format json a.har"),
        ("Unexpected argument 'b'", "show a b", "view CAPTURE … has several side by side"),
        ("Unexpected argument 'flow-2'", "show a flow-2", "show a --flow flow-2"),
        ("Unknown option '--json'", "diagnose --json a.har", "diagnose --format json a.har"),
        ("Unknown option '--sarif'", "diagnose a.har --sarif", "diagnose a.har --format sarif"),
        ("Unknown option '--html'", "show --html a.har", "show --format html --out login.html a.har"),
        ("Unknown option '--html'", "show a.har --html -o b", "show a.har --format html -o b"),
        // A form that this command has not, and a command that has none.
        ("Unknown option '--sarif'", "show --sarif a.har", nil),
        ("Unknown option '--json'", "share --json a.har", nil),
        (
            "The value 'html' is invalid for '--format <FORMAT>'.", "diagnose --format html a.har",
            "show --format html --out login.html CAPTURE"
        ),
        (
            "The value 'html' is invalid for '--format <FORMAT>'.", "diff --format html a b",
            "diff --html difference.html A B"
        ),
        ("The value 'yaml' is invalid for '--format <FORMAT>'.", "diff --format yaml a b", nil),
        // A command of which no capture is shown.
        ("The value 'html' is invalid for '--format <FORMAT>'.", "rules --format html", nil),
        ("Unexpected argument 'pkce'", "rules pkce", "rules | grep pkce"),
        ("Unexpected argument 'code-reused'", "rules code-reused", "explain code-reused"),
        ("Missing expected argument '<TOKEN|FILE|-> ...'", "jwt", "jwt token.txt"),
        ("Missing expected argument '<FILE>'", "jwt verify", nil),
        ("Missing expected argument '<RULE>'", "explain", "rules lists them all"),
        ("Missing expected argument '<A>'", "diff", "diff yesterday.har today.har"),
        (
            "Missing expected argument '--out <FILE.har>'", "import a.har b.har",
            "import a.har b.har --out imported.har"
        ),
        (
            "Missing expected argument '<FILE> ...'", "import --out a.har",
            "import browser.har server.har --out a.har"
        ),
        (
            "Missing expected argument '<FILE> ...'", "import",
            "import browser.har server.har --out login.har"
        ),
        ("The value 'x' is invalid for '--port <PORT>'", "view --port x a.har", "example --port 8123"),
        ("The value '1.5' is invalid for '--leeway <SECONDS>'", "jwt --leeway 1.5 a", "example --leeway 30"),
        ("The value 'x' is invalid for '--jobs <COUNT>'", "replay --jobs x a.har", "example --jobs 3"),
        (
            "say where the shared captures go: --out FOLDER, or …", "share a.har b.har",
            "share a.har b.har --out shared"
        ),
        (
            "say where the shared capture goes: --out FILE, or …", "share a.har --keep x",
            "share a.har --keep x --out shared.har"
        ),
        (
            "say where the shared capture goes: --out FILE, or …", "share a.har --encrypt-to age1x",
            "share a.har --encrypt-to age1x --out shared.har.age"
        ),
        (
            "several captures go into a folder: --out FOLDER, not x.har; …",
            "share -o x.har a.har b.har", "share a.har b.har --out shared"
        ),
        (
            "several captures go into a folder: --out FOLDER", "share a.har b.har --out=-",
            "share a.har b.har --out shared"
        ),
        ("--unredacted hands over every secret", "share --unredacted a.har --out b.har", nil),
        ("Unknown option '--out'", "diagnose --out a.md b.har", "diagnose b.har > a.md"),
        ("Unknown option '-o'", "diagnose a.har -o -", "diagnose a.har"),
        ("Unknown option '--out'", "diagnose --out --format json a.har", nil),
        ("Unknown option '-o'", "rules -o", nil), ("Unknown option '--out'", "view a.har --out b", nil),
        ("Unknown option '-v'", "-v", "--version"), ("Unknown option '-V'", "-V", "--version"),
        ("Unknown option '-v'", "show -v a.har", nil),
        ("Unknown option '--verison'", "--verison", "--version"),
        ("Unknown option '--hlep'", "--hlep", "--help"),
        ("Unknown option '--formatt'", "--formatt", nil), ("Unknown option '--hlep'", "ca --hlep", nil),
        ("Unknown option '--x'", "--x -- record", nil),
        // A mistyped option with its value; a command behind the two hyphens; another command.
        ("Unknown option '--outt'", "record --outt a.har", nil),
        ("Unknown option '--x'", "record --x -- curl", nil), ("Unexpected argument 'curl'", "view curl", nil),
        ("Missing value for '--out'", "record curl --out", nil),
    ]

    /// Whoever has recorded a login a minute ago means that one.
    @Test func captureThatIsLeftOutIsTheNewest() throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let missing = "Missing expected argument '<CAPTURE> ...'"
        let none = UsageHint.withCapture(missing, ["diagnose"], in: folder.path)
        #expect(none?.hasSuffix(" record --out login.har makes one") == true)
        for (name, age) in [("old.har", 60.0), ("my login.har", 1), ("-x.har", 0), ("notes.txt", 0)] {
            let file = folder.file(name)
            try Data().write(to: URL(filePath: file))
            let date = Date(timeIntervalSince1970: 1_700_000_000 - age)
            try FileManager.default.setAttributes([.modificationDate: date], ofItemAtPath: file)
        }
        let hint = UsageHint.withCapture(missing, ["diagnose", "--verbose"], in: folder.path)
        #expect(hint?.hasSuffix(" diagnose --verbose 'my login.har'") == true, "\(hint ?? "-")")
        #expect(UsageHint.withCapture("Unknown option '-x'", ["diagnose"], in: folder.path) == nil)
        let piped = UsageHint.withCapture(missing, ["show"], in: folder.path, isPiped: true)
        #expect(piped?.hasSuffix(" show -") == true, "\(piped ?? "-")")
        // In a pipeline's job nothing comes by standard input, though it is a pipe.
        #expect(piped?.contains(" show 'my login.har'; ") == true, "\(piped ?? "-")")
        let other = UsageHint.withCapture(missing, ["replay"], in: folder.path, isPiped: true)
        #expect(other?.hasSuffix(" replay 'my login.har'") == true, "\(other ?? "-")")
        // What is named can be run.
        for (arguments, end) in [
            (["share"], "share 'my login.har' --out shared.har"),
            (
                ["share", "--encrypt-to", "age1x"],
                "share --encrypt-to age1x 'my login.har' --out shared.har.age"
            ),
            (["share", "--dry-run"], "share --dry-run 'my login.har'"),
            (["share", "-o", "a.har"], "share -o a.har 'my login.har'"),
        ] {
            let hint = UsageHint.withCapture(missing, arguments, in: folder.path)
            #expect(hint?.hasSuffix(" \(end)") == true, "\(hint ?? "-")")
        }
    }

    /// As curl, mitmproxy and tcpdump call them.
    @Test(
        arguments: [
            ("-w", "record -w a.har", "record --out a.har"),
            ("-k", "record -k -- curl -k x", "record --insecure-upstream -- curl -k x"),
            ("--cacert", "record --cacert=a.pem", "record --upstream-ca=a.pem"),
            ("--proxy", "record --proxy http://p:1", "record --upstream-proxy http://p:1"),
            ("--port", "mock a.har --port 8090", "mock a.har --listen 8090"),
            ("-f", "diagnose -f json a.har", "diagnose --format json a.har"),
            ("-f", "show -f=mermaid a.har", "show --format=mermaid a.har"),
            ("-f", "view -f json a.har", nil), ("-f", "show -f flow-2 a.har", nil),
            ("-f", "diagnose a.har -f", nil),
            ("-w", "diagnose -w a.har", nil), ("-k", "record -- curl -k x", nil), ("-y", "record -y", nil),
        ] as [(String, String, String?)]
    )
    func optionOfAnotherProgramIsNamedAsOurs(option: String, arguments: String, line: String?) {
        let words = arguments.split(separator: " ").map(String.init)
        let hint = UsageHint.withOurOption("Unknown option '\(option)'. Did you mean '--x'?", words)
        #expect(line.map { hint?.hasSuffix(" \($0)") == true } ?? (hint == nil), "\(hint ?? "-")")
    }

    @Test(arguments: rows.indices) func commandThatWasMeantIsNamed(_ index: Int) {
        let row = Self.rows[index]
        let hint = UsageHint.hint(for: row.message, row.arguments.split(separator: " ").map(String.init)) {
            $0 == "curl"
        }
        if let expected = row.hint {
            #expect(hint?.hasSuffix(" \(expected)") == true, "\(hint ?? "-")")
        } else {
            #expect(hint == nil)
        }
    }
}
