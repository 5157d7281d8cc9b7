/// Finds one string in a JSON text that was parsed before, without making values of the rest.
///
/// What is passed over is not checked again.
package enum JSONLookup {
    /// The string that these members, one inside the other, lead to.
    ///
    /// - Returns: nil where there is none, or it takes a parser to tell: something else than a string, names with escapes.
    package static func string(at path: [StaticString], in text: [UInt8]) -> [UInt8]? {
        guard !path.isEmpty else { return nil }
        return text.withUnsafeBufferPointer { bytes in
            var walk = Walk(reader: JSONReader(bytes), path: path)
            return walk.object(level: 0) ? walk.found : nil
        }
    }
}

private struct Walk {
    var reader: JSONReader
    let path: [StaticString]
    /// Of several members of a name the last counts, as in ``JSONObject``.
    var found: [UInt8]?

    /// Walks over the object that begins here; false where it is none.
    mutating func object(level: Int) -> Bool {
        reader.skipWhiteSpace()
        guard reader.take(UInt8(ascii: "{")) else { return false }
        while true {
            reader.skipWhiteSpace()
            if reader.take(UInt8(ascii: "}")) { return true }
            guard let name = reader.plainString() else { return false }
            reader.skipWhiteSpace()
            guard reader.take(UInt8(ascii: ":")) else { return false }
            guard name.elementsEqual(path[level]) ? value(level: level) : skipValue() else { return false }
            reader.skipWhiteSpace()
            _ = reader.take(UInt8(ascii: ","))
        }
    }

    /// The value of a member on the way.
    private mutating func value(level: Int) -> Bool {
        found = nil
        if level + 1 < path.count { return object(level: level + 1) }
        reader.skipWhiteSpace()
        guard reader.current == UInt8(ascii: "\"") else { return false }
        found = reader.stringBytes()
        return found != nil
    }

    private mutating func skipValue() -> Bool {
        var depth = 0
        while let byte = reader.current {
            switch byte {
            case UInt8(ascii: "\""):
                guard reader.skipString() else { return false }
                if depth == 0 { return true }
                continue
            case UInt8(ascii: "{"), UInt8(ascii: "["): depth += 1
            case UInt8(ascii: "}"), UInt8(ascii: "]"):
                // That of the object around it ends a number or a word.
                if depth == 0 { return true }
                depth -= 1
                if depth == 0 {
                    reader.advance()
                    return true
                }
            case UInt8(ascii: ","): if depth == 0 { return true }
            default: break
            }
            reader.advance()
        }
        return false
    }
}

extension StaticString {
    fileprivate var bytes: UnsafeBufferPointer<UInt8> {
        UnsafeBufferPointer(start: utf8Start, count: utf8CodeUnitCount)
    }
}

extension UnsafeBufferPointer<UInt8> {
    fileprivate func elementsEqual(_ text: StaticString) -> Bool {
        count == text.utf8CodeUnitCount && elementsEqual(text.bytes)
    }
}

extension JSONReader {
    /// Moves behind the string that begins at the quote; false where it does not end.
    fileprivate mutating func skipString() -> Bool {
        let start = position
        advance()
        guard (try? skipEscaped(start: start)) != nil else { return false }
        advance()
        return true
    }

    /// What ``string()`` reads, as bytes, in one pass; nil where it does not end or has a faulty escape.
    fileprivate mutating func stringBytes() -> [UInt8]? {
        advance()
        // An escape is longer than what it stands for.
        var isWhole = false
        let bytes = [UInt8](unsafeUninitializedCapacity: rest) { buffer, count in
            var writer = JSONStringWriter(buffer)
            isWhole = copyString(to: &writer)
            count = writer.count
        }
        guard isWhole else { return nil }
        var union: UInt8 = 0
        for byte in bytes { union |= byte }
        guard union >= 0x80, String(validating: bytes, as: UTF8.self) == nil else { return bytes }
        return Array(String(decoding: bytes, as: UTF8.self).utf8)
    }

    private mutating func copyString(to writer: inout JSONStringWriter) -> Bool {
        while true {
            let run = position
            skipPlain()
            writer.copy(slice(run..<position))
            switch current {
            case UInt8(ascii: "\""):
                advance()
                return true
            case UInt8(ascii: "\\"):
                advance()
                guard (try? appendEscape(to: &writer)) != nil else { return false }
            default: return false
            }
        }
    }
}
