import Captures
import Flows

/// Parts of pages and answers, for evidence: secrets in them are masked before anything is cut.
enum Excerpt {
    /// Characters of a secret that may stand before what is shown.
    private static let longestSecret = 1 << 14

    /// The words with what stands around them, tags left out, at most 200 characters.
    static func around(_ words: String, in text: String) -> String {
        let text = Masking.hidingSecrets(in: text)
        let bytes = Array(text.utf8)
        let lower = bytes.map(\.asciiLowercased)
        guard let range = lower.firstRange(of: Array(words.utf8)) else { return words }
        let start =
            bytes[..<range.lowerBound].suffix(60).lastIndex { $0 == 0x3e || $0 == 0x0a }.map { $0 + 1 }
            ?? max(0, range.lowerBound - 60)
        let end =
            bytes[range.upperBound...].prefix(140).firstIndex { $0 == 0x3c || $0 == 0x0a }
            ?? min(bytes.count, range.upperBound + 140)
        let shown = bytes[start..<end].drop { $0 == 0x20 || $0 == 0x09 || $0 == 0x0d }
        return String(decoding: shown, as: UTF8.self)
    }

    /// The first characters of a body, in one line.
    static func start(of text: String, _ count: Int = 200) -> String {
        let head = text.unicodeScalars.prefix(count + longestSecret)
        let shown = Masking.hidingSecrets(in: String(String.UnicodeScalarView(head))).unicodeScalars.prefix(
            count
        )
        return String(String.UnicodeScalarView(shown.map { $0.value < 0x20 ? " " : $0 }))
    }

    /// The first characters of a body, the zeros of UTF-16 left out; of what is no text its size alone.
    static func start(of body: [UInt8], _ count: Int) -> String {
        let text = String(decoding: body.prefix(longestSecret).filter { $0 != 0 }, as: UTF8.self)
        let head = text.unicodeScalars.prefix(count)
        let unreadable = head.count {
            $0.value < 0x09 || (0x0e..<0x20).contains($0.value) || $0 == "\u{fffd}"
        }
        return unreadable * 4 > head.count ? "binary, \(body.count.counted("byte"))" : start(of: text, count)
    }
}
