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
        ("Unknown option '-x'", "Unknown option '-x'"), ("Missing value", "Missing value"),
    ])
    func suggestionIsASlipAway(message: String, words: String) {
        #expect(UsageHint.words(message) == words)
    }

    private static let rows: [(message: String, arguments: String, hint: String?)] = [
        ("Unknown option '-sk'", "record curl -sk https://a.example", "record -- curl -sk https://a.example"),
        (
            "2 unexpected arguments: 'curl', 'x'", "record --headless curl x", "record --headless -- curl x"
        ),
        ("Unexpected argument 'make'", "record --out a.har make", "record --out a.har -- make"),
        ("Unexpected argument 'ls'", "record --out=a.har ls", "record --out=a.har -- ls"),
        ("Unexpected argument 'x'", "record https://a.example/", "record --browser https://a.example/"),
        ("Unknown option '--port'", "record --port 9090", "record --listen 127.0.0.1:9090"),
        ("Unknown option '-p'", "record -p", "record --listen 127.0.0.1:8080"),
        ("Unknown option '--port'", "record --port=9091", "record --listen 127.0.0.1:9091"),
        ("Unknown option '--port'", "record --port 9092 -- curl", "record --listen 127.0.0.1:9092"),
        ("Unknown option '--out'", "--out a.har record -- curl", "record --out a.har -- curl"),
        ("Unknown option '--format'", "--format json diagnose a.har", "diagnose --format json a.har"),
        ("Unexpected argument 'b'", "show a b", "view CAPTURE … has several side by side"),
        ("Unknown option '--verison'", "--verison", nil), ("Unknown option '--x'", "--x -- record", nil),
        // A mistyped option with its value; a command behind the two hyphens; another command.
        ("Unknown option '--outt'", "record --outt a.har", nil),
        ("Unknown option '--x'", "record --x -- curl", nil), ("Unexpected argument 'curl'", "view curl", nil),
        ("Missing value for '--out'", "record curl --out", nil),
    ]

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
