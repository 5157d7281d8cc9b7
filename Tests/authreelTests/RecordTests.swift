import ArgumentParser
import Testing

@testable import authreel

/// What the options of `record` are taken for.
struct RecordTests {
    @Test(arguments: [
        ("https://app.example/", "https://app.example/"), ("http://localhost:3000", "http://localhost:3000"),
        ("localhost:3000/a?b=c", "http://localhost:3000/a?b=c"), ("127.0.0.1", "http://127.0.0.1"),
        ("[::1]:3000/", "http://[::1]:3000/"), ("app.localhost:1", "http://app.localhost:1"),
        ("app.example", "https://app.example"), ("app.example:8443/login", "https://app.example:8443/login"),
    ])
    func pageIsMadeWhole(_ row: (text: String, page: String)) throws {
        #expect(try Record.page(row.text) == row.page)
    }

    @Test func keysAreNotWrittenIntoTheCapture() {
        #expect(throws: (any Error).self) { try Record.parse(["--out", "a.har", "--keylog", "./a.har"]) }
        #expect(throws: Never.self) { try Record.parse(["--out", "a.har", "--keylog", "keys.log"]) }
    }

    @Test(arguments: [
        "ftp://x.example/", "javascript://x", "", "https://", "-- ls", "file:///etc/passwd", "http:// x",
    ])
    func whatIsNoPageIsAMistake(_ text: String) {
        let failure = #expect(throws: CommandFailure.self) { try Record.page(text) }
        #expect(failure?.status == .usage)
    }
}
