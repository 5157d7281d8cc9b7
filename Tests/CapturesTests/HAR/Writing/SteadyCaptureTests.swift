import Captures
import Foundation
import JSON
import Synchronization
import TestSupport
import Testing

/// What becomes of a recording when the disk is full, or somebody takes the file away.
struct SteadyCaptureTests {
    /// A capture with what was told of it.
    private struct Rig {
        let steady: SteadyCapture
        let told = Told()
        let path: String

        final class Told: Sendable {
            let news = Mutex<[CaptureNews]>([])
        }

        static let time = Timestamp(seconds: 1_780_000_000)

        init(_ path: String, limit: Int = 1 << 20) throws {
            self.path = path
            let told = told
            steady = SteadyCapture(
                try CaptureWriter(path: path, version: "1.0"),
                version: "1.0",
                limit: limit,
                clock: { Self.time },
                tell: { news in told.news.withLock { $0.append(news) } }
            )
        }

        var news: [CaptureNews] {
            told.news.withLock { news in
                defer { news = [] }
                return news
            }
        }

        func append(_ numbers: Range<Int>, bytes: Int = 10) {
            for number in numbers {
                steady.append([
                    Exchange(
                        startedAt: Self.time,
                        request: RecordedRequest(
                            method: "GET",
                            url: RecordedURL("https://idp.example/\(number)")
                        ),
                        response: RecordedResponse(
                            status: 200,
                            body: Body(text: String(repeating: "a", count: bytes), mediaType: "text/plain")
                        )
                    )
                ])
            }
        }
    }

    /// The numbers of the exchanges of a file that is whole.
    private func numbers(_ path: String) throws -> [Int] {
        let bytes = try Array(Data(contentsOf: URL(filePath: path)))
        #expect(throws: Never.self) { try JSONParser.parse(bytes) }
        let capture = try CaptureReader.read(path: path)
        #expect(capture.losses.isEmpty)
        return (0..<capture.count).compactMap { Int(capture[$0].request.url.path.dropFirst()) }
    }

    private static let noSpace = "No space left on device"

    // MARK: A full disk

    @Test(.enabled(if: SmallDisk.isPossible, "a small file system can be mounted by root only"))
    func whatAFullDiskDoesNotTakeIsWrittenWhenItDoes() throws {
        let disk = try SmallDisk(kilobytes: 64)
        defer { disk.remove() }
        let rig = try Rig(disk.file("login.har"))
        rig.append(0..<3)
        try disk.fill()
        // Fills the page that the file has begun, and wants more.
        rig.append(3..<10, bytes: 2000)
        let inFile = try numbers(rig.path)
        #expect(inFile.count < 10 && inFile.count >= 3 && inFile == Array(0..<inFile.count))
        #expect(rig.news == [.stuck(path: rig.path, reason: Self.noSpace)])
        rig.steady.inspect()
        rig.append(10..<12)
        rig.steady.inspect()
        #expect(rig.news == [], "told once")
        #expect(
            rig.steady.missing
                == SteadyCapture.Missing(count: 12 - inFile.count, since: Rig.time, reason: Self.noSpace)
        )
        #expect(try numbers(rig.path) == inFile)
        try FileManager.default.removeItem(atPath: disk.file("ballast"))
        rig.steady.inspect()
        #expect(rig.news == [.goesOn(path: rig.path, waited: 12 - inFile.count, lost: 0)])
        rig.append(12..<14)
        #expect(try numbers(rig.path) == Array(0..<14))
        #expect(rig.steady.missing == nil)
        // The next time is told of again.
        try disk.fill()
        rig.append(14..<20, bytes: 4000)
        #expect(rig.news == [.stuck(path: rig.path, reason: Self.noSpace)])
    }

    @Test(.enabled(if: SmallDisk.isPossible, "a small file system can be mounted by root only"))
    func memoryForWhatWaitsIsBounded() throws {
        let disk = try SmallDisk(kilobytes: 64)
        defer { disk.remove() }
        let rig = try Rig(disk.file("login.har"), limit: 20_000)
        try disk.fill()
        rig.append(0..<20, bytes: 4000)
        let inFile = try numbers(rig.path).count
        #expect(
            rig.news == [.stuck(path: rig.path, reason: Self.noSpace), .losing(path: rig.path)],
            "each once"
        )
        #expect(rig.steady.missing?.count == 20 - inFile)
        try FileManager.default.removeItem(atPath: disk.file("ballast"))
        rig.steady.inspect()
        let waited = try numbers(rig.path).count - inFile
        #expect(waited > 1 && waited < 6)
        #expect(rig.news == [.goesOn(path: rig.path, waited: waited, lost: 20 - inFile - waited)])
        #expect(rig.steady.missing?.count == 20 - inFile - waited)
        rig.append(20..<21)
        #expect(try numbers(rig.path).last == 20)
    }

    @Test(.enabled(if: SmallDisk.isPossible, "a small file system can be mounted by root only"))
    func nothingIsLeftOfAFileThatCouldNotBeBegun() throws {
        let disk = try SmallDisk(kilobytes: 16)
        defer { disk.remove() }
        try disk.fill()
        let error = #expect(throws: CaptureError.self) {
            try CaptureWriter(path: disk.file("login.har"), version: "1.0")
        }
        #expect(error == .inputOutput(path: disk.file("login.har"), reason: Self.noSpace))
        #expect(try FileManager.default.contentsOfDirectory(atPath: disk.path) == ["ballast"])
    }

    /// A file that was there and has no room for its missing tail stays as it was.
    @Test(.enabled(if: SmallDisk.isPossible, "a small file system can be mounted by root only"))
    func fileThatWasThereIsNotRemoved() throws {
        let disk = try SmallDisk(kilobytes: 16)
        defer { disk.remove() }
        let path = disk.file("login.har")
        _ = FileManager.default.createFile(atPath: path, contents: nil)
        try disk.fill()
        #expect(throws: CaptureError.self) { try CaptureWriter(path: path, version: "1.0") }
        #expect(FileManager.default.fileExists(atPath: path))
    }

    // MARK: A file that is taken away

    @Test func deletedFileIsThereAgain() throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let rig = try Rig(folder.file("login.har"))
        rig.append(0..<3)
        rig.steady.inspect()
        try FileManager.default.removeItem(atPath: rig.path)
        rig.append(3..<5)
        rig.steady.inspect()
        #expect(rig.news == [.copied(path: rig.path, why: .gone, to: rig.path)])
        rig.append(5..<6)
        rig.steady.inspect()
        #expect(rig.news == [])
        #expect(try numbers(rig.path) == Array(0..<6))
        let attributes = try FileManager.default.attributesOfItem(atPath: rig.path)
        #expect(attributes[.posixPermissions] as? Int == 0o600)
        #expect(rig.steady.missing == nil && rig.steady.path == rig.path)
        // It is kept from other recorders as the first one was.
        #expect(throws: CaptureError.self) { try CaptureWriter(path: rig.path, version: "1.0") }
    }

    @Test func movedFileStaysAndTheNameIsWrittenOn() throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let rig = try Rig(folder.file("login.har"))
        rig.append(0..<3)
        try FileManager.default.moveItem(atPath: rig.path, toPath: folder.file("moved.har"))
        rig.append(3..<4)
        rig.steady.inspect()
        rig.append(4..<5)
        #expect(try numbers(rig.path) == Array(0..<5))
        #expect(try numbers(folder.file("moved.har")) == Array(0..<4))
    }

    @Test func fileThatTookTheNameIsLeftAlone() throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let rig = try Rig(folder.file("login.har"))
        rig.append(0..<3)
        try "another's".write(toFile: folder.file("other"), atomically: false, encoding: .utf8)
        try "mine".write(toFile: folder.file("login-2.har"), atomically: false, encoding: .utf8)
        #expect(rename(folder.file("other"), rig.path) == 0)
        rig.append(3..<4)
        rig.steady.inspect()
        let new = folder.file("login-3.har")
        #expect(rig.news == [.copied(path: rig.path, why: .replaced, to: new)])
        rig.append(4..<5)
        rig.steady.inspect()
        #expect(rig.news == [] && rig.steady.path == new && rig.steady.missing == nil)
        #expect(try numbers(new) == Array(0..<5))
        #expect(try String(contentsOfFile: rig.path, encoding: .utf8) == "another's")
        #expect(try String(contentsOfFile: folder.file("login-2.har"), encoding: .utf8) == "mine")
    }

    @Test func linkInPlaceOfTheFileIsNotFollowed() throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let rig = try Rig(folder.file("login.har"))
        rig.append(0..<1)
        try "secret".write(toFile: folder.file("target"), atomically: false, encoding: .utf8)
        try FileManager.default.removeItem(atPath: rig.path)
        #expect(symlink(folder.file("target"), rig.path) == 0)
        rig.steady.inspect()
        #expect(rig.steady.path == folder.file("login-2.har"))
        #expect(try String(contentsOfFile: folder.file("target"), encoding: .utf8) == "secret")
    }

    @Test func folderThatWentWithTheFileIsMadeAtTheEnd() throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let below = folder.file("a/b")
        try FileManager.default.createDirectory(atPath: below, withIntermediateDirectories: true)
        let rig = try Rig(below + "/login.har")
        rig.append(0..<2)
        try FileManager.default.removeItem(atPath: folder.file("a"))
        rig.append(2..<3)
        rig.steady.inspect()
        rig.steady.inspect()
        #expect(rig.news == [.adrift(path: rig.path, why: .gone, reason: "No such file or directory")])
        #expect(rig.steady.missing?.count == 3)
        rig.append(3..<4)
        #expect(rig.steady.missing?.count == 4)
        rig.steady.inspect(isLast: true)
        #expect(
            rig.news == [
                .copied(path: rig.path, why: .gone, to: rig.path),
                .goesOn(path: rig.path, waited: 0, lost: 0),
            ]
        )
        #expect(try numbers(rig.path) == Array(0..<4))
        #expect(rig.steady.missing == nil)
    }

    @Test func fileThatWasMovedAndCameBackIsWrittenOn() throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let below = folder.file("a")
        try FileManager.default.createDirectory(atPath: below, withIntermediateDirectories: true)
        let rig = try Rig(below + "/login.har")
        rig.append(0..<2)
        #expect(rename(below, folder.file("b")) == 0)
        rig.steady.inspect()
        #expect(rename(folder.file("b"), below) == 0)
        rig.append(2..<3)
        rig.steady.inspect()
        #expect(
            rig.news == [
                .adrift(path: rig.path, why: .gone, reason: "No such file or directory"),
                .goesOn(path: rig.path, waited: 0, lost: 0),
            ]
        )
        #expect(try numbers(rig.path) == Array(0..<3) && rig.steady.missing == nil)
    }

    // MARK: A file that others write into

    @Test func emptiedFileIsBegunAnew() throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let rig = try Rig(folder.file("login.har"))
        rig.append(0..<3)
        rig.steady.inspect()
        #expect(truncate(rig.path, 0) == 0)
        // Written at their place, behind a hole, until that is seen.
        rig.append(3..<5)
        rig.steady.inspect()
        #expect(rig.news == [.begunAnew(path: rig.path, at: rig.path, lost: 3)])
        rig.append(5..<6)
        rig.steady.inspect()
        #expect(try numbers(rig.path) == [3, 4, 5])
        #expect(rig.steady.missing?.count == 3)
    }

    @Test func cutFileIsLeftAsItIs() throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let rig = try Rig(folder.file("login.har"))
        rig.append(0..<4)
        rig.steady.inspect()
        let whole = try Data(contentsOf: URL(filePath: rig.path))
        let cut = whole.count - 300
        #expect(truncate(rig.path, off_t(cut)) == 0)
        rig.append(4..<6)
        rig.steady.inspect()
        let new = folder.file("login-2.har")
        let kept = try CaptureReader.read(path: rig.path).count
        #expect(rig.news == [.begunAnew(path: rig.path, at: new, lost: 4 - kept)])
        #expect(kept < 4 && kept > 0)
        #expect(try Data(contentsOf: URL(filePath: rig.path)) == whole.prefix(cut), "no hole, none of ours")
        rig.append(6..<7)
        #expect(try numbers(new) == [4, 5, 6])
        #expect(rig.steady.missing?.count == 4 - kept)
    }

    @Test func fileThatGrewIsLeftAsItIs() throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let rig = try Rig(folder.file("login.har"))
        rig.append(0..<2)
        rig.steady.inspect()
        let handle = try #require(FileHandle(forWritingAtPath: rig.path))
        try handle.seekToEnd()
        try handle.write(contentsOf: Data("somebody's note\n".utf8))
        try handle.close()
        let there = try Data(contentsOf: URL(filePath: rig.path))
        rig.steady.inspect()
        rig.append(2..<3)
        #expect(rig.news == [.copied(path: rig.path, why: .extended, to: folder.file("login-2.har"))])
        #expect(try Data(contentsOf: URL(filePath: rig.path)) == there)
        #expect(try numbers(folder.file("login-2.har")) == [0, 1, 2])
        #expect(rig.steady.missing == nil)
    }

    /// Until there is another file nothing of ours goes over what the other program wrote.
    @Test(
        .enabled(if: SmallDisk.isPossible, "a small file system can be mounted by root only"),
        arguments: [true, false]
    )
    func fileOfAnotherIsNotWrittenWhileThereIsNoRoomForOurs(grows: Bool) throws {
        let disk = try SmallDisk(kilobytes: 64)
        defer { disk.remove() }
        let rig = try Rig(disk.file("login.har"))
        rig.append(0..<2)
        rig.steady.inspect()
        if grows {
            let handle = try #require(FileHandle(forWritingAtPath: rig.path))
            try handle.seekToEnd()
            try handle.write(contentsOf: Data("somebody's note\n".utf8))
            try handle.close()
        } else {
            #expect(truncate(rig.path, 500) == 0)
        }
        let there = try Data(contentsOf: URL(filePath: rig.path))
        try disk.fill()
        rig.steady.inspect()
        #expect(rig.news.count == 1)
        rig.append(2..<4)
        rig.steady.inspect()
        #expect(rig.news == [] && rig.steady.missing?.count == 2)
        #expect(try Data(contentsOf: URL(filePath: rig.path)) == there)
        try FileManager.default.removeItem(atPath: disk.file("ballast"))
        for _ in 0..<4 { rig.steady.inspect() }
        #expect(try numbers(disk.file("login-2.har")) == (grows ? [0, 1, 2, 3] : [2, 3]))
        #expect(try Data(contentsOf: URL(filePath: rig.path)) == there)
        let news = rig.news
        #expect(
            news.count == 2
                && news.last
                    == .goesOn(
                        path: disk.file("login-2.har"),
                        waited: 2,
                        lost: 0
                    ),
            "\(news)"
        )
    }

    /// Rights are asked for when a file is opened.
    @Test func fileThatWasMadeReadOnlyIsWrittenOn() throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let rig = try Rig(folder.file("login.har"))
        rig.append(0..<1)
        #expect(chmod(rig.path, 0o400) == 0)
        rig.append(1..<2)
        rig.steady.inspect()
        #expect(try numbers(rig.path) == [0, 1])
        #expect(rig.news == [] && rig.steady.missing == nil)
    }
}
