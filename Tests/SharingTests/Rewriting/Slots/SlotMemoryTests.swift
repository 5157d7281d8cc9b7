import Testing

@testable import Sharing

/// Texts that were read before are not read again.
struct SlotMemoryTests {
    /// Counts how often a text was read.
    private final class Reader {
        var count = 0

        func read(_ text: ArraySlice<UInt8>, _ kind: TextKind) -> [Slot] {
            count += 1
            return SlotReader.slots(in: text, as: kind)
        }
    }

    private static let text = Array(#"{"state":"q7Zr2LkX9vTb","nonce":"WmN8cYp1HsJ6"}"#.utf8)

    @Test func aTextIsReadOnceAsWhatItIs() {
        let reader = Reader()
        let memory = SlotMemory(read: reader.read)
        for _ in 0..<3 {
            #expect(memory.slots(in: Self.text, as: .json).map(\.name) == ["state", "nonce"])
        }
        #expect(reader.count == 1)
        _ = memory.slots(in: Self.text, as: .text)
        _ = memory.slots(in: Self.text + [0x20], as: .json)
        #expect(reader.count == 3)
    }

    @Test func noMoreIsKeptThanThereIsRoomFor() {
        let reader = Reader()
        let memory = SlotMemory(room: 2000, read: reader.read)
        for _ in 0..<2 {
            for number in 0..<100 { #expect(memory.slots(in: Array("x\(number)".utf8), as: .json).isEmpty) }
        }
        #expect((150..<200).contains(reader.count))
    }

    /// What is read when the secrets are found is not read again when they are replaced.
    @Test func walkersShareWhatWasRead() {
        let reader = Reader()
        let memory = SlotMemory(read: reader.read)
        _ = TextWalker(memory: memory) { _ in nil }.rewriting(Self.text, as: .json)
        let count = reader.count
        let other = TextWalker(memory: memory) { $0.name == "state" ? Array("another".utf8) : nil }
            .rewriting(Self.text, as: .json)
        #expect(reader.count == count)
        let expected = #"{"state":"another","nonce":"WmN8cYp1HsJ6"}"#
        #expect(other.map { String(decoding: $0, as: UTF8.self) } == expected)
    }
}
