/// Walks over a JSON text without making values of it, for texts of which little is wanted.
///
/// As strict as ``JSONParser``. Says false for anything that would need care (escapes in a compared string,
/// numbers that are no plain integers), and leaves that to the parser.
package struct JSONCursor {
    private var reader: JSONReader
    /// How many objects the position is inside of.
    private var depth = 0

    package init(_ bytes: UnsafeBufferPointer<UInt8>) { reader = JSONReader(bytes) }

    /// Whether only white space is left.
    package var isAtEnd: Bool {
        mutating get {
            reader.skipWhiteSpace()
            return reader.isAtEnd
        }
    }

    /// Visits the members of the object that begins here.
    ///
    /// `visit` gets a name without escapes and has to walk over its value; false ends the walk.
    package mutating func members(
        _ visit: (UnsafeBufferPointer<UInt8>, inout JSONCursor) -> Bool
    ) -> Bool {
        reader.skipWhiteSpace()
        guard depth < JSONParser.maximumDepth, reader.take(UInt8(ascii: "{")) else { return false }
        depth += 1
        defer { depth -= 1 }
        reader.skipWhiteSpace()
        if reader.take(UInt8(ascii: "}")) { return true }
        while true {
            reader.skipWhiteSpace()
            guard let name = reader.plainString() else { return false }
            reader.skipWhiteSpace()
            guard reader.take(UInt8(ascii: ":")) else { return false }
            reader.skipWhiteSpace()
            guard visit(name, &self) else { return false }
            reader.skipWhiteSpace()
            if reader.take(UInt8(ascii: "}")) { return true }
            guard reader.take(UInt8(ascii: ",")) else { return false }
        }
    }

    /// Walks over a string; whether it is this one, to the byte and without escapes.
    package mutating func string(equals text: String) -> Bool {
        guard let bytes = reader.plainString() else { return false }
        return bytes.elementsEqual(text.utf8)
    }

    /// Walks over an integer of at most 15 digits; nil for anything else.
    package mutating func integer() -> Int64? { reader.plainInteger() }

    /// Walks over any value; false where there is none.
    package mutating func skipValue() -> Bool { reader.skipValue(depth: depth) }
}

extension JSONReader {
    /// Moves over one byte when it is this one.
    mutating func take(_ byte: UInt8) -> Bool {
        guard current == byte else { return false }
        advance()
        return true
    }

    /// The bytes of a string without escapes; nil for others.
    mutating func plainString() -> UnsafeBufferPointer<UInt8>? {
        guard take(UInt8(ascii: "\"")) else { return nil }
        let start = position
        while let byte = current {
            if byte == UInt8(ascii: "\"") {
                defer { advance() }
                return slice(start..<position)
            }
            guard byte >= 0x20, byte != UInt8(ascii: "\\") else { return nil }
            advance()
        }
        return nil
    }

    mutating func plainInteger() -> Int64? {
        let isNegative = take(UInt8(ascii: "-"))
        var value: Int64 = 0
        var count = 0
        let begin = current
        while let byte = current, (0x30...0x39).contains(byte), count < 16 {
            value = value * 10 + Int64(byte - 0x30)
            count += 1
            advance()
        }
        guard (1...15).contains(count), count == 1 || begin != 0x30 else { return nil }
        if let next = current, next == 0x2e || next | 0x20 == 0x65 { return nil }
        return isNegative ? -value : value
    }

    mutating func skipValue(depth: Int) -> Bool {
        skipWhiteSpace()
        switch current {
        case UInt8(ascii: "\""): return plainString() != nil
        case .some:
            // Numbers and nested values are rare in tokens: the parser knows how.
            do throws(JSONError) {
                _ = try value(depth: depth)
                return true
            } catch {
                return false
            }
        case nil: return false
        }
    }
}
