@testable import Captures
import Foundation
import TestSupport
import Testing

/// Bodies beside a capture.
struct BodyFilesTests {
    private static let digest = "0a4d55a8d778e5022fab701977c5d840bbc486d0"

    /// Reads a HAR whose one answer names a file, in a folder with these files.
    private func body(
        naming name: String,
        as member: String = "_file",
        prepare: (URL) throws -> Void
    ) throws -> String? {
        let scratch = try TemporaryFolder()
        defer { scratch.remove() }
        let folder = URL(fileURLWithPath: scratch.path).appending(path: "captures")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        try prepare(folder)
        let har =
            #"{"log":{"entries":[{"request":{"method":"GET","url":"https://a.example/"},"response":{"status":200,"content":{"size":-1,"mimeType":"text/plain","\#(member)":"\#(name)"}}}]}}"#
        let file = folder.appending(path: "login.har")
        try Data(har.utf8).write(to: file)
        var capture = try CaptureReader.read(path: file.path)
        #expect(capture[0].response?.body?.text == nil)
        capture.takeBodies(fromFilesBeside: file.path)
        return capture[0].response?.body?.text
    }

    @Test func bodyThatPlaywrightPutBesideTheHARIsRead() throws {
        let name = "\(Self.digest).html"
        #expect(
            try body(naming: name) { try Data("page".utf8).write(to: $0.appending(path: name)) } == "page"
        )
    }

    @Test func bodyOfAnUnpackedTraceIsRead() throws {
        let name = "\(Self.digest).json"
        let text = try body(naming: name, as: "_sha1") { folder in
            let resources = folder.appending(path: "resources")
            try FileManager.default.createDirectory(at: resources, withIntermediateDirectories: true)
            try Data("{}".utf8).write(to: resources.appending(path: name))
        }
        #expect(text == "{}")
    }

    /// Playwright writes an empty text where the body of a request is in a file.
    @Test func bodyOfARequestIsReadInTheFileAndNotInTheEmptyText() throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let name = "\(Self.digest).dat"
        let resources = URL(filePath: folder.path).appending(path: "resources")
        try FileManager.default.createDirectory(at: resources, withIntermediateDirectories: true)
        try Data("code=1".utf8).write(to: resources.appending(path: name))
        let snapshot = #"""
            {"type":"resource-snapshot","snapshot":{"startedDateTime":"2026-01-01T00:00:00.000Z","time":3,"request":{"method":"POST","url":"https://a.example/token","headers":[],"postData":{"mimeType":"application/x-www-form-urlencoded","text":"","params":[],"_sha1":"\#(name)"}},"response":{"status":200,"content":{"size":0,"mimeType":"x-unknown"}},"timings":{}}}
            """#
        let file = folder.file("0-trace.network")
        try Data(snapshot.utf8).write(to: URL(filePath: file))
        var capture = try CaptureReader.read(path: file)
        capture.takeBodies(fromFilesBeside: file)
        #expect(capture[0].request.body?.text == "code=1")
        #expect(FormBody.items(of: capture[0].request.body)?.items.map(\.value) == ["1"])
    }

    @Test(arguments: [
        "id_rsa", "../\(digest).html", "\(digest)/x", "\(digest).tar.gz", "\(digest).", digest.uppercased(),
    ])
    func anotherFileIsNotRead(name: String) throws {
        let text = try body(naming: name) { folder in
            let file = folder.appending(path: name)
            try FileManager.default.createDirectory(
                at: file.deletingLastPathComponent(),
                withIntermediateDirectories: true
            )
            try Data("secret".utf8).write(to: file)
        }
        #expect(text == nil)
    }

    @Test func linksAndPipesAreNotRead() throws {
        let name = "\(Self.digest).html"
        let linked = try body(naming: name) { folder in
            try Data("secret".utf8).write(to: folder.appending(path: "key"))
            try FileManager.default.createSymbolicLink(
                atPath: folder.appending(path: name).path,
                withDestinationPath: "key"
            )
        }
        #expect(linked == nil)
        let piped = try body(naming: name) { folder in
            #expect(mkfifo(folder.appending(path: name).path, 0o600) == 0)
        }
        #expect(piped == nil)
    }
}
