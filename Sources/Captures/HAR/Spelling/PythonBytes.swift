/// Bytes as Python prints them: `b'…'` or `b"…"`, with escapes for what is no printable ASCII.
enum PythonBytes {
    /// The bytes that a text is in this spelling; nil for every other text.
    static func decode(_ text: String) -> [UInt8]? {
        let text = Array(text.utf8)
        guard text.count > 2, text[0] == UInt8(ascii: "b"), text[1] == 0x22 || text[1] == 0x27,
            text.last == text[1]
        else { return nil }
        var bytes: [UInt8] = []
        var rest = text[2..<(text.count - 1)]
        while let byte = rest.popFirst() {
            if byte == 0x5c {
                guard let escaped = escaped(&rest) else { return nil }
                bytes.append(escaped)
            } else {
                // What Python would have escaped is of something else.
                guard byte != text[1], (0x20..<0x7f).contains(byte) else { return nil }
                bytes.append(byte)
            }
        }
        return bytes
    }

    /// What stands behind a backslash; nil for what Python does not print there.
    private static func escaped(_ rest: inout ArraySlice<UInt8>) -> UInt8? {
        switch rest.popFirst() {
        case UInt8(ascii: "n"): return 0x0a
        case UInt8(ascii: "r"): return 0x0d
        case UInt8(ascii: "t"): return 0x09
        case let byte? where byte == 0x5c || byte == 0x27: return byte
        case UInt8(ascii: "x"):
            guard let high = rest.popFirst()?.hexadecimalValue, let low = rest.popFirst()?.hexadecimalValue
            else { return nil }
            return high << 4 | low
        default: return nil
        }
    }
}
