import Foundation
import JSON
import TestSupport
import Testing

/// `authreel diff` as it is called.
struct DiffCommandTests {
    private static func path(_ name: String) -> String { Fixtures.root.appending(path: name).path }
    private static let healthy = path("Tests/Recordings/login-http2.har")
    private static let broken = path("Tests/Recordings/broken-client-secret.har")
    private static let twice = path("Tests/Recordings/key-rotated.har")
    private static let clear = path("Tests/Recordings/login-cleartext.har")

    @Test func sameIsStatusZeroAndOtherwiseOne() throws {
        let same = try Program.run(["diff", Self.healthy, Self.twice])
        #expect(same.status == 0 && same.output.contains("\nthe same"), "\(same.output)\(same.errors)")
        let different = try Program.run(["diff", Self.healthy, Self.broken])
        #expect(different.status == 1)
        #expect(
            different.output.contains("first difference: token_request: client_secret:"),
            "\(different.output)"
        )
        #expect(different.errors.isEmpty && !different.output.contains("\u{1b}"))
    }

    @Test func pageThatExistsIsLeftAloneAndNothingIsCompared() throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        try Data().write(to: URL(filePath: folder.file("there.html")))
        let result = try Program.run(["diff", "--html", folder.file("there.html"), Self.healthy, Self.twice])
        #expect(result.status == 66 && result.output.isEmpty, "\(result.output)\(result.errors)")
    }

    @Test func oneCaptureIsComparedWithItself() throws {
        let result = try Program.run(["diff", "--format", "json", Self.twice])
        #expect(result.status == 0)
        let object = try JSONParser.parse(result.output.utf8)
        #expect(object["flows"] == ["flow-1", "flow-2"] && object["same"] == true)
    }

    @Test(
        arguments: [
            (["A#flow-2", "B"], ["flow-2", "flow-1"]), (["A", "A#flow-2"], ["flow-1", "flow-2"]),
            (["--flow", "flow-2", "A", "A"], ["flow-2", "flow-2"]),
            (["--flow", "flow-1", "A#flow-2", "A"], ["flow-2", "flow-1"]),
        ] as [([String], [String])]
    )
    func flowsAreChosen(arguments: [String], flows: [String]) throws {
        let words = arguments.map { word in
            word.hasPrefix("A") || word.hasPrefix("B")
                ? (word.hasPrefix("A") ? Self.twice : Self.healthy) + word.dropFirst() : word
        }
        let result = try Program.run(["diff", "--format", "json"] + words)
        let object = try JSONParser.parse(result.output.utf8)
        #expect(object["flows"]?.array?.compactMap(\.string) == flows, "\(result.errors)")
    }

    @Test func optionsReachTheComparison() throws {
        let map = ["127.0.0.1:21101", "localhost:21201"].flatMap { ["--map", "https://\($0)=http://\($0)"] }
        #expect(try Program.run(["diff"] + map + [Self.healthy, Self.clear]).status == 0)
        #expect(try Program.run(["diff", Self.healthy, Self.clear]).status == 1)
        #expect(try Program.run(["diff", "--compare", "state", Self.healthy, Self.twice]).status == 1)
        let one = ["--ignore", "client_secret", Self.healthy, Self.broken]
        #expect(!(try Program.run(["diff"] + one).output.contains("client_secret")))
        let consent = Self.path("Tests/Recordings/broken-consent-partial.har")
        let other = try Program.run(["diff", "--other-provider", "--format", "json", Self.healthy, consent])
        #expect(other.status == 0, "\(other.output)")
    }

    @Test(arguments: [
        ("text", "token_request"), ("json", "\"same\": false"), ("junit", "<testsuites"),
        ("markdown", "# Login"),
    ])
    func everyFormatIsPrinted(format: String, mark: String) throws {
        let result = try Program.run(["diff", "--format", format, Self.healthy, Self.broken])
        #expect(result.status == 1)
        #expect(result.output.contains(mark))
    }

    @Test(
        arguments: [
            (["/nowhere/a.har", "B"], 66, "no such file"),
            (["A#flow-9", "B"], 64, "there is no flow flow-9"),
            (["A"], 64, "has no second login of the same client"),
            (["--map", "x", "A", "B"], 64, "is not OLD=NEW"),
            (["--map", "https://a.example=b", "A", "B"], 64, "is not OLD=NEW"),
            (
                ["--ignore", "scope", "--compare", "scope", "A", "B"], 64,
                "both to be ignored and to be compared"
            ),
            (["--format", "sarif", "A", "B"], 64, "sarif"), ([], 64, "missing expected argument"),
        ] as [([String], Int32, String)]
    )
    func wrongUseIsSaidWithWhatToDo(arguments: [String], status: Int32, words: String) throws {
        let arguments = arguments.map { word in
            word.hasPrefix("A") ? Self.healthy + word.dropFirst() : word == "B" ? Self.broken : word
        }
        let result = try Program.run(["diff"] + arguments)
        #expect(result.status == status, "\(result.errors)")
        #expect(result.errors.contains(words), "\(result.errors)")
        #expect(result.output.isEmpty)
        #expect(result.errors.contains("authreel: hint: ") || result.errors.contains("Usage: authreel diff"))
    }

    @Test func fileWithoutALoginIs65() throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        try Data(#"{"log":{"version":"1.2","entries":[]}}"#.utf8).write(
            to: URL(filePath: folder.file("empty.har"))
        )
        let result = try Program.run(["diff", Self.healthy, folder.file("empty.har")])
        #expect(result.status == 65)
        #expect(result.errors.contains("no OAuth or OpenID Connect traffic in it"))
    }

    @Test func captureIsReadFromStandardInputAndFromANameWithANumberSign() throws {
        let bytes = try Array(Data(contentsOf: URL(filePath: Self.twice)))
        let result = try Program.run(
            ["diff", "--flow", "flow-2", Self.healthy + "#flow-1", "-"],
            input: bytes
        )
        #expect(result.status == 0, "\(result.errors)")
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        try Data(bytes).write(to: URL(filePath: folder.file("login#2.har")))
        #expect(try Program.run(["diff", Self.healthy, folder.file("login#2.har")]).status == 0)
    }

    /// Standard input is there once, and `-` twice one login.
    @Test func loginIsNotComparedWithItselfUnsaid() throws {
        let bytes = try Array(Data(contentsOf: URL(filePath: Self.twice)))
        let result = try Program.run(["diff", "-", "-"], input: bytes)
        #expect(result.status == 64 && result.output.isEmpty, "\(result.output)\(result.errors)")
        #expect(result.errors.contains("both sides are flow-1 of standard input"))
        #expect(result.errors.contains("hint: name two of its flows, as /dev/stdin#flow-1; it has "))
        let one = try Array(Data(contentsOf: URL(filePath: Self.healthy)))
        #expect(
            try Program.run(["diff", "-", "-"], input: one).errors
                .contains("hint: give one of the two captures as a file")
        )
        let alone = try Program.run(["diff", "-"], input: one)
        #expect(alone.status == 64 && alone.errors.contains("standard input has no second login of"))
        let two = ["diff", "/dev/stdin#flow-1", "/dev/stdin#flow-2"]
        #expect(try Program.run(two, input: bytes).status == 0)
        let file = try Program.run(["diff", Self.healthy, Self.healthy])
        #expect(file.status == 0 && file.output.contains("\nthe same"))
        #expect(file.errors.contains("both sides are flow-1 of \(Self.healthy)"))
        #expect(file.errors.contains("hint: name a second capture"))
    }

    @Test func sameCapturesGiveTheSameReportByteForByte() throws {
        for format in ["text", "json", "junit", "markdown"] {
            let arguments = ["diff", "--all", "--format", format, Self.healthy, Self.broken]
            let first = try Program.run(arguments)
            let second = try Program.run(arguments, environment: ["TZ": "Asia/Singapore", "LC_ALL": "de_DE"])
            #expect(first.output == second.output && !first.output.isEmpty)
        }
    }
}
