import Captures

/// Numbers that the state or a bank gives somebody, told from other numbers by their check digits.
enum IdentityNumbers {
    /// Where a number ends that begins here, at the beginning of a word; nil for none.
    static func end(in text: [UInt8], at start: Int) -> Int? {
        let first = text[start]
        let end: Int?
        if (0x41...0x5a).contains(first) {
            end =
                singaporean(text, start) ?? CompanyNumbers.end(in: text, at: start)
                ?? NationalNumbers.end(in: text, at: start) ?? bankAccount(text, start)
        } else if (0x61...0x7a).contains(first) {
            end = singaporean(text, start) ?? NationalNumbers.end(in: text, at: start)
        } else if first.isASCIIDigit {
            end =
                CompanyNumbers.end(in: text, at: start) ?? NationalNumbers.end(in: text, at: start)
                ?? swedish(text, start) ?? american(text, start) ?? card(text, start)
        } else {
            end = nil
        }
        guard let end, end == text.count || !isWordByte(text[end]) else { return nil }
        return end
    }

    private static func isWordByte(_ byte: UInt8) -> Bool {
        byte.isASCIIAlphanumeric || byte == 0x5f || byte == 0x2d
            || byte >= 0x80
    }

    /// The digits at some places; nil where one of them is none.
    private static func digits(_ text: [UInt8], _ range: Range<Int>) -> [Int]? {
        guard range.upperBound <= text.count else { return nil }
        var digits: [Int] = []
        for index in range {
            guard text[index].isASCIIDigit else { return nil }
            digits.append(Int(text[index] - 0x30))
        }
        return digits
    }

    /// Singapore's `S1234567D`, which some Singpass subjects hold; people write `S 1234567 D`, `S-1234567-D` and `S1234567-D`, too.
    ///
    /// The last letter is computed of the digits, and in the case of the first one; where the word before says what the number is
    /// it may be another one.
    private static func singaporean(_ text: [UInt8], _ start: Int) -> Int? {
        guard start + 9 <= text.count else { return nil }
        let mark: UInt8? = [0x20, 0x2d].contains(text[start + 1]) ? text[start + 1] : nil
        let begin = start + (mark == nil ? 1 : 2)
        guard let digits = digits(text, begin..<(begin + 7)) else { return nil }
        let next = begin + 7 < text.count ? text[begin + 7] : 0
        let isMarked = next == mark || mark == nil && next == 0x2d
        let last = begin + (isMarked ? 8 : 7)
        guard last < text.count, mark == nil || isMarked else { return nil }
        let sum = zip(digits, [2, 7, 6, 5, 4, 3, 2]).reduce(0) { $0 + $1.0 * $1.1 }
        let (letters, offset): (String, Int)
        switch text[start] & 0xdf {
        case 0x53: (letters, offset) = ("JZIHGFEDCBA", 0)
        case 0x54: (letters, offset) = ("JZIHGFEDCBA", 4)
        case 0x46: (letters, offset) = ("XWUTRQPNMLK", 0)
        case 0x47: (letters, offset) = ("XWUTRQPNMLK", 4)
        case 0x4d: (letters, offset) = ("KLJNPQRTUWX", 3)
        default: return nil
        }
        let remainder = (sum + offset) % 11
        // The letters of the last series stand the other way round.
        let place = text[start] & 0xdf == 0x4d ? 10 - remainder : remainder
        let isChecked = Array(letters.utf8)[place] | text[start] & 0x20 == text[last]
        return isChecked || text[last].isASCIILetter && isNamed(before: start, in: text) ? last + 1 : nil
    }

    /// Whether a word for such a number stands right before a place: `NRIC`, `FIN`.
    private static func isNamed(before start: Int, in text: [UInt8]) -> Bool {
        let before = text[..<start].suffix(longestName)
        return SlotReader.string(before).lowercased().split { !$0.isLetter }.contains {
            ["nric", "fin", "uinfin"].contains($0)
        }
    }

    /// In bytes, of the word and what stands between it and the number.
    private static let longestName = 24

    /// `SE45 5000 0000 0583 9825 7466`, with spaces, dashes or nothing between the groups: the remainder of 97 is one (ISO 13616).
    private static func bankAccount(_ text: [UInt8], _ start: Int) -> Int? {
        guard start + 15 <= text.count, (0x41...0x5a).contains(text[start + 1]),
            digits(text, (start + 2)..<(start + 4)) != nil
        else { return nil }
        var characters: [UInt8] = []
        var index = start
        var end = start
        while index < text.count, characters.count < 34 {
            let byte = text[index]
            if byte == 0x20 || byte == 0x2d, characters.count % 4 == 0, index > start,
                text[index - 1].isASCIIAlphanumeric
            {
                index += 1
                continue
            }
            guard byte.isASCIIDigit || (0x41...0x5a).contains(byte) else { break }
            characters.append(byte)
            index += 1
            end = index
        }
        guard characters.count >= 15 else { return nil }
        let remainder = (characters[4...] + characters[..<4]).reduce(0) { rest, byte in
            byte < 0x3a ? (rest * 10 + Int(byte - 0x30)) % 97 : (rest * 100 + Int(byte - 0x37)) % 97
        }
        return remainder == 1 ? end : nil
    }

    /// `19811218-9876`, `811218-9876`, `198112189876`: a day, three digits and the one that checks them.
    private static func swedish(_ text: [UInt8], _ start: Int) -> Int? {
        var end = start
        while end < text.count, end - start < 13, text[end].isASCIIDigit { end += 1 }
        let length = end - start
        var number: [Int]
        if length == 12, let all = digits(text, start..<end) {
            number = all
        } else if length == 8 || length == 6, end < text.count, text[end] == 0x2d || text[end] == 0x2b,
            let date = digits(text, start..<end), let rest = digits(text, (end + 1)..<(end + 5))
        {
            number = date + rest
            end += 5
        } else {
            return nil
        }
        if number.count == 12 {
            guard [18, 19, 20].contains(number[0] * 10 + number[1]) else { return nil }
            number.removeFirst(2)
        }
        let (month, day) = (number[2] * 10 + number[3], (number[4] * 10 + number[5]) % 60)
        guard (1...12).contains(month), (1...31).contains(day), NationalNumbers.passesLuhn(number) else {
            return nil
        }
        return end
    }

    /// `078-05-1120`: no check digit, but the two dashes and what is never given out.
    private static func american(_ text: [UInt8], _ start: Int) -> Int? {
        guard start + 11 <= text.count, text[start + 3] == 0x2d, text[start + 6] == 0x2d,
            let area = digits(text, start..<(start + 3)), let group = digits(text, (start + 4)..<(start + 6)),
            let serial = digits(text, (start + 7)..<(start + 11))
        else { return nil }
        // Who has no number pays taxes under one of the last series.
        let isOfTax = [50...65, 70...88, 90...92, 94...99].contains { $0.contains(group[0] * 10 + group[1]) }
        guard area != [0, 0, 0], area != [6, 6, 6], area[0] != 9 || isOfTax, group != [0, 0],
            serial != [0, 0, 0, 0]
        else { return nil }
        return start + 11
    }

    /// A payment card: thirteen to nineteen digits in groups or not, of a series that is given out.
    private static func card(_ text: [UInt8], _ start: Int) -> Int? {
        var digits: [Int] = []
        var index = start
        var end = start
        while index < text.count, digits.count < 20 {
            let byte = text[index]
            if byte.isASCIIDigit {
                digits.append(Int(byte - 0x30))
                end = index + 1
            } else if !(byte == 0x20 || byte == 0x2d) || end != index {
                break
            }
            index += 1
        }
        let head = digits.prefix(2).reduce(0) { $0 * 10 + $1 }
        switch (digits.count, head) {
        case (15, 34), (15, 37), (16, 40...49), (13, 40...49), (19, 40...49), (16, 51...55), (16, 22...27),
            (16, 35),
            (16, 60), (16, 64...65):
            return NationalNumbers.passesLuhn(digits) ? end : nil
        default: return nil
        }
    }
}
