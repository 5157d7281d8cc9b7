/// A body in chunks (RFC 9112, section 7.1) that a file holds as it came.
enum ChunkedText {
    /// The chunks' data; nil where the bytes are no chunks, as those of a body that was joined before.
    static func join(_ bytes: [UInt8]) -> (bytes: [UInt8], isWhole: Bool)? {
        var joined: [UInt8] = []
        var rest = bytes[...]
        while !rest.isEmpty {
            guard let end = rest.prefix(1024).firstIndex(of: 0x0a), let size = size(rest[..<end]) else {
                return joined.isEmpty ? nil : (joined, false)
            }
            rest = rest[(end + 1)...]
            if size == 0 { return (joined, true) }
            joined += rest.prefix(size)
            guard rest.count >= size else { return (joined, false) }
            rest = rest.dropFirst(size)
            if rest.first == 0x0d { rest.removeFirst() }
            if rest.first == 0x0a { rest.removeFirst() }
        }
        return (joined, false)
    }

    /// Hexadecimal digits, and perhaps an extension; nil for all else.
    private static func size(_ line: ArraySlice<UInt8>) -> Int? {
        let digits = line.prefix { $0.isHexadecimalDigit }
        let next = line.dropFirst(digits.count).first { $0 != 0x20 && $0 != 0x09 && $0 != 0x0d }
        guard (1...12).contains(digits.count), next == nil || next == UInt8(ascii: ";") else { return nil }
        return digits.reduce(0) { $0 << 4 | Int($1.hexadecimalValue ?? 0) }
    }
}
