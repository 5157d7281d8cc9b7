import Captures

/// The address of a device's part in its network (IEEE 802, EUI-48): `d4:22:e0:d6:aa:12`, `D4-22-E0-D6-AA-12`.
enum HardwareAddress {
    /// Where an address ends that begins here, at the beginning of a word; nil for none.
    ///
    /// Digits alone may be a time, and longer ones are fingerprints.
    static func end(in text: [UInt8], at start: Int) -> Int? {
        let end = start + length
        guard end <= text.count, text[start].isHexadecimalDigit else { return nil }
        let mark = text[start + 2]
        guard mark == 0x3a || mark == 0x2d else { return nil }
        for (place, byte) in text[start..<end].enumerated() {
            guard place % 3 == 2 ? byte == mark : byte.isHexadecimalDigit else { return nil }
        }
        let digits = text[start..<end].filter(\.isHexadecimalDigit)
        // That of everybody, and of nobody.
        guard digits.contains(where: \.isASCIILetter), Set(digits).count > 1 else { return nil }
        guard end < text.count else { return end }
        let isLonger = text[end] == mark && end + 1 < text.count && text[end + 1].isASCIIWordByte
        return text[end].isASCIIWordByte || isLonger ? nil : end
    }

    /// In bytes: six numbers of two digits, with marks between them.
    private static let length = 17
}
