import Captures

/// Bytes of UTF-8 as programs print them that have no other way for letters beyond ASCII: `J\xc3\xbcrgen` of Python,
/// `J\303\274rgen` of C, Git and protocol buffers.
enum ByteEscapes {
    /// The byte that an escape of four characters stands for, where those beside it make a letter of it; nil for others.
    ///
    /// In scripts `\xe9` is a letter by itself.
    static func byte(at index: Int, in text: ArraySlice<UInt8>) -> UInt8? {
        guard let own = value(at: index, in: text) else { return nil }
        var start = index
        while let byte = value(at: start, in: text), byte & 0xc0 == 0x80, index - start < 3 * length {
            start -= length
        }
        guard let lead = value(at: start, in: text), (0xc2...0xf4).contains(lead) else { return nil }
        let count = lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4
        let end = start + count * length
        guard index < end else { return nil }
        let isWhole = stride(from: start + length, to: end, by: length).allSatisfy {
            value(at: $0, in: text).map { $0 & 0xc0 == 0x80 } ?? false
        }
        return isWhole ? own : nil
    }

    /// Another byte in the manner of an escape.
    static func writing(_ byte: UInt8, like raw: ArraySlice<UInt8>) -> [UInt8] {
        if raw.dropFirst().first.map({ $0 | 0x20 }) == 0x78 {
            let isLower = !raw.contains { (0x41...0x46).contains($0) }
            return Array("\\x".utf8) + Hexadecimal.digits(of: byte, isUppercase: !isLower)
        }
        return [0x5c] + [6, 3, 0].map { 0x30 + (byte >> $0 & 7) }
    }

    private static let length = 4

    private static func value(at index: Int, in text: ArraySlice<UInt8>) -> UInt8? {
        guard index >= text.startIndex, index + length <= text.endIndex, text[index] == 0x5c else {
            return nil
        }
        let digits = text[(index + 1)..<(index + length)]
        if let first = digits.first, first == 0x78 {
            let values = digits.dropFirst().compactMap(\.hexadecimalValue)
            return values.count == 2 ? values[0] << 4 | values[1] : nil
        }
        guard digits.allSatisfy({ (0x30...0x37).contains($0) }), text[index + 1] < 0x34 else {
            return nil
        }
        return digits.reduce(0) { $0 << 3 | ($1 - 0x30) }
    }
}
