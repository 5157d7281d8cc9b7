import Captures

/// What Google's page of errors is told in its address (`authError`): a record in the encoding of Protocol Buffers, the error's
/// name in its first field and the words for people in its second.
enum PackedError {
    /// The texts of such a record, one after the other.
    static func text(of value: String) -> String {
        let bytes = Base64.decode(value)
        return fields(of: bytes).map { $0.joined(separator: " ") } ?? printable(bytes)
    }

    /// Texts in the order in which they stand; nil where it is no such record, or has none.
    private static func fields(of bytes: [UInt8]) -> [String]? {
        var rest = bytes[...]
        var texts: [String] = []
        while let tag = number(&rest) {
            switch tag & 7 {
            case 0: guard number(&rest) != nil else { return nil }
            case 1: guard rest.count >= 8 else { return nil }; rest = rest.dropFirst(8)
            case 5: guard rest.count >= 4 else { return nil }; rest = rest.dropFirst(4)
            case 2:
                guard let length = number(&rest), length <= UInt64(rest.count) else { return nil }
                if let text = String(validating: rest.prefix(Int(length)), as: UTF8.self),
                    text.utf8.count >= 4
                {
                    texts.append(text)
                }
                rest = rest.dropFirst(Int(length))
            default: return nil
            }
        }
        return rest.isEmpty && !texts.isEmpty ? texts : nil
    }

    /// A number of variable length; nil at the end, and where none is.
    private static func number(_ rest: inout ArraySlice<UInt8>) -> UInt64? {
        var value: UInt64 = 0
        for (place, byte) in rest.prefix(10).enumerated() {
            value |= UInt64(byte & 0x7f) << (7 * UInt64(place))
            if byte < 0x80 {
                rest = rest.dropFirst(place + 1)
                return value
            }
        }
        return nil
    }

    /// The printable parts of a binary record.
    private static func printable(_ bytes: [UInt8]) -> String {
        let words = bytes.split { $0 < 0x20 || $0 > 0x7e }.filter { $0.count >= 4 }
        return String(decoding: Array(words.joined(separator: [0x20])), as: UTF8.self)
    }
}
