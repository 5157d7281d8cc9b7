import Captures
import JOSE

/// Tokens that stand in several lines of a text, as mail and terminals fold them.
enum WrappedTokens {
    static func slots(in text: ArraySlice<UInt8>) -> [Slot] {
        guard text.count >= shortest, text.contains(0x0a) else { return [] }
        var slots: [Slot] = []
        var rest = text
        while let start = rest.firstRange(of: beginning)?.lowerBound {
            let line = text[start...].prefix(longest).prefix(while: isOfToken)
            rest = text[line.endIndex...]
            let isFree = text[..<start].last.map { !isOfToken($0) } ?? true
            // One that has all its parts in its first line ends there.
            guard isFree, line.count(where: { $0 == dot }) < 2,
                let end = end(ofTokenBegunBy: line, in: text)
            else { continue }
            rest = text[end...]
            if isToken(text[start..<end]) { slots.append(Slot(name: "", range: start..<end, kind: .text)) }
        }
        return slots
    }

    /// `{"` in base64url.
    private static let beginning = Array("eyJ".utf8)
    private static let dot: UInt8 = 0x2e
    /// In bytes, of a token.
    private static let shortest = 64
    private static let longest = 1 << 14
    /// In bytes, of its lines but the first and the last.
    private static let shortestLine = 32
    /// In bytes, of white space before a line.
    private static let longestIndent = 32

    /// Where the lines end that go on with a token: each is as long as the others, and the last one may be shorter; nil where none
    /// does.
    private static func end(ofTokenBegunBy line: ArraySlice<UInt8>, in text: ArraySlice<UInt8>) -> Int? {
        var end: Int?
        var last = line
        var width: Int?
        while let next = next(behind: last.endIndex, in: text), next.endIndex - line.startIndex <= longest {
            if let width, next.count > width { break }
            end = next.endIndex
            last = next
            if let width, next.count < width { break }
            width = next.count
            // The first line may begin in the middle of one, and the second be the last.
            if next.count < max(line.count, shortestLine) { break }
        }
        return end
    }

    /// The line behind a line break, without the white space before it, where all of it may be of a token.
    private static func next(behind end: Int, in text: ArraySlice<UInt8>) -> ArraySlice<UInt8>? {
        let blank = text[end...].prefix(2).prefix { $0 == 0x0d || $0 == 0x0a }
        guard blank.last == 0x0a else { return nil }
        let start = text[blank.endIndex...].prefix(longestIndent).drop { $0 == 0x20 || $0 == 0x09 }.startIndex
        let line = text[start...].prefix(longest).prefix(while: isOfToken)
        let after = text[line.endIndex...].first
        return !line.isEmpty && (after.map { $0 == 0x0a || $0 == 0x0d } ?? true) ? line : nil
    }

    private static func isToken(_ text: ArraySlice<UInt8>) -> Bool {
        JSONWebToken.parse(SlotReader.string(text.filter { $0 > 0x20 }))?.header != nil
    }

    private static func isOfToken(_ byte: UInt8) -> Bool { byte.isBase64URLCharacter || byte == dot }
}
