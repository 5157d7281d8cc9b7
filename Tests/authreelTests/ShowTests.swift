import ArgumentParser
import Foundation
import TestSupport
import Testing

@testable import authreel

struct ShowTests {
    /// The codes and secrets of a capture are in what is written of it, its hosts and clients in the diagram.
    @Test(arguments: ["json", "html", "text", "mermaid"]) func onlyTheOwnerReadsWhatIsWritten(format: String)
        throws
    {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let out = folder.file("login.\(format)")
        let capture = Fixtures.root.appending(path: "captures/token-request/code-expired.har").path
        try Show.parse([capture, "--format", format, "--out", out]).run()
        let mode = try FileManager.default.attributesOfItem(atPath: out)[.posixPermissions] as? Int
        #expect(mode == 0o600)
    }

    /// The name that is proposed in its place is one for what would be written.
    @Test(
        arguments: [
            ("json", "login.json"), ("html", "login.html"), ("text", "login.txt"), ("mermaid", "login.mmd"),
        ]
    )
    func folderIsNoFile(format: String, name: String) throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let capture = Fixtures.root.appending(path: "captures/token-request/code-expired.har").path
        let failure = #expect(throws: CommandFailure.self) {
            try Show.parse([capture, "--format", format, "--out", folder.path]).run()
        }
        #expect(failure?.hint?.hasSuffix("for example \(folder.path)/\(name)") == true)
    }

    @Test(arguments: [
        ("--html difference.html", "difference.html"), ("--report shared.md", "shared.md"),
        ("--junit FILE.xml", "login.xml"), ("--out FILE.har", "login.har"),
    ])
    func folderIsNoFileBeforeItIsWritten(option: String, name: String) throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let failure = #expect(throws: CommandFailure.self) {
            try OutputFile.check(folder.path, option: option)
        }
        #expect(failure?.hint?.hasSuffix("for example \(folder.path)/\(name)") == true)
    }
}
