/// Reads a whole JSON text (RFC 8259) into a tree.
///
/// Unpaired surrogates and invalid UTF-8 become U+FFFD. Nesting is bounded, so that a hostile text cannot
/// exhaust the stack.
package enum JSONParser {
    /// Arrays and objects inside one another at most; far beyond what a token or a HAR entry has.
    package static let maximumDepth = 512

    /// The value that the bytes spell; white space around it is allowed, anything else is not.
    ///
    /// - Throws: ``JSONError`` at the first byte that does not fit.
    package static func parse(_ bytes: some Sequence<UInt8>) throws(JSONError) -> JSONValue {
        if let result = bytes.withContiguousStorageIfAvailable({ parse(buffer: $0) }) {
            return try result.get()
        }
        return try Array(bytes).withUnsafeBufferPointer { parse(buffer: $0) }.get()
    }

    private static func parse(buffer: UnsafeBufferPointer<UInt8>) -> Result<JSONValue, JSONError> {
        var reader = JSONReader(buffer)
        do throws(JSONError) {
            let value = try reader.value(depth: 0)
            reader.skipWhiteSpace()
            guard reader.isAtEnd else { throw reader.error("the end of the text") }
            return .success(value)
        } catch {
            return .failure(error)
        }
    }
}

/// A position in a JSON text, moved forward by what is read.
struct JSONReader {
    private let bytes: UnsafeBufferPointer<UInt8>
    private(set) var position = 0

    init(_ bytes: UnsafeBufferPointer<UInt8>) { self.bytes = bytes }

    var isAtEnd: Bool { position == bytes.count }

    /// Bytes from here to the end.
    var rest: Int { bytes.count - position }

    var current: UInt8? { position < bytes.count ? bytes[position] : nil }

    mutating func advance() { position += 1 }

    func slice(_ range: Range<Int>) -> UnsafeBufferPointer<UInt8> {
        UnsafeBufferPointer(rebasing: bytes[range])
    }

    func error(_ expected: String, at offset: Int? = nil) -> JSONError {
        JSONError(expected, at: offset ?? position, in: bytes)
    }

    mutating func skipWhiteSpace() {
        while position < bytes.count, bytes[position] <= 0x20,
            bytes[position] == 0x20 || bytes[position] == 0x0a || bytes[position] == 0x0d
                || bytes[position] == 0x09
        {
            position += 1
        }
    }

    private var opensContainer: Bool { current == UInt8(ascii: "{") || current == UInt8(ascii: "[") }

    mutating func value(depth: Int) throws(JSONError) -> JSONValue {
        skipWhiteSpace()
        guard depth < JSONParser.maximumDepth || !opensContainer else {
            throw error("at most \(JSONParser.maximumDepth) levels of nesting")
        }
        switch current {
        case UInt8(ascii: "{"): return .object(try object(depth: depth))
        case UInt8(ascii: "["): return .array(try array(depth: depth))
        case UInt8(ascii: "\""): return .string(try string())
        case UInt8(ascii: "t"): return try literal("true", .bool(true))
        case UInt8(ascii: "f"): return try literal("false", .bool(false))
        case UInt8(ascii: "n"): return try literal("null", .null)
        case .some(let byte) where byte == UInt8(ascii: "-") || Self.isDigit(byte):
            return .number(try number())
        default: throw error("a JSON value")
        }
    }

    // MARK: - Containers

    private mutating func object(depth: Int) throws(JSONError) -> JSONObject {
        position += 1
        var members: [JSONObject.Member] = []
        skipWhiteSpace()
        if current == UInt8(ascii: "}") {
            position += 1
            return JSONObject(members)
        }
        while true {
            skipWhiteSpace()
            guard current == UInt8(ascii: "\"") else { throw error("a member name in quotes") }
            let name = try string()
            skipWhiteSpace()
            guard current == UInt8(ascii: ":") else { throw error("a colon") }
            position += 1
            members.append(JSONObject.Member(name: name, value: try value(depth: depth + 1)))
            skipWhiteSpace()
            switch current {
            case UInt8(ascii: ","): position += 1
            case UInt8(ascii: "}"):
                position += 1
                return JSONObject(members)
            default: throw error("a comma or }")
            }
        }
    }

    private mutating func array(depth: Int) throws(JSONError) -> [JSONValue] {
        position += 1
        var elements: [JSONValue] = []
        skipWhiteSpace()
        if current == UInt8(ascii: "]") {
            position += 1
            return elements
        }
        while true {
            elements.append(try value(depth: depth + 1))
            skipWhiteSpace()
            switch current {
            case UInt8(ascii: ","): position += 1
            case UInt8(ascii: "]"):
                position += 1
                return elements
            default: throw error("a comma or ]")
            }
        }
    }

    // MARK: - Scalars

    private mutating func literal(_ text: StaticString, _ value: JSONValue) throws(JSONError) -> JSONValue {
        let start = position
        for index in 0..<text.utf8CodeUnitCount {
            guard current == text.utf8Start[index] else { throw error("\(text)", at: start) }
            position += 1
        }
        return value
    }

    private mutating func number() throws(JSONError) -> JSONNumber {
        let start = position
        if current == UInt8(ascii: "-") { position += 1 }
        if current == UInt8(ascii: "0") {
            position += 1
        } else {
            try digits()
        }
        if current == UInt8(ascii: ".") {
            position += 1
            try digits()
        }
        if current == UInt8(ascii: "e") || current == UInt8(ascii: "E") {
            position += 1
            if current == UInt8(ascii: "+") || current == UInt8(ascii: "-") { position += 1 }
            try digits()
        }
        return JSONNumber(text: String(decoding: bytes[start..<position], as: UTF8.self))
    }

    private mutating func digits() throws(JSONError) {
        guard let first = current, Self.isDigit(first) else { throw error("a digit") }
        while let byte = current, Self.isDigit(byte) { position += 1 }
    }

    private static func isDigit(_ byte: UInt8) -> Bool { (0x30...0x39).contains(byte) }

    /// The string that begins at the quote; leaves the position behind its closing quote.
    mutating func string() throws(JSONError) -> String {
        let start = position
        position += 1
        let plain = position
        skipPlain()
        // Most strings have no escape: found in one run and decoded in one go.
        if current == UInt8(ascii: "\"") {
            defer { position += 1 }
            return String(decoding: slice(plain..<position), as: UTF8.self)
        }
        let firstEscape = position
        try skipEscaped(start: start)
        let end = position
        position = firstEscape
        var problem: JSONError?
        // An escape is longer than what it stands for.
        let text = String(unsafeUninitializedCapacity: end - plain) { buffer in
            var writer = JSONStringWriter(buffer)
            writer.copy(slice(plain..<firstEscape))
            do throws(JSONError) {
                while position < end {
                    position += 1
                    try appendEscape(to: &writer)
                    let run = position
                    skipPlain()
                    writer.copy(slice(run..<position))
                }
            } catch {
                problem = error
            }
            return writer.count
        }
        if let problem { throw problem }
        position += 1
        return text
    }

    /// Moves to the next quote, backslash or control character, or to the end: eight bytes at a time.
    mutating func skipPlain() {
        let raw = UnsafeRawBufferPointer(bytes)
        while position + 8 <= bytes.count {
            let word = UInt64(littleEndian: raw.loadUnaligned(fromByteOffset: position, as: UInt64.self))
            // Each byte's highest bit, where the byte is one of them; wrong only behind a true one.
            let special =
                ((word &- 0x2020_2020_2020_2020) & ~word
                    | (word ^ 0x2222_2222_2222_2222).zeroBytes | (word ^ 0x5c5c_5c5c_5c5c_5c5c).zeroBytes)
                & 0x8080_8080_8080_8080
            guard special == 0 else {
                position += special.trailingZeroBitCount / 8
                return
            }
            position += 8
        }
        while position < bytes.count, bytes[position] >= 0x20, bytes[position] != UInt8(ascii: "\""),
            bytes[position] != UInt8(ascii: "\\")
        {
            position += 1
        }
    }

    /// Moves to the closing quote of a string; what the escapes are is not looked at.
    mutating func skipEscaped(start: Int) throws(JSONError) {
        while true {
            skipPlain()
            switch current {
            case UInt8(ascii: "\""): return
            case UInt8(ascii: "\\"): position = min(position + 2, bytes.count)
            case .some: throw error("an escape instead of a control character")
            case nil: throw error("a closing quote", at: start)
            }
        }
    }

    /// Reads an escape from behind its backslash on.
    mutating func appendEscape(to text: inout JSONStringWriter) throws(JSONError) {
        guard let byte = current else { throw error("a character after \\") }
        position += 1
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): text.append(byte)
        case UInt8(ascii: "b"): text.append(0x08)
        case UInt8(ascii: "f"): text.append(0x0c)
        case UInt8(ascii: "n"): text.append(0x0a)
        case UInt8(ascii: "r"): text.append(0x0d)
        case UInt8(ascii: "t"): text.append(0x09)
        case UInt8(ascii: "u"):
            let first = try hexadecimal()
            guard (0xd800..<0xdc00).contains(first), position + 1 < bytes.count,
                bytes[position] == UInt8(ascii: "\\"),
                bytes[position + 1] == UInt8(ascii: "u")
            else { return text.append(Unicode.Scalar(first) ?? "\u{fffd}") }
            let afterFirst = position
            position += 2
            let second = try hexadecimal()
            guard (0xdc00..<0xe000).contains(second) else {
                position = afterFirst
                return text.append("\u{fffd}")
            }
            let combined = 0x10000 + ((first - 0xd800) << 10) + (second - 0xdc00)
            text.append(Unicode.Scalar(combined) ?? "\u{fffd}")
        default:
            position -= 1
            throw error("one of \" \\ / b f n r t u after \\")
        }
    }

    private mutating func hexadecimal() throws(JSONError) -> UInt32 {
        var value: UInt32 = 0
        for _ in 0..<4 {
            guard let byte = current, let digit = Self.hexadecimalDigit(byte) else {
                throw error("four hexadecimal digits")
            }
            value = value << 4 | UInt32(digit)
            position += 1
        }
        return value
    }

    private static func hexadecimalDigit(_ byte: UInt8) -> UInt8? {
        switch byte {
        case 0x30...0x39: byte - 0x30
        case 0x41...0x46: byte - 0x41 + 10
        case 0x61...0x66: byte - 0x61 + 10
        default: nil
        }
    }
}
