import Captures
import JOSE

/// Tokens that stand in several lines of a text, as mail and terminals fold them: with white space before a line, behind the
/// marks of a quotation (`> `), and with a soft line break (`=` at the end, RFC 2045, section 6.7).
enum WrappedTokens {
    /// In order.
    static func slots(in text: ArraySlice<UInt8>) -> [Slot] {
        guard text.count >= shortest, text.contains(0x0a) else { return [] }
        return (softlyBroken(in: text) + folded(in: text))
            .sorted { $0.range.lowerBound < $1.range.lowerBound }
    }

    private static func folded(in text: ArraySlice<UInt8>) -> [Slot] {
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

    /// Slots of a text without those that overlap the tokens in several lines, but for what of them stands before; those that
    /// have such a token in them as a whole are texts with parts.
    ///
    /// `wrapped`: in order.
    static func apart(_ slots: [Slot], from wrapped: [Slot], in text: ArraySlice<UInt8>) -> [Slot] {
        guard !wrapped.isEmpty else { return slots }
        return slots.compactMap { slot in
            let next = wrapped.partitionPoint { $0.range.upperBound > slot.range.lowerBound }
            guard next < wrapped.count, wrapped[next].range.lowerBound < slot.range.upperBound else {
                return slot
            }
            let (start, end) = (wrapped[next].range.lowerBound, wrapped[next].range.upperBound)
            if slot.range.lowerBound <= start, slot.range.upperBound >= end { return slot }
            // `token=3D…`: the escape is no value.
            let isEscaped = Bytes.hasSuffix(text[..<start], "=3D")
            let own = slot.range.lowerBound..<max(slot.range.lowerBound, isEscaped ? start - 3 : start)
            guard !own.isEmpty else { return nil }
            var slot = slot
            slot.range = own
            return slot
        }
    }

    /// A token without what folds it; nil where none stands in several lines.
    static func joined(_ text: String) -> String? {
        let bytes = text.utf8
        guard bytes.contains(where: { $0 <= 0x20 }),
            bytes.allSatisfy({ isOfToken($0) || $0 <= 0x20 || $0 == quotation || $0 == soft })
        else { return nil }
        return SlotReader.string(bytes.filter(isOfToken))
    }

    /// Whether a text goes on behind a soft line break.
    static func isSoftlyBroken(_ text: String) -> Bool {
        let lines = text.utf8.split { $0 == 0x0a }
        return lines.dropLast().contains { $0.last == soft || $0.last == 0x0d && $0.dropLast().last == soft }
    }

    // MARK: - Soft line breaks

    private static let soft: UInt8 = 0x3d
    private static let quotation: UInt8 = 0x3e

    /// What looks drawn in two lines and more of a text in which other bytes are written so, too (`=3D`).
    private static func softlyBroken(in text: ArraySlice<UInt8>) -> [Slot] {
        var slots: [Slot] = []
        var isEscaped = false
        var read = text.startIndex
        while let newline = text[read...].firstIndex(of: 0x0a) {
            read = newline + 1
            guard let end = endOfLine(before: newline, in: text) else { continue }
            isEscaped = isEscaped || escapes.contains { text.firstRange(of: $0) != nil }
            guard isEscaped else { return [] }
            let line = text[..<end].suffix(longestSoftLine).reversed().prefix(while: isOfToken).count
            var start = end - line
            // `token=3D…`
            if text[..<start].last == soft, text[start..<end].starts(with: "3D".utf8) { start += 2 }
            // Empty lines that go on are not followed from each of them.
            guard start < end else { continue }
            var run = text[(newline + 1)...].prefix(while: isOfToken)
            while run.endIndex - start < longest,
                let next = text[run.endIndex...].prefix(3).firstIndex(of: 0x0a),
                endOfLine(before: next, in: text) == run.endIndex
            {
                run = text[(next + 1)...].prefix(longest).prefix(while: isOfToken)
            }
            guard run.endIndex > newline + 1 else { continue }
            read = run.endIndex
            if Drawn.isUnexplained(text[start..<run.endIndex].filter(isOfToken)) {
                slots.append(Slot(name: "", range: start..<run.endIndex, kind: .text))
            }
        }
        return slots
    }

    private static let escapes = ["=3D", "=20", "=C3", "=E2"].map { Array($0.utf8) }
    /// In bytes (RFC 2045, section 6.7, rule 5).
    private static let longestSoftLine = 75

    /// Where a line ends that goes on in the next one; nil where it does not.
    private static func endOfLine(before newline: Int, in text: ArraySlice<UInt8>) -> Int? {
        var end = newline
        if end > text.startIndex, text[end - 1] == 0x0d { end -= 1 }
        return end > text.startIndex && text[end - 1] == soft ? end - 1 : nil
    }

    // MARK: - Lines of tokens

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

    /// The line behind a line break, without the white space and the marks of a quotation before it, where all of it may be of a
    /// token.
    private static func next(behind end: Int, in text: ArraySlice<UInt8>) -> ArraySlice<UInt8>? {
        let blank = text[end...].prefix(2).prefix { $0 == 0x0d || $0 == 0x0a }
        guard blank.last == 0x0a else { return nil }
        let start = text[blank.endIndex...].prefix(longestIndent)
            .drop { $0 == 0x20 || $0 == 0x09 || $0 == quotation }.startIndex
        let line = text[start...].prefix(longest).prefix(while: isOfToken)
        let after = text[line.endIndex...].first
        return !line.isEmpty && (after.map { $0 == 0x0a || $0 == 0x0d } ?? true) ? line : nil
    }

    private static func isToken(_ text: ArraySlice<UInt8>) -> Bool {
        JSONWebToken.parse(SlotReader.string(text.filter(isOfToken)))?.header != nil
    }

    static func isOfToken(_ byte: UInt8) -> Bool { byte.isBase64URLCharacter || byte == dot }
}
