/// Bytes between quotation marks, as Go (`%q`) and Ruby (`inspect`) print them.
enum QuotedBytes {
    /// Nil for every other text.
    static func decode(_ words: ArraySlice<UInt8>) -> [UInt8]? {
        guard words.count > 1, words.first == UInt8(ascii: "\""), words.last == UInt8(ascii: "\"") else {
            return nil
        }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(words.count)
        var rest = words.dropFirst().dropLast()
        while let byte = rest.popFirst() {
            if byte == UInt8(ascii: "\\") {
                guard let escaped = escaped(&rest) else { return nil }
                bytes += escaped
            } else {
                guard byte != UInt8(ascii: "\"") else { return nil }
                bytes.append(byte)
            }
        }
        return bytes
    }

    /// What stands behind a backslash; nil for what neither prints there.
    private static func escaped(_ rest: inout ArraySlice<UInt8>) -> [UInt8]? {
        guard let letter = rest.popFirst() else { return nil }
        switch letter {
        case UInt8(ascii: "x"): return number(2, &rest).flatMap { UInt8(exactly: $0) }.map { [$0] }
        case UInt8(ascii: "u"): return scalar(4, &rest)
        case UInt8(ascii: "U"): return scalar(8, &rest)
        default:
            // Ruby escapes what would begin an interpolation (`\#{`), too.
            return letters[letter].map { [$0] } ?? ("\\\"'#$@".utf8.contains(letter) ? [letter] : nil)
        }
    }

    private static let letters: [UInt8: UInt8] = [
        UInt8(ascii: "n"): 0x0a, UInt8(ascii: "r"): 0x0d, UInt8(ascii: "t"): 0x09, UInt8(ascii: "a"): 0x07,
        UInt8(ascii: "b"): 0x08, UInt8(ascii: "f"): 0x0c, UInt8(ascii: "v"): 0x0b, UInt8(ascii: "e"): 0x1b,
        UInt8(ascii: "0"): 0x00,
    ]

    private static func number(_ digits: Int, _ rest: inout ArraySlice<UInt8>) -> UInt32? {
        let text = rest.prefix(digits)
        guard text.count == digits, text.allSatisfy(\.isHexadecimalDigit) else { return nil }
        rest = rest.dropFirst(digits)
        return UInt32(String(decoding: text, as: UTF8.self), radix: 16)
    }

    private static func scalar(_ digits: Int, _ rest: inout ArraySlice<UInt8>) -> [UInt8]? {
        number(digits, &rest).flatMap { Unicode.Scalar($0) }.map { Array(String(Character($0)).utf8) }
    }
}
