import Foundation
import TestSupport
import Testing

/// The files that `authreel replay` writes: looked at before anything is sent.
struct ReplayOutputTests {
    private static let login = Fixtures.root.appending(path: "captures/healthy/web-code-flow.har").path

    /// Said before anything else is: neither whom it would speak to, nor of a provider that is not there.
    @Test(arguments: [
        ("-", 64, "which standard output is not"), ("/no/such/folder/a.har", 66, "cannot be written: "),
        (".", 66, ". cannot be written: "),
    ])
    func placeForTheNewRunIsLookedAtFirst(_ path: String, _ status: Int, _ words: String) throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let result = try Program.run(
            ["replay", "--against", "http://127.0.0.1:9", "--out", path, Self.login],
            in: folder.path
        )
        #expect(
            Int(result.status) == status && result.errors.contains(words)
                && !result.errors.contains("127.0.0.1"),
            "\(result.status) \(result.errors)"
        )
        #expect(!FileManager.default.fileExists(atPath: folder.file("-")))
    }

    /// What is rehearsed is the whole command, its files included.
    @Test(arguments: [
        (["--out", login], 64, "is what is replayed"),
        (["--out", "/no/such/folder/a.har"], 66, "name a file in a folder that is there"),
        (["--junit", "/no/such/folder/a.xml"], 66, "name a file in a folder that is there"),
    ])
    func rehearsalTakesTheWholeCommand(_ options: [String], _ status: Int, _ words: String) throws {
        let result = try Program.run(
            ["replay", "--dry-run"] + options + [Self.login]
        )
        #expect(
            Int(result.status) == status && result.errors.contains(words),
            "\(result.status) \(result.errors)"
        )
    }

    @Test func outputThatExistsIsLeftAloneAndNothingIsSent() throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        try Data(#"{"log":{"version":"1.2","creator":{"name":"other","version":"1"},"entries":[]}}"#.utf8)
            .write(to: URL(filePath: folder.file("there.har")))
        for option in ["--out", "--junit"] {
            let result = try Program.run([
                "replay", option, folder.file("there.har"), Self.login,
            ])
            #expect(result.status == 66, "\(option) \(result.errors)")
            #expect(result.output.isEmpty, "\(result.output)")
        }
    }
}
