import Captures

/// An encoding whose characters can be told apart: each decoded byte knows from where it came.
enum TextCoding: Sendable, CaseIterable {
    /// `%XX` (RFC 3986, section 2.1).
    case percent
    /// The same with `+` for a space.
    case form
    /// `\"`, `\/`, `\u0041`, and `\x41` as scripts write it (RFC 8259, section 7); any mark, as patterns and Markdown have them.
    case escapes
    /// `&amp;`, `&uuml;`, `&#65;`, `&#x41;`, the last two also without their semicolon (HTML, section 13.2.5.80).
    case entities
    /// A line break with a space or a tab behind it says that the line goes on (RFC 6350, section 3.2).
    case folds
    /// `=C3=BC`; see ``QuotedPrintable``.
    case quoted
    /// `\71 `; see ``StyleEscapes``.
    case styles
    /// Escapes, and what stands between the pieces of a text; see ``StreamedScripts``.
    case streamed

    /// Whether a text has anything to decode.
    func mayApply(to text: ArraySlice<UInt8>) -> Bool {
        switch self {
        case .percent: text.contains(0x25)
        case .form: text.contains(0x2b)
        case .escapes: text.contains(0x5c)
        case .entities: text.contains(0x26) && (text.contains(0x3b) || text.contains(0x23))
        // Other texts have such line breaks and quotation marks that mean nothing.
        case .folds, .streamed: false
        case .quoted: QuotedPrintable.mayApply(to: text)
        case .styles: StyleEscapes.mayApply(to: text)
        }
    }

    func decoded(_ text: ArraySlice<UInt8>) -> DecodedText {
        var output = DecodedText(raw: text)
        var index = text.startIndex
        while index < text.endIndex {
            if let (bytes, length) = escape(at: index, in: text) {
                output.append(bytes, from: index)
                index += length
            } else {
                let end = text[(index + 1)...].firstIndex(where: mayBeginEscape) ?? text.endIndex
                output.append(text[index..<end])
                index = end
            }
        }
        return output
    }

    private func mayBeginEscape(_ byte: UInt8) -> Bool {
        switch self {
        case .percent: byte == 0x25
        case .form: byte == 0x25 || byte == 0x2b
        case .escapes, .styles: byte == 0x5c
        case .entities: byte == 0x26
        case .folds: byte == 0x0a || byte == 0x0d
        case .streamed: byte == 0x5c || byte == 0x22
        case .quoted: byte == 0x3d
        }
    }

    /// What an escape stands for, and its length; nil where none begins.
    private func escape(at index: Int, in text: ArraySlice<UInt8>) -> (bytes: [UInt8], length: Int)? {
        switch self {
        case .form where text[index] == 0x2b: return ([0x20], 1)
        case .percent, .form:
            guard text[index] == 0x25 else { return nil }
            if let value = Self.number(text, index + 1, digits: 2) { return ([UInt8(value)], 3) }
            // As `escape()` of scripts writes it.
            guard index + 1 < text.endIndex, text[index + 1] | 0x20 == 0x75 else { return nil }
            return Self.number(text, index + 2, digits: 4).flatMap { Self.utf8($0) }.map { ($0, 6) }
        case .escapes:
            guard text[index] == 0x5c, index + 1 < text.endIndex else { return nil }
            return ByteEscapes.byte(at: index, in: text).map { ([$0], 4) }
                ?? Self.backslash(at: index, in: text)
        case .entities:
            guard text[index] == 0x26 else { return nil }
            return Self.entity(at: index, in: text)
        case .folds:
            let mark = text[index...].prefix(2).starts(with: [0x0d, 0x0a]) ? index + 1 : index
            guard text[mark] == 0x0a || text[mark] == 0x0d, mark + 1 < text.endIndex,
                [0x20, 0x09].contains(text[mark + 1])
            else { return nil }
            return ([], mark + 2 - index)
        case .quoted: return QuotedPrintable.escape(at: index, in: text)
        case .styles: return StyleEscapes.escape(at: index, in: text)
        case .streamed:
            return StreamedScripts.lengthOfJoint(at: index, in: text).map { ([], $0) }
                ?? Self.escapes.escape(at: index, in: text)
        }
    }

    private static func backslash(at index: Int, in text: ArraySlice<UInt8>) -> ([UInt8], Int)? {
        switch text[index + 1] {
        case 0x20...0x2f, 0x3a...0x40, 0x5b...0x60, 0x7b...0x7e: return ([text[index + 1]], 2)
        // `\101`, as scripts wrote it once (ECMAScript, annex B.1.2), and C does.
        case 0x30, 0x31: return octal(at: index, in: text).map { ([$0], 4) }
        case 0x62: return ([0x08], 2)
        case 0x66: return ([0x0c], 2)
        case 0x6e: return ([0x0a], 2)
        case 0x72: return ([0x0d], 2)
        case 0x74: return ([0x09], 2)
        case 0x78: return number(text, index + 2, digits: 2).flatMap { utf8($0) }.map { ($0, 4) }
        case 0x75:
            guard let unit = number(text, index + 2, digits: 4) else { return braced(at: index, in: text) }
            if (0xd800..<0xdc00).contains(unit), index + 11 < text.endIndex, text[index + 6] == 0x5c,
                text[index + 7] == 0x75, let low = number(text, index + 8, digits: 4),
                (0xdc00..<0xe000).contains(low)
            {
                return utf8(0x10000 + (unit - 0xd800) << 10 + (low - 0xdc00)).map { ($0, 12) }
            }
            return utf8(unit).map { ($0, 6) }
        default: return nil
        }
    }

    /// A character of ASCII by three octal digits.
    private static func octal(at index: Int, in text: ArraySlice<UInt8>) -> UInt8? {
        let digits = text[(index + 1)...].prefix(3)
        guard digits.count == 3, digits.allSatisfy({ (0x30...0x37).contains($0) }) else { return nil }
        let value = digits.reduce(0) { $0 << 3 | ($1 - 0x30) }
        return (0x20..<0x7f).contains(value) ? value : nil
    }

    /// `\u{41}`, as scripts write it.
    private static func braced(at index: Int, in text: ArraySlice<UInt8>) -> ([UInt8], Int)? {
        guard index + 2 < text.endIndex, text[index + 2] == 0x7b,
            let end = text[index...].prefix(10).firstIndex(of: 0x7d),
            let value = Int(String(decoding: text[(index + 3)..<end], as: UTF8.self), radix: 16)
        else { return nil }
        return utf8(value).map { ($0, end - index + 1) }
    }

    private static func entity(at index: Int, in text: ArraySlice<UInt8>) -> ([UInt8], Int)? {
        if text[(index + 1)...].first == 0x23 { return reference(at: index, in: text) }
        let end = text[(index + 1)...].prefix(20).prefix { $0 != 0x3b }.endIndex
        guard end < text.endIndex, text[end] == 0x3b else { return nil }
        let reference = text.withUnsafeBufferPointer {
            CharacterReferences.named(in: $0, at: index + 1 - text.startIndex)
        }
        return reference.flatMap { utf8(Int($0.scalar)) }.map { ($0, end - index + 1) }
    }

    /// `&#65;`, `&#x41`.
    private static func reference(at index: Int, in text: ArraySlice<UInt8>) -> ([UInt8], Int)? {
        let isHexadecimal = text[(index + 2)...].first.map { $0 | 0x20 } == 0x78
        let digits = text[(index + (isHexadecimal ? 3 : 2))...].prefix(18)
            .prefix { isHexadecimal ? $0.isHexadecimalDigit : $0.isASCIIDigit }
        guard let value = Int(String(decoding: digits, as: UTF8.self), radix: isHexadecimal ? 16 : 10),
            let bytes = utf8(value)
        else { return nil }
        let isEnded = text[digits.endIndex...].first == 0x3b
        return (bytes, digits.endIndex - index + (isEnded ? 1 : 0))
    }

    private static func number(_ text: ArraySlice<UInt8>, _ start: Int, digits: Int) -> Int? {
        guard start + digits <= text.endIndex else { return nil }
        var value = 0
        for byte in text[start..<(start + digits)] {
            guard let digit = byte.hexadecimalValue else { return nil }
            value = value << 4 | Int(digit)
        }
        return value
    }

    private static func utf8(_ value: Int) -> [UInt8]? {
        UInt32(exactly: value).flatMap(Unicode.Scalar.init).map { Array(String(Character($0)).utf8) }
    }

    // MARK: - Back

    /// Writes bytes as this coding wants them, in the manner of an escape that stood there.
    func append(_ byte: UInt8, like raw: ArraySlice<UInt8>, to output: inout [UInt8]) {
        let wasEscaped = raw.count > 1
        switch self {
        case .percent, .form:
            if self == .form, byte == 0x20, !wasEscaped { return output.append(0x2b) }
            guard wasEscaped || !byte.isUnreserved else { return output.append(byte) }
            let isLower = raw.contains { (0x61...0x66).contains($0) }
            output += raw.count == 6 ? Array("%u00".utf8) : [0x25]
            output += Hexadecimal.digits(of: byte, isUppercase: !isLower)
        case .escapes:
            guard wasEscaped || byte < 0x20 || byte == 0x22 || byte == 0x5c else {
                return output.append(byte)
            }
            if raw.count == 4 {
                output += ByteEscapes.writing(byte, like: raw)
                return
            }
            let isLower = !raw.contains { (0x41...0x46).contains($0) }
            if raw.contains(0x7b) {
                output += Array("\\u{\(String(byte, radix: 16))}".utf8)
                return
            }
            output += Array("\\u00".utf8)
            output += Hexadecimal.digits(of: byte, isUppercase: !isLower)
        case .entities:
            guard wasEscaped || [0x22, 0x26, 0x27, 0x3c, 0x3e].contains(byte) else {
                return output.append(byte)
            }
            let isHexadecimal = raw.dropFirst(2).first.map { $0 | 0x20 } == 0x78
            let digits = isHexadecimal ? "x" + String(byte, radix: 16) : String(byte)
            output += Array("&#\(digits);".utf8)
        // The line breaks behind it stay where they are.
        case .folds: output += [byte] + raw.dropFirst()
        case .quoted: QuotedPrintable.append(byte, like: raw, to: &output)
        case .styles: StyleEscapes.append(byte, like: raw, to: &output)
        // What stands between two pieces is behind the escape of the last byte of the first.
        case .streamed:
            let end = raw.dropFirst(raw.first == 0x5c ? 2 : 1).firstIndex(of: 0x22) ?? raw.endIndex
            Self.escapes.append(byte, like: raw[..<end], to: &output)
            output += raw[end...]
        }
    }
}
