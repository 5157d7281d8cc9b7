import Testing

@testable import Sharing

/// Short texts in longer ones.
struct WordIndexTests {
    private static func found(_ words: [(String, WordIndex.Boundary)], in text: String) -> [String] {
        let index = WordIndex(words.map { (Array($0.0.utf8), $0.1) })
        let bytes = Array(text.utf8)
        return bytes.withUnsafeBufferPointer { index.matches(in: $0) }
            .map { "\($0.word):\(String(decoding: bytes[$0.range], as: UTF8.self))" }
    }

    /// The longest that stands at a place is taken, and one that it begins with where the longer ones do not stand.
    @Test(arguments: [
        ("bo bolun bolund", ["0:bo", "1:bolun", "2:bolund"]),
        ("bolunda bolun-", ["1:bolun"]),
        ("xbolund BOLUND Bo", ["2:BOLUND"]),
        ("b", ["3:b"]), ("bb 7", ["4:7"]), ("7", ["4:7"]),
    ])
    func longestOfThoseThatBeginAlikeIsFound(text: String, expected: [String]) {
        let words: [(String, WordIndex.Boundary)] = [
            ("bo", .word), ("bolun", .word), ("bolund", .word), ("b", .word), ("7", .word),
        ]
        #expect(Self.found(words, in: text) == expected)
    }

    /// Of those that are the same the first is taken that may stand there.
    @Test func oneOfSeveralThatAreTheSameIsFound() {
        let words: [(String, WordIndex.Boundary)] = [("Adas", .number), ("Adas", .word), ("adas", .word)]
        #expect(Self.found(words, in: "Adas, -Adas, adas") == ["0:Adas", "1:Adas", "2:adas"])
    }

    /// Each of many that have their first letters in common.
    @Test func oneOfManyWithTheSameBeginningIsFound() {
        let words = (100..<400).map { ("ada\($0)quill", WordIndex.Boundary.name) }
        #expect(
            Self.found(words, in: "ada100quill ada399quill ada400quill ada237quil") == [
                "0:ada100quill", "299:ada399quill",
            ]
        )
    }
}
