/// Writes JSON values as UTF-8: members in order, numbers as they were read.
package enum JSONWriter {
    /// The value as UTF-8, on one line unless it is indented.
    package static func bytes(of value: JSONValue, indented: Bool = false) -> [UInt8] {
        var bytes: [UInt8] = []
        append(value, to: &bytes, indented: indented, level: 0)
        return bytes
    }

    /// Indented text may be read on a terminal: what steers one is escaped in it (C1, and the marks that reorder text).
    package static func text(of value: JSONValue, indented: Bool = false) -> String {
        let bytes = bytes(of: value, indented: indented)
        return String(decoding: indented ? withoutSteering(bytes) : bytes, as: UTF8.self)
    }

    /// The value on lines of its own, as it stands inside so many containers; the first line is not indented.
    package static func text(of value: JSONValue, level: Int) -> String {
        var bytes: [UInt8] = []
        append(value, to: &bytes, indented: true, level: level)
        return String(decoding: withoutSteering(bytes), as: UTF8.self)
    }

    /// Appends the value on one line.
    package static func append(_ value: JSONValue, to bytes: inout [UInt8]) {
        append(value, to: &bytes, indented: false, level: 0)
    }

    /// Appends text in quotes: what RFC 8259 wants escaped, and U+2028/U+2029, which scripts take for line
    /// ends.
    package static func append(string text: String, to bytes: inout [UInt8]) {
        bytes.append(UInt8(ascii: "\""))
        if text.utf8.withContiguousStorageIfAvailable({ append(escaping: $0, to: &bytes) }) == nil {
            var text = text
            text.withUTF8 { append(escaping: $0, to: &bytes) }
        }
        bytes.append(UInt8(ascii: "\""))
    }

    /// Appends valid UTF-8, escaped, without quotes.
    ///
    /// The recorder's hot path: many bytes at a time into a block on the stack, up to the first that needs more.
    package static func append(escaping utf8: UnsafeBufferPointer<UInt8>, to bytes: inout [UInt8]) {
        guard !utf8.isEmpty else { return }
        let raw = UnsafeRawBufferPointer(utf8)
        withUnsafeTemporaryAllocation(byteCount: blockSize + stride, alignment: 8) { block in
            var filled = 0
            var index = 0
            while index < utf8.count {
                if filled + stride > blockSize {
                    bytes.append(contentsOf: UnsafeRawBufferPointer(rebasing: block[..<filled]))
                    filled = 0
                }
                if index + stride <= utf8.count {
                    let plain = copyPlain(raw, at: index, to: block, at: filled)
                    index += plain
                    filled += plain
                    guard plain < stride else { continue }
                    if let short = shortEscape(of: utf8[index]) {
                        block.storeBytes(of: short.littleEndian, toByteOffset: filled, as: UInt16.self)
                        index += 1
                        filled += 2
                    } else {
                        index += escape(utf8, at: index, into: block, &filled)
                    }
                    continue
                }
                let count = min(8, utf8.count - index)
                var word = UInt64(0)
                if count == 8 {
                    word = raw.loadUnaligned(fromByteOffset: index, as: UInt64.self)
                } else {
                    // Zeros are not plain: what is behind the end is not taken for text.
                    withUnsafeMutableBytes(of: &word) {
                        $0.copyMemory(from: UnsafeRawBufferPointer(rebasing: raw[index...]))
                    }
                }
                block.storeBytes(of: word, toByteOffset: filled, as: UInt64.self)
                let plain = plainBytes(UInt64(littleEndian: word))
                index += plain
                filled += plain
                if plain < count { index += escape(utf8, at: index, into: block, &filled) }
            }
            bytes.append(contentsOf: UnsafeRawBufferPointer(rebasing: block[..<filled]))
        }
    }

    private static let stride = 32
    /// With a stride behind it, what the stack is used for.
    private static let blockSize = 1024 - stride

    /// Copies a stride of bytes.
    ///
    /// - Returns: how many of them, from the first on, stand for themselves.
    @inline(__always)
    private static func copyPlain(
        _ source: UnsafeRawBufferPointer,
        at index: Int,
        to block: UnsafeMutableRawBufferPointer,
        at filled: Int
    ) -> Int {
        let words = (
            source.loadUnaligned(fromByteOffset: index, as: UInt64.self),
            source.loadUnaligned(fromByteOffset: index + 8, as: UInt64.self),
            source.loadUnaligned(fromByteOffset: index + 16, as: UInt64.self),
            source.loadUnaligned(fromByteOffset: index + 24, as: UInt64.self)
        )
        block.storeBytes(of: words.0, toByteOffset: filled, as: UInt64.self)
        block.storeBytes(of: words.1, toByteOffset: filled + 8, as: UInt64.self)
        block.storeBytes(of: words.2, toByteOffset: filled + 16, as: UInt64.self)
        block.storeBytes(of: words.3, toByteOffset: filled + 24, as: UInt64.self)
        let first = plainBytes(UInt64(littleEndian: words.0))
        guard first == 8 else { return first }
        let second = plainBytes(UInt64(littleEndian: words.1))
        guard second == 8 else { return 8 + second }
        let third = plainBytes(UInt64(littleEndian: words.2))
        guard third == 8 else { return 16 + third }
        return 24 + plainBytes(UInt64(littleEndian: words.3))
    }

    /// A backslash and, in the higher byte, the letter behind it; nil for what has no such escape (RFC 8259, section 7).
    @inline(__always)
    private static func shortEscape(of byte: UInt8) -> UInt16? {
        switch byte {
        case 0x22: 0x225c
        case 0x0a: 0x6e5c
        case 0x09: 0x745c
        case 0x5c: 0x5c5c
        case 0x0d: 0x725c
        default: nil
        }
    }

    /// Writes one byte, or what stands for it: eight bytes at most.
    ///
    /// - Returns: how many bytes of the text it was.
    private static func escape(
        _ utf8: UnsafeBufferPointer<UInt8>,
        at index: Int,
        into block: UnsafeMutableRawBufferPointer,
        _ filled: inout Int
    ) -> Int {
        func put(_ byte: UInt8) {
            block[filled] = byte
            filled += 1
        }
        let byte = utf8[index]
        if let short = shortEscape(of: byte) {
            put(UInt8(truncatingIfNeeded: short))
            put(UInt8(short >> 8))
            return 1
        }
        switch byte {
        case 0..<0x20, 0x7f:
            for byte in "\\u00".utf8 { put(byte) }
            put(hexadecimal[Int(byte >> 4)])
            put(hexadecimal[Int(byte & 15)])
        case 0xe2
        where index + 2 < utf8.count && utf8[index + 1] == 0x80 && utf8[index + 2] & 0xfe == 0xa8:
            // U+2028 and U+2029 are E2 80 A8 and E2 80 A9.
            for byte in "\\u202".utf8 { put(byte) }
            put(utf8[index + 2] == 0xa8 ? UInt8(ascii: "8") : UInt8(ascii: "9"))
            return 3
        default: put(byte)
        }
        return 1
    }

    /// How many of eight bytes, from the first on, stand for themselves whatever follows them.
    private static func plainBytes(_ word: UInt64) -> Int {
        // Each byte's highest bit, where the byte is below 0x20 or one of four; wrong only behind a true one.
        let special =
            (word &- 0x2020_2020_2020_2020) & ~word | (word ^ 0x2222_2222_2222_2222).zeroBytes
            | (word ^ 0x5c5c_5c5c_5c5c_5c5c).zeroBytes | (word ^ 0x7f7f_7f7f_7f7f_7f7f).zeroBytes
            | (word ^ 0xe2e2_e2e2_e2e2_e2e2).zeroBytes
        return (special & 0x8080_8080_8080_8080).trailingZeroBitCount / 8
    }

    private static let hexadecimal = Array("0123456789abcdef".utf8)

    private static func append(_ value: JSONValue, to bytes: inout [UInt8], indented: Bool, level: Int) {
        switch value {
        case .null: bytes.append(contentsOf: "null".utf8)
        case .bool(let value): bytes.append(contentsOf: (value ? "true" : "false").utf8)
        case .number(let number): bytes.append(contentsOf: number.text.utf8)
        case .string(let text): append(string: text, to: &bytes)
        case .array(let elements):
            list(elements, open: "[", close: "]", to: &bytes, indented: indented, level: level) {
                element,
                bytes in
                append(element, to: &bytes, indented: indented, level: level + 1)
            }
        case .object(let object):
            list(object.members, open: "{", close: "}", to: &bytes, indented: indented, level: level) {
                member,
                bytes in
                append(string: member.name, to: &bytes)
                bytes.append(contentsOf: (indented ? ": " : ":").utf8)
                append(member.value, to: &bytes, indented: indented, level: level + 1)
            }
        }
    }

    private static func list<Element>(
        _ elements: [Element],
        open: Unicode.Scalar,
        close: Unicode.Scalar,
        to bytes: inout [UInt8],
        indented: Bool,
        level: Int,
        write: (Element, inout [UInt8]) -> Void
    ) {
        bytes.append(UInt8(ascii: open))
        for (index, element) in elements.enumerated() {
            if index > 0 { bytes.append(UInt8(ascii: ",")) }
            if indented { newLine(level + 1, &bytes) }
            write(element, &bytes)
        }
        if indented, !elements.isEmpty { newLine(level, &bytes) }
        bytes.append(UInt8(ascii: close))
    }

    /// JSON text with U+0080 to U+009F and Unicode's bidirectional controls as escapes; they stand in strings only.
    private static func withoutSteering(_ bytes: [UInt8]) -> [UInt8] {
        var result: [UInt8] = []
        // Up to where the text is in the result.
        var end = 0
        for index in bytes.indices where bytes[index] == 0xc2 || bytes[index] == 0xd8 || bytes[index] == 0xe2
        {
            guard let (code, length) = steering(bytes[index...].prefix(3)) else { continue }
            result += bytes[end..<index]
            result += "\\u".utf8
            for shift in [12, 8, 4, 0] { result.append(hexadecimal[code >> shift & 15]) }
            end = index + length
        }
        return end == 0 ? bytes : result + bytes[end...]
    }

    /// The scalar that UTF-8 begins with, and in how many bytes, where it is one that steers a terminal.
    private static func steering(_ utf8: ArraySlice<UInt8>) -> (code: Int, length: Int)? {
        guard let scalar = String(decoding: utf8, as: UTF8.self).unicodeScalars.first,
            (0x80..<0xa0).contains(scalar.value) || scalar.isBidirectionalControl
        else { return nil }
        return (Int(scalar.value), scalar.utf8.count)
    }

    private static func newLine(_ level: Int, _ bytes: inout [UInt8]) {
        bytes.append(0x0a)
        bytes.append(contentsOf: repeatElement(0x20, count: level * 2))
    }
}
