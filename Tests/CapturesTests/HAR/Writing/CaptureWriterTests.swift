import Foundation
import JSON
import TestSupport
import Testing

@testable import Captures

struct CaptureWriterTests {
    private func exchange(_ number: Int, body: String = "ok") -> Exchange {
        Exchange(
            startedAt: Timestamp(seconds: 1_780_000_000 + Int64(number)),
            duration: .milliseconds(12),
            request: RecordedRequest(method: "GET", url: RecordedURL("https://idp.example/\(number)")),
            response: RecordedResponse(status: 200, body: Body(text: body, mediaType: "text/plain"))
        )
    }

    private func bytes(_ path: String) throws -> [UInt8] { try Array(Data(contentsOf: URL(filePath: path))) }

    @Test func fileIsWholeHARAfterEveryAppend() throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let path = folder.file("login.har")
        let writer = try CaptureWriter(path: path, version: "1.0")
        #expect(try CaptureReader.read(path: path).count == 0)
        for number in 0..<5 {
            try writer.append([exchange(number), exchange(number + 100)])
            let capture = try CaptureReader.read(path: path)
            #expect(capture.count == 2 * (number + 1))
            #expect(capture.losses.isEmpty)
            #expect(try JSONParser.parse(bytes(path))["log"]?["creator"]?["name"] == "authreel")
        }
        // An entry a line: what a diff and grep want.
        let lines = try String(decoding: bytes(path), as: UTF8.self).split(separator: "\n")
        #expect(lines.count == 12)
        #expect(lines.dropFirst().dropLast().allSatisfy { $0.hasPrefix(#"{"startedDateTime""#) })
    }

    @Test func whoeverLooksAtAFileKnowsWhetherItIsRecordedInto() throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let path = folder.file("login.har")
        #expect(!CaptureWriter.isAtWork(on: path))
        var writer: CaptureWriter? = try CaptureWriter(path: path, version: "1.0")
        try writer?.append([exchange(0)])
        #expect(CaptureWriter.isAtWork(on: path))
        writer = nil
        #expect(!CaptureWriter.isAtWork(on: path))
    }

    @Test func whoeverLooksAtAFileKeepsNobodyFromRecordingIntoIt() throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let path = folder.file("login.har")
        let mine = CaptureFile.openNew(path)
        let other = open(path, O_RDONLY | O_CLOEXEC)
        defer { for descriptor in [mine, other] { close(descriptor) } }
        #expect(flock(other, LOCK_SH | LOCK_NB) == 0)
        var pauses = 0
        #expect(!CaptureFile.takeLock(mine) { pauses += 1 })
        #expect(pauses == 5)
        // The question is answered meanwhile.
        #expect(CaptureFile.takeLock(mine) { _ = flock(other, LOCK_UN) })
        #expect(CaptureWriter.isAtWork(on: path))
    }

    @Test func theEndOfAFileIsReadFromAPosition() throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let path = folder.file("login.har")
        var positions: [CaptureWriter.Position] = []
        do {
            let writer = try CaptureWriter(path: path, version: "1.0")
            positions.append(writer.position)
            for number in 0..<3 {
                try writer.append([exchange(number)])
                positions.append(writer.position)
            }
        }
        let writer = try CaptureWriter(path: path, version: "1.0")
        #expect(writer.position == positions.last)
        for (number, position) in positions.enumerated() {
            let end = try CaptureReader.read(path: path, from: position.offset)
            #expect(end.indices.map { end[$0].request.url.path } == (number..<3).map { "/\($0)" })
            #expect(position.entries == number)
        }
    }

    /// A look at the end holds no large body, and all else as reading the whole file does.
    @Test(arguments: [0, 1, 100, 16_384, 262_143, 262_144, 1_048_574, 1_048_576, 1_048_577, 3_000_000])
    func largeBodiesAreLeftOutOfALookAtTheEnd(_ size: Int) throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let path = folder.file("login.har")
        let writer = try CaptureWriter(path: path, version: "1.0")
        try writer.append([exchange(0)])
        let position = writer.position
        var large = exchange(1)
        // What is escaped is longer in the file.
        let text = String(repeating: "a\"", count: size / 2) + (size % 2 == 1 ? "b" : "")
        large.response?.body = Body(text: text, mediaType: "text/html")
        large.request.body = Body(text: text + "c", mediaType: "text/plain")
        try writer.append([exchange(2), large, exchange(3)])
        let whole = try CaptureReader.read(path: path)
        let end = try CaptureReader.read(path: path, from: position.offset)
        #expect(end.count == 3 && whole.count == 4)
        for index in end.indices {
            let (left, right) = (end[index], whole[index + 1])
            #expect(left.request.url.description == right.request.url.description)
            #expect(left.response?.headers.fields == right.response?.headers.fields)
            #expect(left.response?.body?.mediaType == right.response?.body?.mediaType)
            #expect(left.response?.body?.size == right.response?.body?.size)
            // As long as it is in the file, where each quote takes two bytes.
            let written = size / 2 * 3 + size % 2
            for (found, expected, length) in [
                (left.response?.body, right.response?.body, written),
                (left.request.body, right.request.body, written + 1),
            ] {
                let isLarge = right.request.url.path == "/1" && length >= 1 << 20
                #expect(found?.bytes == (isLarge ? nil : expected?.bytes))
            }
            #expect(end.text(ofEntry: index) == whole.text(ofEntry: index + 1))
        }
    }

    @Test func fileIsForItsOwnerAlone() throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        _ = try CaptureWriter(path: folder.file("a.har"), version: "1.0")
        let attributes = try FileManager.default.attributesOfItem(atPath: folder.file("a.har"))
        #expect(attributes[.posixPermissions] as? Int == 0o600)
    }

    /// The promise's other half: wherever a death cuts the last two entries, reading names the loss, and
    /// opening mends it.
    @Test func cutAtEveryByteOfItsLastTwoEntriesIsReadAndMended() throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let path = folder.file("login.har")
        do {
            let writer = try CaptureWriter(path: path, version: "1.0")
            for number in 0..<4 { try writer.append([exchange(number, body: "a \"body\" with é and }]}")]) }
        }
        let whole = try bytes(path)
        let ends = whole.indices.filter { whole[$0] == 0x0a }
        // The head line, four entries, the tail: the third entry begins behind the third line end.
        let start = ends[2] + 1
        for cut in start..<whole.count {
            try Data(whole[..<cut]).write(to: URL(filePath: path))
            let read = try CaptureReader.read(path: path)
            let expected =
                cut >= whole.count - 4 ? 4 : [2, 3, 4].last { cut >= ends[$0] - ($0 == 4 ? 0 : 1) } ?? 2
            #expect(
                read.count == expected || read.count == expected - 1,
                "cut at \(cut): \(read.count) entries"
            )
            #expect(cut >= whole.count - 1 || read.losses.count == 1, "cut at \(cut): the loss is not named")
            let writer = try CaptureWriter(path: path, version: "1.0")
            #expect(writer.mending.entries == read.count)
            try writer.append([exchange(9)])
            let mended = try CaptureReader.read(path: path)
            #expect(mended.losses.isEmpty, "cut at \(cut)")
            #expect(mended.count == read.count + 1)
            #expect(mended[mended.count - 1].request.url.text == "https://idp.example/9")
            #expect(throws: Never.self) { try JSONParser.parse(try bytes(path)) }
        }
    }

    @Test func endOfZerosAsAPowerLossLeavesItIsMended() throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let path = folder.file("login.har")
        do { try CaptureWriter(path: path, version: "1.0").append([exchange(0), exchange(1)]) }
        try Data(bytes(path).dropLast(40) + [UInt8](repeating: 0, count: 4096)).write(to: URL(filePath: path))
        #expect(try CaptureReader.read(path: path).count == 1)
        try CaptureWriter(path: path, version: "1.0").append([exchange(2)])
        let mended = try CaptureReader.read(path: path)
        #expect(mended.losses.isEmpty && mended.count == 2)
    }

    @Test(arguments: ["Firefox", "WebInspector", "mitmproxy"]) func captureOfAnotherProducerIsLeftAsItIs(
        producer: String
    ) throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let path = folder.file("a.har")
        let text = #"{"log":{"version":"1.2","creator":{"name":"\#(producer)","version":"1"},"entries":[]}}"#
        try Data(text.utf8).write(to: URL(filePath: path))
        #expect(throws: CaptureError.notOurs(path: path, producer: producer)) {
            try CaptureWriter(path: path, version: "1.0")
        }
        #expect(try String(decoding: bytes(path), as: UTF8.self) == text)
    }

    @Test(arguments: ["a diary, not a capture", "{}", "\u{0}\u{0}"]) func fileThatIsNoCaptureIsLeftAsItIs(
        text: String
    ) throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let path = folder.file("notes.txt")
        try Data(text.utf8).write(to: URL(filePath: path))
        #expect(throws: CaptureError.self) { try CaptureWriter(path: path, version: "1.0") }
        #expect(try String(decoding: bytes(path), as: UTF8.self) == text)
    }

    @Test func captureOfOursThatSomebodyEditedIsLeftAsItIs() throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let path = folder.file("a.har")
        let text = #"{"log":{"creator":{"name":"authreel"},"entries":[{}],"comment":"mine"}}"#
        try Data(text.utf8).write(to: URL(filePath: path))
        #expect(throws: CaptureError.self) { try CaptureWriter(path: path, version: "1.0") }
        #expect(try String(decoding: bytes(path), as: UTF8.self) == text)
    }

    @Test func secondWriterIsKeptOut() throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let path = folder.file("a.har")
        let first = try CaptureWriter(path: path, version: "1.0")
        let error = try #require(throws: CaptureError.self) { try CaptureWriter(path: path, version: "1.0") }
        guard case .lockedByAnother = error else {
            Issue.record("\(error)")
            return
        }
        try first.append([exchange(1)])
        #expect(try CaptureReader.read(path: path).count == 1)
    }

    @Test func onlyAnEmptyCaptureThatWasMadeHereIsTakenBack() throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let path = folder.file("login.har")
        func isThere() -> Bool { FileManager.default.fileExists(atPath: path) }
        #expect(try CaptureWriter(path: path, version: "0").takeBack())
        #expect(!isThere())
        do {
            let used = try CaptureWriter(path: path, version: "0")
            try used.append([exchange(1)])
            #expect(!used.takeBack())
        }
        #expect(isThere())
        try CaptureWriter(path: path, version: "0").takeBack()
        #expect(isThere(), "it was there before")
        // Somebody else's by now.
        try FileManager.default.removeItem(atPath: path)
        let renamed = try CaptureWriter(path: path, version: "0")
        try FileManager.default.moveItem(atPath: path, toPath: folder.file("kept.har"))
        try Data("a diary".utf8).write(to: URL(filePath: path))
        renamed.takeBack()
        #expect(try String(contentsOfFile: path, encoding: .utf8) == "a diary")
    }

    @Test func symbolicLinkIsNotFollowed() throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        try Data().write(to: URL(filePath: folder.file("target")))
        try FileManager.default.createSymbolicLink(
            atPath: folder.file("link.har"),
            withDestinationPath: folder.file("target")
        )
        let error = try #require(throws: CaptureError.self) {
            try CaptureWriter(path: folder.file("link.har"), version: "1.0")
        }
        #expect("\(error)".contains("symbolic link"))
    }

    @Test(.enabled(if: SmallDisk.isPossible, "a small file system can be mounted by root only"))
    func writeThatFailsLeavesTheFileWhole() throws {
        let disk = try SmallDisk(kilobytes: 64)
        defer { disk.remove() }
        let writer = try CaptureWriter(path: disk.file("login.har"), version: "1.0")
        var written = 0
        let error = #expect(throws: CaptureError.self) {
            for index in 0..<10_000 {
                try writer.append([exchange(index)])
                written += 1
            }
        }
        #expect((error.map { "\($0)" } ?? "").contains("No space left on device"))
        let capture = try CaptureReader.read(path: disk.file("login.har"))
        #expect(written > 0 && capture.count == written && capture.losses.isEmpty, "\(capture.losses)")
    }

    /// Firefox's import takes `log.pages` for there.
    @Test func fileOfNoPagesSaysThatThereAreNone() throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let path = folder.file("login.har")
        let writer = try CaptureWriter(path: path, version: "1.0")
        #expect(try JSONParser.parse(bytes(path))["log"]?["pages"] == [])
        try writer.append([exchange(0)])
        #expect(try JSONParser.parse(bytes(path))["log"]?["pages"] == [])
    }

    /// What another producer says of its pages stays in the file, which is gone on with like any of ours.
    @Test func membersOfTheLogStandBeforeTheEntries() throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let path = folder.file("login.har")
        let members: JSONObject = [
            "version": "9", "creator": ["name": "other"], "browser": ["name": "Firefox"],
            "pages": [["id": "page_1", "title": "a \"title\""]], "entries": [1, 2], "_x": nil,
        ]
        do {
            let writer = try CaptureWriter(newAt: path, version: "1.0", logMembers: members)
            try writer.append([exchange(0), exchange(1)])
        }
        let kept = try CaptureReader.read(path: path)
        #expect(kept.count == 2 && kept.losses.isEmpty && kept.creator.name == "authreel")
        #expect(kept.logMembers.members.map(\.name) == ["version", "creator", "browser", "pages", "_x"])
        #expect(kept.logMembers["version"] == "1.2" && kept.logMembers["pages"] == members["pages"])
        // Torn in its last entry, as a death leaves it.
        try Data(bytes(path).dropLast(40)).write(to: URL(filePath: path))
        let writer = try CaptureWriter(path: path, version: "1.0")
        #expect(writer.mending.entries == 1 && writer.mending.bytesRemoved > 0)
        try writer.append([exchange(2)])
        let mended = try CaptureReader.read(path: path)
        #expect(mended.indices.map { mended[$0].request.url.path } == ["/0", "/2"])
        #expect(mended.logMembers["pages"] == members["pages"])
        // A name that is taken stays what it is.
        #expect(throws: CaptureError.self) {
            try CaptureWriter(newAt: path, version: "1.0", logMembers: JSONObject())
        }
        #expect(try CaptureReader.read(path: path).count == 2)
    }
}
