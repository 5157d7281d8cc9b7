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
        case 0x28: return endOfNorthAmerican(text, start) ?? endOfNational(text, start)
        case 0x30...0x39: return endOfNational(text, start)
        default: return nil
        }
    }

    /// As it is written where it is dialled, behind a word for a phone: `Tel. 0151 234567-89`, `call us at 555-010-0163`; elsewhere
    /// such groups number other things as well.
    private static func endOfNational(_ text: [UInt8], _ start: Int) -> Int? {
        var groups = [0]
        var end = start
        var last = start
        while end < text.count, end - start < 24 {
            // Texts of numbers have many more.
            guard groups.count <= 7 else { return nil }
            if text[end].isASCIIDigit {
                groups[groups.count - 1] += 1
                last = end + 1
            } else if separators.contains(text[end]) {
                if groups.last != 0 { groups.append(0) }
            } else {
                break
            }
            end += 1
        }
        groups.removeAll { $0 == 0 }
        let digits = groups.reduce(0, +)
        // A time in seconds has ten digits without a gap, and no zero in front.
        guard groups.count > 1 || text[start] == 0x30,
            (9...13).contains(digits) || digits == 8 && groups.count > 1,
            last == text.count || !text[last].isASCIIWordByte,
            groups != [4, 2, 2], groups != [2, 2, 4], !beginsWithDay(text[start..<last]),
            !isVersion(groups, text[start..<last])
        else { return nil }
        // What stands before another number belongs to that.
        let gap = text[..<start].suffix(24).split(
            omittingEmptySubsequences: false,
            whereSeparator: \.isASCIIDigit
        )
        let before = ShownCodes.lowercased(gap.last ?? [])
        let words = before.split { !$0.isLetter }
        return words.contains { ofPhones.contains(String($0)) } ? last : nil
    }

    /// `3/25/2026 10`, `2026-03-25 10`: an hour stands behind it.
    private static func beginsWithDay(_ number: ArraySlice<UInt8>) -> Bool {
        let parts = number.prefix { $0 != 0x20 }.split { !$0.isASCIIDigit }.map(\.count)
        guard parts.count == 3, parts[1] <= 2 else { return false }
        return parts[0] == 4 && parts[2] <= 2 || parts[0] <= 2 && parts[2] == 4
    }

    /// Whether it is a program's version, or an address of the internet: `Chrome Mobile 120.0.6099.144`.
    private static func isVersion(_ groups: [Int], _ number: ArraySlice<UInt8>) -> Bool {
        number.allSatisfy { $0.isASCIIDigit || $0 == 0x2e } && (groups.contains(1) || groups.count == 4)
    }

    private static let separators: Set<UInt8> = [0x20, 0x28, 0x29, 0x2d, 0x2e, 0x2f]
    private static let ofPhones: Set<String> = [
        "phone", "telephone", "tel", "mobile", "cell", "call", "sms", "whatsapp", "fax",
        "telefon", "handy", "mobil", "mobilnummer", "rufnummer", "handynummer", "telefonnummer", "anrufen",
        "téléphone", "portable", "teléfono", "móvil", "telefono", "cellulare", "telefone", "celular",
        "telefoon", "mobiel", "mobiltelefon",
    ]

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
        var dots = 0
        var end = start + 1
        var last = end
        var characters = 1
        while end < text.count, characters < 24 {
            characters += 1
            if text[end].isASCIIDigit {
                digits += 1
                last = end + 1
            } else if text[end] == 0x2e, end + 1 < text.count, text[end + 1].isASCIIDigit {
                dots += 1
            } else {
                let length = PhoneNumbers.lengthOfSeparator(at: end, in: text)
                guard length > 0, text[end] != 0x2e, text[end] != 0x2f else { break }
                end += length - 1
            }
            end += 1
        }
        // With a single dot it is an amount, or a degree; an amount with more has a comma as well.
        guard (8...15).contains(digits), dots != 1, last == text.count || !text[last].isASCIIWordByte,
            dots == 0 || last + 1 >= text.count || text[last] != 0x2c || !text[last + 1].isASCIIDigit
        else { return nil }
        return (0x31...0x39).contains(text[start + 1]) ? last : nil
    }
}
