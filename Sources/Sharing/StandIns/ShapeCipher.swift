import Captures

/// Writes a text anew in the same shape: digits become digits, letters letters of the same case, hexadecimal text stays
/// hexadecimal, everything else stands where it stood.
///
/// What a character becomes depends on the key and on the letters and digits before it, whatever their case and
/// whatever stands between them. So two texts that begin alike get stand-ins that begin alike, a text that was cut off
/// gets the stand-in cut off, one in the other case, in the other base64 alphabet or without its padding gets the
/// stand-in in that form; and different texts never get the same one. No letter or digit becomes itself.
struct ShapeCipher {
    private let start: KeyedHash

    /// `key`: 16 random bytes; `domain`: texts of different domains have nothing in common.
    init(key: [UInt8], domain: UInt8) {
        var hash = KeyedHash(key: key)
        hash.absorb(domain)
        start = hash
    }

    func callAsFunction(_ text: [UInt8]) -> [UInt8] { writing(text, digits: 0..<10) }

    /// The same of a text of which it is known that it is hexadecimal, though it may be too short to show it.
    func hexadecimal(_ text: [UInt8]) -> [UInt8] { writing(text, digits: 0..<10, isHexadecimal: true) }

    /// The same of a text in base32 (RFC 4648, section 6), which stays such: it has the digits from 2 to 7.
    func base32(_ text: [UInt8]) -> [UInt8] { writing(text, digits: 2..<8) }

    /// `digits`: those that there are; `isHexadecimal`: nil for what the text shows.
    private func writing(_ text: [UInt8], digits: Range<UInt8>, isHexadecimal: Bool? = nil) -> [UInt8] {
        let kept = Self.kept(text)
        let isHexadecimal = isHexadecimal ?? Self.isHexadecimal(text)
        var hash = start
        hash.absorb(isHexadecimal ? 1 : 0)
        var output = text
        var index = 0
        var isFirst = true
        while index < text.count {
            let byte = text[index]
            defer { index += 1 }
            if kept.contains(index) { continue }
            switch byte {
            case 0x30...0x39:
                output[index] = Self.digit(for: byte, of: digits, isFirst: isFirst, hash.value)
            case 0x41...0x5a, 0x61...0x7a:
                output[index] = Self.letter(forThatAt: index, in: text, isHexadecimal, hash.value)
            case 0xc3...0xf4:
                guard let last = Self.end(ofCharacterAt: index, in: text) else { continue }
                // The last byte of it, among those with the same beginning.
                output[last] = 0x80 | Self.image(of: text[last] & 0x3f, among: 64, hash.value)
                hash.absorb(text[index...last])
                index = last
                isFirst = false
                continue
            default: continue
            }
            isFirst = false
            hash.absorb(byte | 0x20)
        }
        return output
    }

    /// `digits`: those that there are; `isFirst`: nothing but marks stands before it.
    private static func digit(for byte: UInt8, of digits: Range<UInt8>, isFirst: Bool, _ seed: UInt64)
        -> UInt8
    {
        if digits.count < 10 {
            let base = 0x30 + digits.lowerBound
            guard digits.contains(byte - 0x30) else { return byte }
            return base + image(of: byte - base, among: digits.count, seed)
        }
        guard isFirst else { return 0x30 + image(of: byte - 0x30, among: 10, seed) }
        // A number has no zero in front, and keeps having none.
        return byte == 0x30 ? byte : 0x31 + image(of: byte - 0x31, among: 9, seed)
    }

    private static func letter(forThatAt index: Int, in text: [UInt8], _ isHexadecimal: Bool, _ seed: UInt64)
        -> UInt8
    {
        let letters = letters(at: index, in: text, isHexadecimal)
        let base = text[index] & 0xe0 | letters.lowerBound
        return base + image(of: text[index] - base, among: letters.count, seed)
    }

    /// The last byte of a character beyond ASCII; nil where it is not whole.
    private static func end(ofCharacterAt index: Int, in text: [UInt8]) -> Int? {
        let length = text[index] < 0xe0 ? 2 : text[index] < 0xf0 ? 3 : 4
        guard index + length <= text.count,
            text[(index + 1)..<(index + length)].allSatisfy({ $0 & 0xc0 == 0x80 })
        else { return nil }
        return index + length - 1
    }

    // MARK: - Shapes

    /// Places that stay: the escapes of percent-encoding, the version of a UUID.
    private static func kept(_ text: [UInt8]) -> Set<Int> {
        var kept: Set<Int> = []
        if text.contains(0x25) {
            for index in text.indices.dropLast(2) where text[index] == 0x25 {
                if text[index + 1].isHexadecimalDigit, text[index + 2].isHexadecimalDigit {
                    kept.formUnion([index + 1, index + 2])
                }
            }
        }
        if isUUID(text) { kept.formUnion([14, 19]) }
        return kept
    }

    /// The letters that one at a place may become, numbered from 1.
    ///
    /// Behind a percent sign hexadecimal digits stay such and other letters such, or what was no escape would become one.
    private static func letters(at index: Int, in text: [UInt8], _ isHexadecimal: Bool) -> Range<UInt8> {
        if isHexadecimal { return 1..<7 }
        guard text[max(0, index - 2)..<index].contains(0x25) else { return 1..<27 }
        return text[index].isHexadecimalDigit ? 1..<7 : 7..<27
    }

    /// A UUID, whole, cut off, or with a character changed.
    private static func isUUID(_ text: [UInt8]) -> Bool {
        guard (12...36).contains(text.count), isHexadecimal(text) else { return false }
        return [8, 13, 18, 23].allSatisfy { $0 >= text.count || text[$0] == 0x2d }
    }

    static func isHexadecimal(_ text: [UInt8]) -> Bool {
        var (letters, digits, others) = (0, 0, 0)
        for byte in text {
            switch byte {
            case 0x30...0x39: digits += 1
            case 0x41...0x46, 0x61...0x66: letters += 1
            case 0x80...: return false
            case 0x47...0x5a, 0x67...0x7a: others += 1
            default: continue
            }
        }
        // One that was changed is read as what it was.
        return digits > 0 && letters > 0 && digits + letters >= 8 && others * 16 <= digits + letters
    }

    /// Where a cyclic permutation, drawn by `seed`, takes one of `count` symbols: never to itself (Sattolo's algorithm).
    private static func image(of symbol: UInt8, among count: Int, _ seed: UInt64) -> UInt8 {
        guard Int(symbol) < count else { return symbol }
        return withUnsafeTemporaryAllocation(of: UInt8.self, capacity: count) { order in
            for index in 0..<count { order[index] = UInt8(index) }
            var state = seed
            for index in stride(from: count - 1, to: 0, by: -1) {
                state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
                let other = Int(truncatingIfNeeded: (state >> 33) % UInt64(index))
                let swapped = order[index]
                order[index] = order[other]
                order[other] = swapped
            }
            return order[Int(symbol)]
        }
    }
}
