import TestSupport
import Testing

@testable import Captures

/// How far streams are read that may have no end.
struct StreamJudgeTests {
    private static let har = #"{"log":{"version":"1.2","creator":{"name":"x"},"entries":["#

    /// How many pieces are read of a stream that goes on with the last of these for ever; nil: it is read on with.
    private func pieces(_ parts: [String], size: Int = 1 << 16, wanting: String? = nil) -> Int? {
        var judge = StreamJudge { head in wanting.map { head.starts(with: $0.utf8) } ?? false }
        let last = parts.last ?? ""
        let filling = Array(String(repeating: last, count: size / max(last.utf8.count, 1)).utf8)
        for part in parts.dropLast() where !judge.readsOn(behind: Array(part.utf8)[...]) { return 0 }
        return (1...2 * StreamJudge.longestLead / size).first { _ in !judge.readsOn(behind: filling[...]) }
    }

    @Test func whatIsSomethingElseIsNotReadOn() {
        #expect(pieces(["%PDF-1.7\n", "x"]) == 1)
        #expect(pieces(["-----BEGIN AGE ENCRYPTED FILE-----\n", "x"]) == 1)
        #expect(pieces(["-----BEGIN AGE ENCRYPTED FILE-----\n", "x"], wanting: "-----BEGIN AGE") == nil)
    }

    /// Zeros, and what `yes` says.
    @Test(arguments: ["\0", "y\n", " "]) func textWithoutAnObjectIsReadForAWhile(text: String) {
        let most = StreamJudge.longestLead >> 16
        #expect(pieces([text]) == most)
    }

    /// Behind lines of other text, and packed, a capture may be as long as it likes.
    @Test(arguments: [
        [har, "x"], ["GET / 200\n", har, "x"], [String(repeating: "line\n", count: 100_000), har, "x"],
        ["PK\u{3}\u{4}", "x"],
        ["From: ada@mail.example\r\nSubject: login\r\nMIME-Version: 1.0\r\n\r\n", "eyJ"],
    ])
    func capturesAreReadToTheirEnds(parts: [String]) {
        #expect(pieces(parts) == nil)
    }

    /// Every byte as often as any other: one in ten is a control character.
    @Test func noiseIsNoText() {
        var generator = SeededGenerator(seed: 7)
        var judge = StreamJudge { _ in false }
        let isRead = (0..<4).allSatisfy { _ in
            let piece = (0..<(32 << 10)).map { _ in UInt8.random(in: 0...255, using: &generator) }
            return judge.readsOn(behind: piece[...])
        }
        #expect(!isRead)
    }
}
