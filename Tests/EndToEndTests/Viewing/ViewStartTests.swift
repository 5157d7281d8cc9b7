import Foundation
import TestSupport
import Testing

/// How `authreel view` starts: what it opens, what it says, what it refuses.
@Suite(.serialized, .timeLimit(.minutes(2)))
struct ViewStartTests {
    private static let capture = Fixtures.root.appending(path: "captures/healthy/web-code-flow.har").path

    @Test func browserIsHandedAFileAndNotTheSecretAddress() throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let script = folder.file("browser")
        _ = FileManager.default.createFile(
            atPath: script,
            contents: Data(
                "#!/bin/sh\necho \"$@\" >\(folder.file("words"))\nf=${1#file://}\nstat -c %a \"$f\" >\(folder.file("mode"))\ncat \"$f\" >\(folder.file("page"))\n"
                    .utf8
            ),
            attributes: [.posixPermissions: 0o755]
        )
        let process = Process()
        process.executableURL = URL(filePath: Program.path)
        process.arguments = ["view", Self.capture]
        process.environment = ProcessInfo.processInfo.environment.merging([
            "BROWSER": "\(script):other", "TMPDIR": folder.path,
        ]) { $1 }
        let output = Pipe()
        process.standardOutput = output
        process.standardError = FileHandle.nullDevice
        try process.run()
        let url = String(decoding: output.fileHandleForReading.availableData, as: UTF8.self)
            .trimmingCharacters(in: .whitespacesAndNewlines)
        var page = ""
        for _ in 0..<200 where !page.contains("http-equiv") {
            usleep(50_000)
            page = (try? String(contentsOfFile: folder.file("page"), encoding: .utf8)) ?? ""
        }
        let token = try #require(url.firstMatch(of: /:\d+\/([A-Za-z0-9_-]{22})\/$/)).output.1
        #expect(page.contains("url=\(url)"))
        #expect(try !String(contentsOfFile: folder.file("words"), encoding: .utf8).contains(token))
        #expect(try String(contentsOfFile: folder.file("mode"), encoding: .utf8) == "600\n")
        #expect(Program.end(process, by: SIGINT) == 0)
        // Nothing of it stays.
        let left = try FileManager.default.contentsOfDirectory(atPath: folder.path)
        #expect(left.sorted() == ["browser", "mode", "page", "words"])
    }

    @Test func whatCannotBeShownIsSaid() throws {
        let missing = try Program.run(["view", "--no-open", "nothing.har"])
        #expect(missing.status == 66 && missing.errors.contains("nothing.har"))
        let viewer = try ViewerProcess([Self.capture])
        let port = try #require(URL(string: viewer.url)?.port)
        let taken = try Program.run(["view", "--no-open", "--port", "\(port)", Self.capture])
        #expect(taken.status == 69 && taken.errors.contains("\(port)"), "\(taken.errors)")
        #expect(taken.errors.contains("hint: choose another port: without --port"), "\(taken.errors)")
        for words in [
            ["--port", "70000", Self.capture], ["-", "-"], ["--viewer-dir", "/nowhere", Self.capture],
        ] {
            #expect(try Program.run(["view", "--no-open"] + words).status == 64, "\(words)")
        }
        #expect(viewer.end() == 0)
    }

    @Test func pageFileIsPrivateAndNeverOverwrites() throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let page = folder.file("difference.html")
        let broken = Fixtures.root.appending(path: "captures/token-request/pkce-verifier-mismatch.har").path
        let made = try Program.run(["diff", "--html", page, Self.capture, broken])
        #expect(made.status == 1 && made.output.contains("first difference"))
        let mode = try FileManager.default.attributesOfItem(atPath: page)[.posixPermissions] as? Int
        #expect(mode == 0o600)
        let again = try Program.run(["diff", "--html", page, Self.capture, broken])
        #expect(again.status == 66 && again.errors.contains("is not overwritten"))
        #expect(try Program.run(["diff", "--bisect", "--html", "x.html", Self.capture, broken]).status == 64)
    }
}
