import Captures

/// One-time codes that are known, and the keys that such codes are made with, as they are written elsewhere: in groups, in the
/// other case, with a tag around each group or a field for each digit.
struct GroupedCodes {
    /// As they are known, by their characters in capitals.
    private var codes: [[UInt8]: String] = [:]
    private var lengths: Set<Int> = []
    private var beginnings = [Bool](repeating: false, count: 256)

    /// Of the known ones.
    private var longest = 0

    private static let shortest = 6
    /// In characters; what goes on is no key.
    static let longestKey = 128
    /// In bytes, between two characters: a tag with a few attributes.
    private static let longestGap = 160

    init(_ values: [String]) {
        for value in values {
            let characters = Self.characters(of: value.utf8)
            guard (Self.shortest...Self.longestKey).contains(characters.count) else { continue }
            if codes[characters] == nil { codes[characters] = value }
            lengths.insert(characters.count)
            longest = max(longest, characters.count)
            beginnings[Int(characters[0])] = true
            beginnings[Int(characters[0] | 0x20)] = true
        }
    }

    var isEmpty: Bool { codes.isEmpty }

    /// The places of the characters of each known one in a text, with how it is known.
    func matches(in text: [UInt8]) -> [(places: [Int], code: String)] {
        guard !isEmpty else { return [] }
        var found: [(places: [Int], code: String)] = []
        var index = 0
        while index < text.count {
            defer { index += 1 }
            guard beginnings[Int(text[index])], index == 0 || !text[index - 1].isASCIIWordByte,
                let match = match(in: text, from: index)
            else { continue }
            found.append(match)
            index = match.places.last ?? index
        }
        return found
    }

    /// The longest that begins at a place.
    private func match(in text: [UInt8], from start: Int) -> (places: [Int], code: String)? {
        var places: [Int] = []
        var characters: [UInt8] = []
        var best: (places: [Int], code: String)?
        var index = start
        while index < text.count, text[index].isASCIIAlphanumeric, places.count < longest {
            places.append(index)
            characters.append(Self.capital(text[index]))
            index += 1
            let isEnd = index == text.count || !text[index].isASCIIWordByte
            if isEnd, lengths.contains(places.count), let code = codes[characters] { best = (places, code) }
            index = Self.behindGap(index, in: text)
        }
        return best
    }

    /// Where the next character may stand: behind white space, a mark between groups, quotation marks and a comma, tags.
    static func behindGap(_ start: Int, in text: [UInt8], isNarrow: Bool = false) -> Int {
        var index = start
        while index < text.count, index - start < longestGap {
            switch text[index] {
            case 0x09, 0x0a, 0x0d, 0x20, 0x2d: index += 1
            case 0x22, 0x27, 0x2b, 0x2c:
                if isNarrow { return index }
                index += 1
            case 0xc2 where text[index...].starts(with: [0xc2, 0xa0]): index += 2
            case 0xe2 where text[index...].starts(with: [0xe2, 0x80, 0x93]): index += 3
            case 0x26 where text[index...].starts(with: "&nbsp;".utf8): index += 6
            case 0x3c:
                guard let close = text[index...].prefix(96).firstIndex(of: 0x3e) else { return index }
                index = close + 1
            default: return index
            }
        }
        return index
    }

    // MARK: - What is one

    /// Letters, in capitals, and digits.
    static func characters(of text: some Sequence<UInt8>) -> [UInt8] {
        text.compactMap { $0.isASCIIAlphanumeric ? capital($0) : nil }
    }

    /// The digits of a code, which may stand in groups of the same length: `482 913`, `48-29-13`; nil for what is none.
    static func digits(of text: some Collection<UInt8>) -> [UInt8]? {
        let groups = text.split(omittingEmptySubsequences: false) { $0 == 0x20 || $0 == 0x2d }
        guard let first = groups.first, groups.count == 1 || first.count > 1,
            groups.allSatisfy({ $0.count == first.count && $0.allSatisfy(\.isASCIIDigit) })
        else { return nil }
        return groups.flatMap { $0 }
    }

    /// Whether a text is base32 in one case, with marks between its groups or not, and long enough for a key.
    static func isKey(_ text: some Collection<UInt8>) -> Bool {
        guard text.allSatisfy({ isBase32($0) || $0 == 0x20 || $0 == 0x2d }) else { return false }
        let characters = text.filter(isBase32)
        return (shortestKey...longestKey).contains(characters.count) && isOfOneCase(characters)
            && characters.contains(where: \.isASCIILetter)
            // One key in thirty has no digits.
            && (characters.contains(where: \.isASCIIDigit) || Drawn.hasConsonantsInRow(characters))
    }

    /// Ten bytes (RFC 4226, section 4, wants sixteen; most services give these).
    static let shortestKey = 16

    static func isBase32(_ byte: UInt8) -> Bool {
        (0x32...0x37).contains(byte) || byte.isASCIILetter
    }

    static func isOfOneCase(_ text: some Sequence<UInt8>) -> Bool {
        let letters = text.filter(\.isASCIILetter)
        return letters.allSatisfy { $0 < 0x5b } || letters.allSatisfy { $0 > 0x60 }
    }

    private static func capital(_ byte: UInt8) -> UInt8 {
        (0x61...0x7a).contains(byte) ? byte & 0xdf : byte
    }
}
