/// Tells, piece by piece, whether bytes are text that JSON carries as it is: UTF-8 without NUL.
struct TextCheck {
    /// Bytes of a character that the pieces so far have begun.
    private var begun: [UInt8] = []
    private(set) var isText = true

    /// - Returns: whether it is text so far; nothing more need be handed over where it is not.
    mutating func receive(_ piece: UnsafeBufferPointer<UInt8>) -> Bool {
        guard isText else { return false }
        var rest = piece
        while !begun.isEmpty, let byte = rest.first {
            rest = UnsafeBufferPointer(rebasing: rest.dropFirst())
            begun.append(byte)
            if begun.count < Self.length(begun[0]) { continue }
            isText = String(validating: begun, as: UTF8.self) != nil
            begun = []
            guard isText else { return false }
        }
        let end = rest.count - Self.unfinished(rest)
        begun += rest[end...]
        isText = Self.isText(UnsafeBufferPointer(rebasing: rest[..<end]))
        return isText
    }

    /// Nothing more comes.
    mutating func end() -> Bool { isText && begun.isEmpty }

    static func isText(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
        guard ByteSearch.index(of: 0, in: bytes, 0..<bytes.count) == nil else { return false }
        var union: UInt8 = 0
        for byte in bytes { union |= byte }
        return union < 0x80 || String(validating: bytes, as: UTF8.self) != nil
    }

    /// How many bytes at the end are the beginning of a character whose rest is not there.
    static func unfinished(_ bytes: UnsafeBufferPointer<UInt8>) -> Int {
        for back in 1...3 where back <= bytes.count {
            let byte = bytes[bytes.count - back]
            if byte < 0x80 { return 0 }
            if byte >= 0xc0 { return length(byte) > back ? back : 0 }
        }
        return 0
    }

    /// Of the character that begins with this byte (RFC 3629, section 3).
    private static func length(_ byte: UInt8) -> Int {
        switch byte {
        case 0xf0...: 4
        case 0xe0...: 3
        case 0xc0...: 2
        default: 1
        }
    }
}
