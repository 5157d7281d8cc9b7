import Captures

/// Phone numbers by their look.
enum PhoneNumberText {
    /// Where a number ends that begins here, at the beginning of a word: `+65 9123 4567`, `0065 9123 4567` in groups,
    /// `(415) 555-0163`; nil for none.
    static func end(in text: [UInt8], at start: Int) -> Int? {
        switch text[start] {
        case 0x2b: return endOfInternational(text, start)
        case 0x30 where start + 1 < text.count && text[start + 1] == 0x30:
            guard start == 0 || text[start - 1] != 0x2e && text[start - 1] != 0x2d,
                let end = endOfInternational(text, start + 1)
            else { return nil }
            return text[start..<end].contains { [0x20, 0x28, 0x2d].contains($0) } ? end : nil
        case 0x28: return endOfNorthAmerican(text, start)
        default: return nil
        }
    }

    private static func endOfNorthAmerican(_ text: [UInt8], _ start: Int) -> Int? {
        let isSpaced = start + 5 < text.count && text[start + 5] == 0x20
        let number = Array(text[start...].prefix(5) + text[start...].dropFirst(isSpaced ? 6 : 5).prefix(8))
        guard number.count == 13, number[4] == 0x29, number[8] == 0x2d || number[8] == 0x2e,
            [1, 2, 3, 5, 6, 7, 9, 10, 11, 12].allSatisfy({ number[$0].isASCIIDigit }), number[1] >= 0x32
        else { return nil }
        let end = start + (isSpaced ? 14 : 13)
        return end == text.count || end < text.count && !text[end].isASCIIWordByte ? end : nil
    }

    private static func endOfInternational(_ text: [UInt8], _ start: Int) -> Int? {
        var digits = 0
        var end = start + 1
        var last = end
        while end < text.count, end - start < 24 {
            if text[end].isASCIIDigit {
                digits += 1
                last = end + 1
            } else if ![0x20, 0x2d, 0x28, 0x29].contains(text[end]) {
                break
            }
            end += 1
        }
        guard (8...15).contains(digits), last == text.count || !text[last].isASCIIWordByte else { return nil }
        return (0x31...0x39).contains(text[start + 1]) ? last : nil
    }
}
