import Captures
import Foundation
import JSON
import TestSupport
import Testing

/// `authreel demo`: what somebody sees who has nothing yet.
struct DemoTests {
    @Test func showsAHealthyAndABrokenLogin() throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let result = try Program.run(["demo", "--out", "captures"], in: folder.path)
        #expect(result.status == 0, "\(result.errors)")
        #expect(result.output.contains("pkce-verifier-mismatch (base64)"), "\(result.output)")

        let captures = try FileManager.default.contentsOfDirectory(atPath: folder.file("captures"))
            .filter { $0.hasSuffix(".har") }.sorted()
        #expect(captures.count == 2)
        var seen: [String: [JSONValue]] = [:]
        for name in captures {
            let report = try Program.run(["diagnose", "--format", "json", folder.file("captures/" + name)])
            let flows = try JSONParser.parse(report.output.utf8)["flows"]?.array ?? []
            #expect(flows.count == 1)
            seen[flows.first?["outcome"]?.string ?? ""] = flows.first?["findings"]?.array
            #expect(result.output.contains(name), "the output does not name \(name)")
        }
        let healthy = try #require(seen["success"])
        #expect(!healthy.contains { ["error", "warning"].contains($0["severity"]?.string) })
        let primary = try #require(seen["failure"]?.first { $0["primary"] == true })
        #expect(primary["rule"] == "pkce-verifier-mismatch")
        #expect(primary["variant"] == "base64")
    }

    @Test func commandsThatItNamesRun() throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let result = try Program.run(["demo", "--out", "captures"], in: folder.path)
        let commands = result.output.split(separator: "\n").map { $0.trimmingCharacters(in: .whitespaces) }
            .filter { $0.hasPrefix(Program.path + " ") }
        #expect(!commands.isEmpty)
        for command in commands {
            let arguments = command.split(separator: " ").dropFirst().map(String.init)
            guard arguments.first != "record" else { continue }
            let next = try Program.run(arguments, in: folder.path)
            #expect([0, 1].contains(next.status), "\(command): \(next.errors)")
        }
    }

    /// Whoever compares them next sees what the one does otherwise, and not where it was.
    @Test func theTwoLoginsDifferInTheChallengeAlone() throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        _ = try Program.run(["demo", "--out", "captures"], in: folder.path)
        let result = try Program.run(
            ["diff", "captures/healthy.har", "captures/broken.har"],
            in: folder.path
        )
        #expect(result.status == 1 && !result.output.contains(": port "), "\(result.output)")
        #expect(
            result.output.contains("first difference: token_request: code_verifier (against code_challenge)"),
            "\(result.output)"
        )
    }

    @Test func folderThatCannotBeMadeIsToldInPlainWords() throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        try Data("mine".utf8).write(to: URL(filePath: folder.file("taken")))
        let below = try Program.run(["demo", "--out", "taken/below"], in: folder.path)
        #expect(below.status == 66)
        #expect(below.errors.contains("cannot be made: Not a directory\n"), "\(below.errors)")
        let taken = try Program.run(["demo", "--out", "taken"], in: folder.path)
        #expect(taken.status == 64 && taken.errors.contains("taken is a file"), "\(taken.errors)")
        #expect(try String(contentsOfFile: folder.file("taken"), encoding: .utf8) == "mine")
    }

    @Test func overwritesNothing() throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        #expect(try Program.run(["demo", "--out", "captures"], in: folder.path).status == 0)
        let names = try FileManager.default.contentsOfDirectory(atPath: folder.file("captures"))
        let before = try names.map { try Data(contentsOf: URL(filePath: folder.file("captures/" + $0))) }
        _ = try Program.run(["demo", "--out", "captures"], in: folder.path)
        let after = try names.map { try Data(contentsOf: URL(filePath: folder.file("captures/" + $0))) }
        #expect(before == after)
    }

    /// Nothing stays that is no whole capture.
    @Test(.enabled(if: SmallDisk.isPossible, "a small file system can be mounted by root only"))
    func fullDiskIsSaidAndLeavesNothing() throws {
        let disk = try SmallDisk(kilobytes: 64)
        defer { disk.remove() }
        try disk.fill(sparing: 8192)
        let result = try Program.run(["demo", "--out", disk.file("captures")])
        #expect(result.status == 69, "\(result.errors)")
        #expect(result.errors.contains("captures/healthy.har cannot be written: No space left on device"))
        #expect(!FileManager.default.fileExists(atPath: disk.file("captures")))
    }
}
