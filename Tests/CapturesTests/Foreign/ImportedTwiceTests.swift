@testable import Captures
import Foundation
import JSON
import TestSupport
import Testing

/// What was imported says the same when it is imported once more.
struct ImportedTwiceTests {
    /// Captures of the folder, and files that were once read wrongly.
    private static func files() -> [URL] {
        let folders = ["captures", "Tests/Regressions/Foreign", "Tests/Regressions/HAR"]
        return folders.flatMap { folder in
            let root = Fixtures.root.appending(path: folder)
            let names = FileManager.default.enumerator(atPath: root.path)?.compactMap { $0 as? String } ?? []
            return names.filter { !$0.hasSuffix(".md") }.sorted().map { root.appending(path: $0) }
        }
    }

    @Test(.timeLimit(.minutes(5))) func entriesStayAsTheyAre() throws {
        var count = 0
        for file in Self.files() {
            guard let bytes = try? Array(Data(contentsOf: file)),
                let capture = try? CaptureReader.read(bytes: bytes, name: "a.har"), capture.count > 0
            else { continue }
            count += 1
            let once = try OriginalEntryTests.imported([.init(name: "a.har", capture: capture)])
            let again = try OriginalEntryTests.imported([JSONWriter.text(of: once)])
            #expect(again["log"]?["entries"] == once["log"]?["entries"], "\(file.path)")
        }
        #expect(count > 300)
    }

    /// Whoever judges the capture asks what recorded it.
    @Test func recorderIsKnownHoweverOftenItWasImported() throws {
        let file = #"""
            {"log":{"creator":{"name":"Firefox","version":"140.0"},"entries":[{"startedDateTime":"2026-03-04T09:54:08Z","time":1,
            "request":{"method":"GET","url":"https://a.example/"},"response":{"status":200}}]}}
            """#
        let once = JSONWriter.text(of: try OriginalEntryTests.imported([file]))
        let twice = JSONWriter.text(of: try OriginalEntryTests.imported([once]))
        for text in [file, once, twice] {
            let capture = try CaptureReader.read(bytes: Array(text.utf8), name: "a.har")
            #expect(capture.recorders.map(\.name) == ["Firefox"] && capture.recorders[0].version == "140.0")
        }
    }

    /// What was recorded into it since is not the browser's.
    @Test func recordingIntoAnImportIsARecorderMore() throws {
        var capture = Capture([Exchange]())
        capture.creator = ("authreel", "1.0")
        capture.logMembers["_authreel"] = [
            "imported": ImportStatement(
                files: [.init(name: "a.har", creator: ["name": "Firefox"], entries: 0, clock: .reference)],
                isAligned: false
            ).json
        ]
        #expect(capture.recorders.map(\.name) == ["Firefox"])
        let request = RecordedRequest(
            method: "GET",
            url: RecordedURL("https://a.example/"),
            headers: HeaderFields([("Host", "a.example")])
        )
        var more = Capture([Exchange(startedAt: Timestamp(seconds: 1), request: request)])
        (more.creator, more.logMembers) = (capture.creator, capture.logMembers)
        #expect(more.recorders.map(\.name) == ["Firefox", "authreel"])
    }
}
