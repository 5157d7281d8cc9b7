import Captures

/// `=C3=BC`, and `=` at the end of a line that goes on, as mail has them (RFC 2045, section 6.7).
enum QuotedPrintable {
    /// Whether a text has a character beyond ASCII, three escapes in a row or a soft line break in it; forms and assignments have equals
    /// signs, too.
    static func mayApply(to text: ArraySlice<UInt8>) -> Bool {
        var start = text.startIndex
        while let mark = text[start...].firstIndex(of: equals) {
            start = mark + 1
            if lengthOfBreak(at: mark, in: text) != nil || isRow(at: mark, in: text) { return true }
            guard let lead = byte(at: mark, in: text), lead >= 0xc2, mark + 3 < text.endIndex,
                let next = byte(at: mark + 3, in: text), next & 0xc0 == 0x80
            else { continue }
            return true
        }
        return false
    }

    private static func isRow(at mark: Int, in text: ArraySlice<UInt8>) -> Bool {
        mark + 8 < text.endIndex
            && [mark, mark + 3, mark + 6].allSatisfy { byte(at: $0, in: text) != nil }
    }

    /// What an escape stands for, and its length; nil where none begins.
    static func escape(at index: Int, in text: ArraySlice<UInt8>) -> (bytes: [UInt8], length: Int)? {
        if let byte = byte(at: index, in: text) { return ([byte], 3) }
        return lengthOfBreak(at: index, in: text).map { ([], $0) }
    }

    /// Writes a byte in the manner of one that stood there; soft line breaks behind that stay where they are.
    static func append(_ byte: UInt8, like raw: ArraySlice<UInt8>, to output: inout [UInt8]) {
        let wasEscaped = !raw.isEmpty && self.byte(at: raw.startIndex, in: raw) != nil
        if wasEscaped || byte >= 0x80 || byte == equals {
            output += [equals] + Hexadecimal.digits(of: byte, isUppercase: true)
        } else {
            output.append(byte)
        }
        output += raw.dropFirst(wasEscaped ? 3 : 1)
    }

    private static let equals: UInt8 = 0x3d

    private static func byte(at index: Int, in text: ArraySlice<UInt8>) -> UInt8? {
        guard text[index] == equals, index + 2 < text.endIndex,
            let high = digit(text[index + 1]), let low = digit(text[index + 2])
        else { return nil }
        return high << 4 | low
    }

    /// In capitals.
    private static func digit(_ byte: UInt8) -> UInt8? { byte < 0x61 ? byte.hexadecimalValue : nil }

    private static func lengthOfBreak(at index: Int, in text: ArraySlice<UInt8>) -> Int? {
        guard text[index] == equals else { return nil }
        let rest = text[(index + 1)...]
        return rest.first == 0x0a ? 2 : rest.starts(with: [0x0d, 0x0a]) ? 3 : nil
    }
}
