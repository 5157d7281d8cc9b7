import Captures
import Foundation
import TestSupport
import Testing

/// Standard output that takes nothing: a full disk, or closed by whoever started the program.
struct StandardOutputTests {
    private static let capture = Fixtures.root.appending(
        path: "captures/token-request/pkce-verifier-mismatch.har"
    ).path

    /// What the shell says of a command line, `$0` being the program and `$1` a capture.
    private func shell(_ line: String, _ folder: TemporaryFolder) throws -> Program.Result {
        try Program.run(
            ["-c", line, Program.path, Self.capture],
            executable: "/bin/sh",
            in: folder.path
        )
    }

    @Test(arguments: [
        "show $1", "show --format mermaid $1", "diagnose $1", "diagnose --format sarif $1",
        "import $1 --out -",
        "import $1 --out new.har --format json", "share $1 --out -", "explain code-reused", "rules", "--help",
        "manual",
    ])
    func whatCannotBeWrittenIsToldOf(_ arguments: String) throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let full = try shell("\"$0\" \(arguments) > /dev/full", folder)
        #expect(full.status == 69)
        #expect(
            full.errors.contains(
                "authreel: error: standard output cannot be written: No space left on device\nauthreel: hint: make room there"
            ),
            "\(full.errors)"
        )
        let closed = try shell("rm -f new.har; \"$0\" \(arguments) >&-", folder)
        #expect(closed.status == 69)
        #expect(
            closed.errors.contains(
                "authreel: error: standard output cannot be written: Bad file descriptor\n"
            ),
            "\(closed.errors)"
        )
    }

    /// `authreel mock --list-faults | head -1`: the status is that of the command, whenever the reader leaves.
    @Test(
        arguments: [
            ("mock --list-faults", 0), ("rules --format json", 0), ("show $1", 0), ("diagnose $1", 1),
            ("import $1 --out -", 0), ("jwt eyJhbGciOiJub25lIn0.e30.", 1), ("--help", 0),
            ("manual", 0),
        ] as [(String, Int)]
    )
    func readerThatLeavesHasWhatItWanted(_ arguments: String, status: Int) throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let result = try shell(
            "{ \"$0\" \(arguments) 2>complaints; echo $? >&2; } | exec true",
            folder
        )
        #expect(result.errors == "\(status)\n")
        let complaints = try String(contentsOfFile: folder.file("complaints"), encoding: .utf8)
        #expect(!complaints.contains("error:"), "\(complaints)")
    }

    /// A file that is opened next would have its number.
    @Test func whatIsPrintedGoesIntoNoFileOfOurs() throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let result = try shell("\"$0\" share $1 --out shared.har --report report.md <&- >&- 2>&-", folder)
        #expect(result.status != 132)
        let shared = try CaptureReader.read(path: folder.file("shared.har"))
        #expect(shared.count > 0 && shared.losses.isEmpty)
    }
}
