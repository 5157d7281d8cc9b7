import Testing

@testable import Sharing

struct AgeWriterTests {
    /// What a sink was handed.
    private final class Collected {
        var bytes: [UInt8] = []
        var largest = 0
    }

    private struct FullDisk: Error {}

    private static func writer(_ collected: Collected) throws -> AgeWriter {
        try AgeWriter(to: [HandmadeFile.identity().recipient], random: { HandmadeFile.bytes($0) }) {
            collected.bytes += $0
            collected.largest = max(collected.largest, $0.count)
        }
    }

    @Test func whatIsWrittenArrivesEncrypted() throws {
        let collected = Collected()
        let writer = try Self.writer(collected)
        let text = HandmadeFile.bytes(300_000)
        for start in stride(from: 0, to: text.count, by: 999) {
            try writer.write(text[start..<min(start + 999, text.count)])
        }
        try writer.finish()
        #expect(try HandmadeFile.decrypted(collected.bytes) == text)
    }

    @Test func nothingWrittenIsAFileToo() throws {
        let collected = Collected()
        try Self.writer(collected).finish()
        #expect(try HandmadeFile.decrypted(collected.bytes) == [])
    }

    @Test func fileWithoutItsEndOpensNowhere() throws {
        let collected = Collected()
        let writer = try Self.writer(collected)
        try writer.write(HandmadeFile.bytes(200_000)[...])
        #expect(throws: AgeError.payloadCutOff) { try HandmadeFile.decrypted(collected.bytes) }
    }

    @Test func muchAtOnceIsHandedOnInParts() throws {
        let collected = Collected()
        let writer = try Self.writer(collected)
        let text = [UInt8](repeating: 0x61, count: 10 << 20)
        try writer.write(text[...])
        try writer.finish()
        #expect(collected.largest < (1 << 20) + (1 << 17))
        #expect(try HandmadeFile.decrypted(collected.bytes) == text)
    }

    @Test func errorOfTheSinkIsPassedOn() throws {
        let writer = try AgeWriter(
            to: [HandmadeFile.identity().recipient],
            random: { HandmadeFile.bytes($0) },
            into: { _ in throw FullDisk() }
        )
        #expect(throws: FullDisk.self) { try writer.write(HandmadeFile.bytes(100_000)[...]) }
    }

    @Test func recipientsAreCheckedBeforeAnythingIsHandedOn() {
        let collected = Collected()
        #expect(throws: AgeError.noRecipients) {
            try AgeWriter(to: [], random: { HandmadeFile.bytes($0) }) { collected.bytes += $0 }
        }
        #expect(collected.bytes.isEmpty)
    }
}
