import Captures

/// `\71 `, `\000071`: characters by their numbers, as style sheets write them (CSS Syntax Module Level 3, section 4.3.7).
enum StyleEscapes {
    /// Whether a text has such an escape in it, of two digits and more; scripts write `\d` and `\b` for other things.
    static func mayApply(to text: ArraySlice<UInt8>) -> Bool {
        var start = text.startIndex
        while let mark = text[start...].firstIndex(of: 0x5c) {
            start = mark + 1
            if digits(behind: mark, in: text).count >= shortest { return true }
        }
        return false
    }

    /// What an escape stands for, and its length with the space that ends it; nil where none begins.
    static func escape(at index: Int, in text: ArraySlice<UInt8>) -> (bytes: [UInt8], length: Int)? {
        let digits = digits(behind: index, in: text)
        guard text[index] == 0x5c, digits.count >= shortest,
            let value = UInt32(String(decoding: digits, as: UTF8.self), radix: 16), isText(value),
            let scalar = Unicode.Scalar(value)
        else { return nil }
        let end = digits.endIndex + lengthOfSpace(at: digits.endIndex, in: text)
        return (Array(String(Character(scalar)).utf8), end - index)
    }

    /// Whether it is no control character, or one of white space.
    static func isText(_ scalar: UInt32) -> Bool {
        scalar >= 0x20 || [0x09, 0x0a, 0x0c, 0x0d].contains(scalar)
    }

    /// Writes a byte in the manner of an escape that stood there.
    static func append(_ byte: UInt8, like raw: ArraySlice<UInt8>, to output: inout [UInt8]) {
        guard raw.count > 1 || byte < 0x20 || byte == 0x22 || byte == 0x5c else { return output.append(byte) }
        let digits = raw.dropFirst().prefix(longest).prefix(while: \.isHexadecimalDigit)
        let space = raw[digits.endIndex...]
        // Without a space behind it, what follows could be one more of its digits.
        let count = space.isEmpty ? longest : max(shortest, digits.count)
        output.append(0x5c)
        output += [UInt8](repeating: 0x30, count: count - shortest)
        output += Hexadecimal.digits(of: byte, isUppercase: digits.contains { (0x41...0x46).contains($0) })
        output += space
    }

    /// In digits: of an escape for a character of ASCII that is no control character, and of the longest there are.
    static let shortest = 2
    static let longest = 6

    private static func digits(behind mark: Int, in text: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        text[(mark + 1)...].prefix(longest).prefix(while: \.isHexadecimalDigit)
    }

    /// Of white space, of which a line break may have two bytes.
    static func lengthOfSpace<Text: RandomAccessCollection<UInt8>>(at index: Text.Index, in text: Text) -> Int
    {
        let behind = text[index...].prefix(2)
        if behind.elementsEqual([0x0d, 0x0a]) { return 2 }
        return behind.first.map { [0x09, 0x0a, 0x0c, 0x0d, 0x20].contains($0) } ?? false ? 1 : 0
    }
}
