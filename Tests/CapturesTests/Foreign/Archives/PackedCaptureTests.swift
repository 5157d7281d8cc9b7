@testable import Captures
import Foundation
import JSON
import TestSupport
import Testing

/// Captures in gzip and zip.
struct PackedCaptureTests {
    private static func har(_ path: String, second: Int = 0) -> [UInt8] {
        Array(
            #"{"log":{"creator":{"name":"C"},"entries":[{"startedDateTime":"2026-03-04T09:54:0\#(second)Z","request":{"method":"GET","url":"https://a.example\#(path)"},"response":{"status":200,"content":{"size":4,"mimeType":"text/plain","_file":"0123.txt"}}}]}}"#
                .utf8
        )
    }

    private func read(_ bytes: [UInt8]) throws -> Capture { try CaptureReader.read(bytes: bytes, name: "a") }

    @Test func gzipIsRead() throws {
        #expect(try read(Archive.gzip(Self.har("/1")))[0].request.url.path == "/1")
        #expect(try read(Archive.gzip(Archive.gzip(Self.har("/2"))))[0].request.url.path == "/2")
    }

    @Test func gzipOfSeveralMembersAndWithZerosBehindIsOneText() throws {
        let har = Self.har("/1")
        let bytes = Archive.gzip(Array(har[..<50])) + Archive.gzip(Array(har[50...])) + [0, 0, 0, 0]
        let capture = try read(bytes)
        #expect(capture[0].request.url.path == "/1" && capture.losses.isEmpty)
    }

    @Test func gzipThatBreaksOffIsReadAsFarAsItGoes() throws {
        let two = Array(
            "{\"log\":{\"entries\":[{\"request\":{\"url\":\"https://a.example/1\"}},{\"request\":{\"url\":\"https://a.example/2"
                .utf8
        )
        let capture = try read(Array(Archive.gzip(two).dropLast(8)))
        #expect(capture.count == 1)
        #expect(
            capture.losses.count == 2 && capture.losses[1].what.contains("break off"),
            "\(capture.losses)"
        )
    }

    @Test func gzipOfSomethingElseIsNamedAndNotUnpacked() throws {
        let image = [0x89, 0x50, 0x4e, 0x47] + [UInt8](repeating: 7, count: 1 << 20)
        let error = try #require(throws: CaptureError.self) { try read(Archive.gzip(image)) }
        #expect("\(error)".contains("a PNG image"), "\(error)")
    }

    /// Its directory stands at its end; sizes stand before the files, or behind them.
    @Test(arguments: [true, false], [true, false])
    func zipThatBreaksOffIsReadAsFarAsItGoes(isDeflated: Bool, isLarge: Bool) throws {
        let files = (1...3).map { (name: "\($0).har", bytes: Self.har("/\($0)", second: $0)) }
        let ends = (0...3).map { Archive.zip(Array(files[..<$0]), isDeflated: isDeflated, isLarge: isLarge) }
        let zip = ends[3]
        // Where the directory of so many files would begin.
        let places = ends.map { bytes in
            bytes.count < 30 ? 0 : ByteSearch.index(of: [0x50, 0x4b, 1, 2], in: bytes) ?? 0
        }
        for end in stride(from: 30, to: zip.count - 22, by: 7) {
            let whole = places.lastIndex { $0 <= end } ?? 0
            let capture = try? read(Array(zip[..<end]))
            #expect((capture?.count ?? 0) >= whole, "\(end)")
            guard let capture else { continue }
            #expect(capture.isCutShort)
            let paths = capture.indices.map { capture[$0].request.url.path }
            #expect(paths == Array(["/1", "/2", "/3"].prefix(paths.count)))
        }
        #expect(try !read(zip).isCutShort)
    }

    /// Each that does not tell its size is searched for the next.
    @Test(.timeLimit(.minutes(1))) func tornArchiveOfVeryManyFilesIsSearchedOnce() throws {
        let first = Archive.zip([("a.har", Self.har("/1"))])
        let end = try #require(ByteSearch.index(of: [0x50, 0x4b, 1, 2], in: first))
        let header: [UInt8] = [0x50, 0x4b, 3, 4, 20, 0, 8, 0] + [UInt8](repeating: 0, count: 22)
        let others = Array(repeatElement(header, count: 150_000).joined())
        #expect(try read(Array(first[..<end]) + others).count == 1)
        // A header in the middle of the first window, and one across its end.
        for size in [10, 4090, 4093, 4094, 4096, 12_280, 12_286] {
            let source = CaptureSource(
                bytes: header + [UInt8](repeating: 0x50, count: size) + header
            )
            let directory = try #require(ZipDirectory(torn: source))
            #expect(directory.files.map(\.offset) == [0, 30 + size], "\(size)")
        }
    }

    @Test(arguments: [true, false]) func everyHARInAZipIsReadInOrder(isDeflated: Bool) throws {
        let zip = Archive.zip(
            [
                ("b/second.har", Self.har("/2", second: 2)), ("readme.txt", Array("hello".utf8)),
                ("first.har", Self.har("/1", second: 1)), ("b/0123.txt", Array("body".utf8)),
                // What macOS puts beside each, and a folder.
                ("__MACOSX/b/._second.har", [0, 5, 0x16, 7, 0, 2]), ("folder.har/", []),
            ],
            isDeflated: isDeflated
        )
        let capture = try read(zip)
        #expect(capture.indices.map { capture[$0].request.url.path } == ["/1", "/2"])
        #expect(capture.losses.isEmpty, "\(capture.losses)")
        // Playwright's body in a file of its own, by a name beside the HAR.
        #expect(capture[1].response?.body?.text == "body")
        #expect(capture[0].response?.body?.isRecorded == false)
        let entry = try JSONParser.parse(#require(capture.text(ofEntry: 1)))
        #expect(entry["response"]?["content"]?["text"] == "body")
        #expect(capture.line(ofEntry: 1) == 1)
    }

    /// A few bytes in an archive would fill a disk, if each entry had them anew; what the directory says of a body counts.
    @Test(arguments: [([0, 0, 0, 4], 16, "body"), ([2, 0, 0, 0], 20, "bo")] as [([UInt8], Int, String)])
    func bodyThatManyEntriesNameIsTakenOutOnlySoOften(told: [UInt8], count: Int, text: String) throws {
        var zip = Archive.zip(
            [("0123.txt", Array("body".utf8))] + (1...20).map { ("\($0).har", Self.har("/\($0)")) }
        )
        let central = try #require(ByteSearch.index(of: [0x50, 0x4b, 1, 2], in: zip))
        zip.replaceSubrange((central + 24)..<(central + 28), with: told)
        let capture = try read(zip)
        let bodies = capture.indices.compactMap { capture[$0].response?.body }.filter(\.isRecorded)
        #expect(bodies.map(\.text) == Array(repeating: text, count: count))
        #expect(capture.count == 20 && capture.losses.count == 20 - count, "\(capture.losses)")
        #expect(capture.losses.allSatisfy { $0.what.contains("name the same bodies") })
    }

    @Test func namesThatLeadElsewhereAreOnlyNames() throws {
        let capture = try read(
            Archive.zip([("../../etc/x.har", Self.har("/1")), ("/abs.har", Self.har("/2"))])
        )
        #expect(capture.count == 2)
    }

    @Test func zipWithZip64FieldsAndDataDescriptorsIsRead() throws {
        #expect(try read(Archive.zip([("a.har", Self.har("/1"))], isLarge: true)).count == 1)
    }

    @Test func encryptedAndUnknownFilesAreNamedAndTheOthersRead() throws {
        var zip = Archive.zip([("a.har", Self.har("/1")), ("b.har", Self.har("/2"))])
        let central = try #require(ByteSearch.index(of: [0x50, 0x4b, 1, 2], in: zip))
        zip[central + 8] = 1
        let capture = try read(zip)
        #expect(capture.count == 1 && capture[0].request.url.path == "/2")
        #expect(
            capture.losses.contains { $0.what.contains("a.har") && $0.what.contains("password") },
            "\(capture.losses)"
        )
    }

    @Test func checksumThatDoesNotFitIsSaid() throws {
        var zip = Archive.zip([("a.har", Self.har("/1"))])
        let central = try #require(ByteSearch.index(of: [0x50, 0x4b, 1, 2], in: zip))
        zip[central + 16] ^= 1
        #expect(try read(zip).losses.contains { $0.what.contains("checksum") })
    }

    @Test func zipWithoutADirectoryOrWithoutAHARIsRefused() throws {
        let zip = Archive.zip([("a.har", Self.har("/1"))])
        #expect(try read(Array(zip.dropLast(10))).isCutShort)
        #expect(throws: CaptureError.self) { try read(Array(zip.prefix(20))) }
        let error = try #require(throws: CaptureError.self) {
            try read(Archive.zip([("a.txt", [1]), ("b.txt", [2])]))
        }
        #expect("\(error)".contains("without a HAR"), "\(error)")
    }

    // MARK: - What else is in a zip

    private static let packets: [UInt8] = [0x0a, 0x0d, 0x0d, 0x0a] + [UInt8](repeating: 0, count: 60)
    private static let keyLog = Array("CLIENT_RANDOM 00ff 11ee\n".utf8)

    @Test(arguments: [true, false]) func packetsBesideAHARAreSaidNotToBeRead(isDeflated: Bool) throws {
        let files = [
            ("login.har", Self.har("/1")), ("the server.pcapng", Self.packets),
            ("a.cap", Array("a cap".utf8)),
        ]
        let capture = try read(Archive.zip(files, isDeflated: isDeflated))
        #expect(capture.count == 1)
        #expect(
            capture.losses.map(\.what) == [
                "the server.pcapng: packets are not read out of an archive: unpack it first; then authreel import"
                    + " 'the server.pcapng' --keylog KEYLOG --out login.har makes a capture of them"
            ]
        )
    }

    @Test func zipOfPacketsAndTheirKeysIsToBeUnpacked() throws {
        let zip = Archive.zip([
            ("y.pcapng", Self.packets), ("keys.txt", Self.keyLog), ("readme.txt", Array("hello".utf8)),
        ])
        let error = try #require(throws: CaptureError.self) { try read(zip) }
        #expect(
            error
                == .notCapture(
                    path: "a",
                    looksLike: "a zip archive with packets and without a HAR file in it",
                    advice:
                        "unpack it first; then authreel import y.pcapng --keylog keys.txt --out login.har makes a"
                        + " capture of them"
                )
        )
    }

    @Test func captureWithoutAnEndingIsFoundByItsBytes() throws {
        let readme = Array("# How `{` is meant\n".utf8)
        let capture = try read(
            Archive.zip([("README.md", readme), ("login", Self.har("/1"))], isDeflated: true)
        )
        #expect(capture.count == 1 && capture.losses.isEmpty)
        let error = try #require(throws: CaptureError.self) {
            try read(Archive.zip([("a", Array("{".utf8)), ("b", Array("[1]".utf8))]))
        }
        #expect("\(error)".contains("without a HAR"), "\(error)")
    }

    /// Bodies are looked up in one table, whoever names them.
    @Test func timeOfAZipIsInProportionToItsFiles() throws {
        let time = { (count: Int) in
            let zip = Archive.zip((0..<count).map { ("\($0).har", Self.har("/\($0)")) })
            return try ContinuousClock().measure {
                let read = try self.read(zip).count
                #expect(read == count)
            }
        }
        _ = try time(100)
        let (few, many) = (try time(500), try time(4000))
        // Eight times as many; sixty-four times the time if each had a table of its own.
        #expect(many < few * 40, "\(few), \(many)")
    }

    @Test func moreThanAPackedFileCanHoldIsRefused() {
        #expect(throws: CaptureError.self) { try UnpackingBudget(packed: 10).take((64 << 20) + 1, name: "a") }
        #expect(throws: CaptureError.self) {
            try UnpackingBudget(packed: 1 << 40).take((64 << 30) + 1, name: "a")
        }
        #expect(throws: Never.self) { try UnpackingBudget(packed: 1 << 20).take(1 << 30, name: "a") }
    }

    @Test func hostileArchivesNeverTrap() {
        var random = SeededGenerator(seed: 9)
        let zip = Archive.zip([("a.har", Self.har("/1")), ("b.har", Self.har("/2"))], isDeflated: true)
        for packed in [
            zip, Archive.gzip(Self.har("/1")), Archive.zip([("a.har", Self.har("/1"))], isLarge: true),
        ] {
            for _ in 0..<800 {
                var bytes = packed
                for _ in 0..<Int.random(in: 1...4, using: &random) {
                    let place = Int.random(in: 0..<bytes.count, using: &random)
                    bytes[place] =
                        Bool.random(using: &random) ? 0xff : UInt8.random(in: 0...255, using: &random)
                }
                if Bool.random(using: &random) {
                    bytes.removeLast(Int.random(in: 0..<bytes.count, using: &random))
                }
                _ = try? read(bytes)
            }
        }
    }

    @Test func largeTextsAreInAFileThatNobodyElseSees() throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let text = ScratchText(folder: folder.file(""), name: "a")
        let piece = [UInt8](repeating: 0x61, count: 3 << 20)
        for _ in 0..<4 { try piece.withUnsafeBufferPointer { try text.append($0) } }
        let source = try text.source()
        #expect(source.size == 12 << 20 && source.bytes(at: (12 << 20) - 2, count: 9) == [0x61, 0x61])
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.file("")).isEmpty)
    }
}
