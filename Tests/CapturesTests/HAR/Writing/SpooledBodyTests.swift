import Foundation
import TestSupport
import Testing

@testable import Captures

/// Bodies that wait in files: the capture is the same as if they had waited in memory.
struct SpooledBodyTests {
    /// One exchange with this answer, as it comes in pieces of so many bytes.
    private func exchange(
        _ body: [UInt8],
        fields: [HeaderFields.Field] = [],
        limit: Int = 64 << 20,
        pieces: Int = 65_536,
        folder: String?,
        budget: RecordingBudget? = nil
    ) throws -> Exchange {
        var assembler = ExchangeAssembler(
            scheme: "https",
            authority: "idp.example",
            maximumBodyBytes: limit,
            spoolFolder: folder,
            budget: budget
        )
        let time = Timestamp(seconds: 1_790_000_000)
        assembler.receive(
            .requestHead(
                RequestHead(
                    method: "POST",
                    target: "/token",
                    httpVersion: "HTTP/1.1",
                    headers: HeaderFields()
                ),
                at: time
            ),
            of: 1
        )
        let head = ResponseHead(
            status: 200,
            statusText: "OK",
            httpVersion: "HTTP/1.1",
            headers: HeaderFields(fields)
        )
        body.withUnsafeBufferPointer { bytes in
            for message in [MessageSide.request, .response] {
                if message == .response { assembler.receive(.responseHead(head, at: time), of: 1) }
                for start in stride(from: 0, to: bytes.count, by: pieces) {
                    let piece = bytes[start..<min(start + pieces, bytes.count)]
                    assembler.receiveBody(UnsafeBufferPointer(rebasing: piece), of: message, in: 1)
                }
                if message == .request { assembler.receive(.requestEnd(at: time), of: 1) }
            }
        }
        assembler.receive(.responseEnd(at: time), of: 1)
        return try #require(assembler.takeFinished().first)
    }

    private func isSpooled(_ body: Body?) -> Bool {
        if case .spooled = body?.content { return true }
        return false
    }

    /// What a capture of the exchange is, before and behind another one.
    private func file(_ exchange: Exchange, in folder: TemporaryFolder, _ name: String) throws -> Data {
        let path = folder.file(name)
        let small = try self.exchange(Array("{}".utf8), folder: nil)
        let writer = try CaptureWriter(path: path, version: "1")
        try writer.append([exchange])
        try writer.append([small, exchange, small])
        return try Data(contentsOf: URL(filePath: path))
    }

    private static func text(_ count: Int) -> [UInt8] {
        // Of one to four bytes a character, with what is escaped, and what scripts take for a line's end.
        let pattern = Array("aé\u{2028}\"€\\𝄞\u{2029}\n\u{1}z".utf8)
        var bytes: [UInt8] = []
        while bytes.count + pattern.count <= count { bytes += pattern }
        return bytes + [UInt8](repeating: 0x2e, count: count - bytes.count)
    }

    private static let sizes = [
        BodyStore.spoolingSize, BodyStore.spoolingSize + 1, 786_431, 786_432, 786_433, 786_434, 1_500_001,
    ]

    @Test(arguments: sizes, [true, false])
    func captureIsTheSameAsFromMemory(_ size: Int, isText: Bool) throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let body = isText ? Self.text(size) : (0..<size).map { UInt8(truncatingIfNeeded: $0 &* 31 >> 3) }
        let fields = [HeaderFields.Field(name: "content-type", value: isText ? "text/html" : "image/png")]
        let spooled = try exchange(body, fields: fields, folder: folder.path)
        let held = try exchange(body, fields: fields, folder: nil)
        #expect(isSpooled(spooled.response?.body) == (size > BodyStore.spoolingSize))
        #expect(isSpooled(spooled.request.body) == (size > BodyStore.spoolingSize))
        #expect(!isSpooled(held.response?.body))
        #expect(spooled.response?.body?.bytes == body)
        let found = try file(spooled, in: folder, "spooled.har")
        #expect(try found == file(held, in: folder, "held.har"))
        let read = try CaptureReader.read(path: folder.file("spooled.har"))
        #expect(read.indices.map { read[$0].response?.body?.bytes?.count } == [size, 2, size, 2])
        #expect(read[0].response?.body?.bytes == body)
        #expect(
            try FileManager.default.contentsOfDirectory(atPath: folder.path).count == 2,
            "no file is left"
        )
    }

    @Test(arguments: [true, false])
    func codingIsUndoneFromFileToFile(isCut: Bool) throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        var generator = SystemRandomNumberGenerator()
        let half = (0..<900_000).map { _ in UInt8(truncatingIfNeeded: generator.next()) }
        let body = half + half
        var packed = try ContentCodingTests.pack(body)
        #expect(packed.count > BodyStore.spoolingSize)
        if isCut { packed.removeLast(packed.count / 3) }
        let fields = [HeaderFields.Field(name: "content-encoding", value: "gzip")]
        let spooled = try exchange(packed, fields: fields, pieces: 10_007, folder: folder.path)
        let held = try exchange(packed, fields: fields, folder: nil)
        #expect(isSpooled(spooled.response?.body))
        #expect(isCut || spooled.response?.body?.bytes == body)
        #expect(spooled.response?.body?.isTruncated == isCut)
        #expect(try file(spooled, in: folder, "spooled.har") == file(held, in: folder, "held.har"))
    }

    @Test func codingThatIsUnknownStaysInItsFile() throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let fields = [HeaderFields.Field(name: "content-encoding", value: "rot13")]
        let body = Self.text(700_000)
        let spooled = try exchange(body, fields: fields, folder: folder.path)
        #expect(isSpooled(spooled.response?.body) && spooled.response?.body?.remainingCoding == "rot13")
        let held = try exchange(body, fields: fields, folder: nil)
        #expect(try file(spooled, in: folder, "spooled.har") == file(held, in: folder, "held.har"))
    }

    @Test func whereThereCanBeNoFileTheBodyStaysInMemory() throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let body = Self.text(2_000_000)
        let found = try exchange(body, folder: folder.file("missing"))
        #expect(!isSpooled(found.response?.body) && found.response?.body?.bytes == body)
    }

    /// The budget is of memory: what is in a file is given back, and takes nothing any more.
    @Test func fileTakesNothingOfTheBudget() throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let body = Self.text(3_000_000)
        let budget = RecordingBudget(bytes: 1 << 20)
        let spooled = try exchange(body, folder: folder.path, budget: budget)
        #expect(spooled.response?.body?.bytes == body && spooled.response?.body?.isTruncated == false)
        #expect(budget.available == 1 << 20)
        let held = try exchange(body, folder: nil, budget: budget)
        #expect(held.response?.body?.isTruncated == true, "without a file it does not fit")
        #expect(budget.available == 1 << 20)
    }

    @Test func limitCutsInTheFile() throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let body = Self.text(3_000_000)
        let found = try exchange(body, limit: 1_000_001, folder: folder.path)
        #expect(found.response?.body?.bytes == Array(body.prefix(1_000_001)))
        #expect(found.response?.body?.isTruncated == true && found.response?.body?.wireSize == body.count)
    }

    /// Split anywhere, the answer is the same as of one piece.
    @Test(arguments: [
        Array("aé€𝄞z".utf8), [0x61, 0xc3], [0xc3, 0x28], [0xe2, 0x82], [0xf0, 0x9d, 0x84], [0x61, 0, 0x61],
        [0x80], [0xed, 0xa0, 0x80], [0xf5, 0x80, 0x80, 0x80], [0xc0, 0x80], [],
    ])
    func textIsToldPieceByPiece(_ bytes: [UInt8]) {
        let expected = bytes.withUnsafeBufferPointer(TextCheck.isText)
        #expect(expected == (String(validating: bytes, as: UTF8.self) != nil && !bytes.contains(0)))
        for first in 0...bytes.count {
            for second in first...bytes.count {
                var check = TextCheck()
                for piece in [bytes[..<first], bytes[first..<second], bytes[second...]] {
                    _ = Array(piece).withUnsafeBufferPointer { check.receive($0) }
                }
                #expect(check.end() == expected, "\(bytes) at \(first) and \(second)")
            }
        }
    }

    /// What is told then is why the body cannot be read, not what went wrong elsewhere before.
    @Test(.enabled(if: FileManager.default.fileExists(atPath: "/proc/self/fd")))
    func bodyThatCannotBeReadBackIsToldAndLeavesTheCaptureWhole() throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let small = try exchange(Array("{}".utf8), folder: nil)
        let large = try exchange(Self.text(BodyStore.spoolingSize + 9), folder: folder.path)
        let path = folder.file("login.har")
        let writer = try CaptureWriter(path: path, version: "1")
        try writer.append([small])
        let whole = try Data(contentsOf: URL(filePath: path))
        // The files have no names any more; the system knows them by their descriptors.
        let descriptors = try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").filter {
            let target = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\($0)")
            return target?.hasPrefix(folder.path + "/.authreel-body-") ?? false
        }
        #expect(descriptors.count == 2)
        for name in descriptors { #expect(ftruncate(try #require(Int32(name)), 100) == 0) }
        #expect(open(folder.file("nowhere/at-all"), O_RDONLY) == -1 && errno == ENOENT)
        let reason = "a body that waits in a file cannot be read back: \(EIO.systemReason)"
        #expect(throws: CaptureError.inputOutput(path: path, reason: reason)) {
            try writer.append([small, large])
        }
        #expect(try Data(contentsOf: URL(filePath: path)) == whole)
        try writer.append([small])
        #expect(try CaptureReader.read(path: path).count == 2)
    }
}
