/// The escapes of JSON and of scripts for printable characters of ASCII: `\/`, `\u0026`, `\x26`.
package enum ScriptEscape {
    /// The byte that the escape at the beginning stands for, and how long that is; nil where there is none of these.
    static func byte(at bytes: ArraySlice<UInt8>) -> (byte: UInt8, length: Int)? {
        guard let kind = bytes.dropFirst().first else { return nil }
        if kind == slash { return (slash, 2) }
        let digits = kind == 0x75 ? 4 : kind == 0x78 ? 2 : 0
        let number = bytes.dropFirst(2).prefix(digits)
        guard digits > 0, number.count == digits,
            let value = UInt8(String(decoding: number, as: UTF8.self), radix: 16), value > 0x20, value < 0x7f
        else { return nil }
        return (value, 2 + digits)
    }

    /// A text with all of them undone; nil where it has none.
    package static func undone(in bytes: [UInt8]) -> [UInt8]? {
        guard let first = bytes.firstIndex(of: backslash) else { return nil }
        var plain = Array(bytes[..<first])
        plain.reserveCapacity(bytes.count)
        var index = first
        while index < bytes.endIndex {
            guard bytes[index] == backslash else {
                plain.append(bytes[index])
                index += 1
                continue
            }
            if let (byte, length) = byte(at: bytes[index...]) {
                plain.append(byte)
                index += length
            } else {
                // The next one belongs to it, be it another backslash.
                plain += bytes[index...].prefix(2)
                index += 2
            }
        }
        return plain.count < bytes.count ? plain : nil
    }

    /// Whether a text stands in the bytes of a body, as it is or with some of it escaped: `+` as `\u002B`, say.
    package static func isWritten(_ text: String, in bytes: [UInt8]) -> Bool {
        let wanted = Array(text.utf8)
        return bytes.firstRange(of: wanted) != nil || undone(in: bytes)?.firstRange(of: wanted) != nil
    }

    private static let slash: UInt8 = 0x2f
    private static let backslash: UInt8 = 0x5c
}
