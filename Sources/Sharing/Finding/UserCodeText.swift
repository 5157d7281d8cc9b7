import Captures

/// Codes that somebody types on another device (RFC 8628, section 6.1), by their look.
enum UserCodeText {
    /// Where one ends that begins at a place: capitals and digits in two groups or three (`WDJB-MJHT`), or in one word that
    /// is none of a language (`G7HJ2KLM9`, `WDJBMJHT`); nil for none.
    static func end(at start: Int, in text: [UInt8]) -> Int? {
        guard start == 0 || !text[start - 1].isASCIIWordByte else { return nil }
        let code = text[start...].prefix(longest + 1).prefix { isOfCode($0) || $0 == 0x2d }
        guard code.count <= longest, code.contains(where: \.isASCIILetter),
            code.endIndex == text.count || !text[code.endIndex].isASCIIWordByte
        else { return nil }
        let groups = code.split(separator: 0x2d, omittingEmptySubsequences: false)
        let isCode =
            groups.count == 1
            ? (6...10).contains(code.count) && isNoWord(code)
            : groups.count <= 3 && groups.allSatisfy { (3...5).contains($0.count) }
        return isCode ? code.endIndex : nil
    }

    /// In characters, with the marks between groups.
    private static let longest = 17

    private static func isOfCode(_ byte: UInt8) -> Bool { (0x41...0x5a).contains(byte) || byte.isASCIIDigit }

    /// Digits among letters, or letters of which none is a vowel.
    private static func isNoWord(_ word: ArraySlice<UInt8>) -> Bool {
        word.contains(where: \.isASCIIDigit) || !word.contains { "AEIOUY".utf8.contains($0) }
    }
}
