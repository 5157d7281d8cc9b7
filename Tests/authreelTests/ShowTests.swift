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
}
