import Captures

/// Undoes one layer of escapes in bytes: percent-encoding, the escapes of JSON and JavaScript strings, the character
/// references of HTML, and the escapes of style sheets.
///
/// Where several kinds are asked for, each escape is undone as what it looks like, in one pass. What is no whole escape
/// stays as it is. Reads every byte at most twice.
struct EscapeReader {
    struct Kinds: OptionSet, Hashable {
        let rawValue: UInt8

        /// `%41`, and `%u0041` as `escape()` of JavaScript writes it.
        static let percent = Kinds(rawValue: 1)
        /// `\u0041`, `\/`, `\n`; of JavaScript also `\x41`, `\u{41}`, `\'`, a line continued.
        static let json = Kinds(rawValue: 2)
        /// `&amp;`, `&#65;`, `&#x41;`, the last two also without semicolon.
        static let html = Kinds(rawValue: 4)
        /// `\71 `, `\000071`, see ``StyleEscapes``: what JSON has as well is read as that where both are asked for.
        static let style = Kinds(rawValue: 8)

        static let all: [Kinds] = [.percent, .json, .html, .style]
    }

    /// How far from an escape a piece of the view reaches, in bytes.
    ///
    /// Twelve characters that need more than this in one layer, of 42 bytes each, are beyond what is found.
    static let reach = 512

    private let bytes: UnsafeBufferPointer<UInt8>
    private let kinds: Kinds

    init(_ bytes: UnsafeBufferPointer<UInt8>, _ kinds: Kinds) {
        self.bytes = bytes
        self.kinds = kinds
    }

    /// The surroundings of each escape, with the escapes undone; empty where there is none.
    func view(tracksOrigins: Bool) -> ScannedView {
        var view = ScannedView(tracksOrigins: tracksOrigins)
        // Up to here the text is in the view or left out.
        var done = 0
        var isFirst = true
        var index = 0
        while let next = introducer(from: index) {
            guard let escape = escape(at: next, of: kinds) else {
                index = next + 1
                continue
            }
            if isFirst {
                view.append(bytes, max(0, next - Self.reach)..<next)
            } else if next - done > 2 * Self.reach {
                view.append(bytes, done..<done + Self.reach)
                view.append(WindowIndex.separator, from: done + Self.reach)
                view.append(bytes, next - Self.reach..<next)
            } else {
                view.append(bytes, done..<next)
            }
            isFirst = false
            append(escape.meaning, from: next, to: &view)
            done = next + escape.length
            index = done
        }
        if !isFirst { view.append(bytes, done..<min(bytes.count, done + Self.reach)) }
        return view
    }

    /// Which of the kinds have an escape in the bytes.
    func presentKinds() -> Kinds {
        var present: Kinds = []
        var index = 0
        while let next = introducer(from: index) {
            let begun: [Kinds] =
                switch bytes[next] {
                case UInt8(ascii: "%"): [.percent]
                case UInt8(ascii: "\\"): [.json, .style]
                default: [.html]
                }
            for kind in begun where kinds.contains(kind) && !present.contains(kind) {
                if escape(at: next, of: kind) != nil { present.insert(kind) }
            }
            if present == kinds { break }
            index = next + 1
        }
        return present
    }

    // MARK: - Reading

    private enum Meaning {
        case byte(UInt8)
        case scalar(UInt32)
        case nothing
    }

    private struct Escape {
        var length: Int
        var meaning: Meaning
    }

    /// The next byte that may begin an escape.
    private func introducer(from start: Int) -> Int? {
        let percent = kinds.contains(.percent) ? UInt8(ascii: "%") : 0xff
        let backslash = kinds.isDisjoint(with: [.json, .style]) ? 0xff : UInt8(ascii: "\\")
        let ampersand = kinds.contains(.html) ? UInt8(ascii: "&") : 0xff
        var index = start
        let count = bytes.count
        while index < count {
            let byte = bytes[index]
            if byte == percent || byte == backslash || byte == ampersand, byte != 0xff { return index }
            index += 1
        }
        return nil
    }

    private func escape(at index: Int, of kinds: Kinds) -> Escape? {
        switch bytes[index] {
        case UInt8(ascii: "%"): return percentEscape(at: index)
        case UInt8(ascii: "\\"):
            return (kinds.contains(.json) ? backslashEscape(at: index) : nil)
                ?? (kinds.contains(.style) ? styleEscape(at: index) : nil)
        default: return reference(at: index)
        }
    }

    private func percentEscape(at index: Int) -> Escape? {
        if let byte = hexadecimal(from: index + 1, digits: 2) {
            return Escape(length: 3, meaning: .byte(UInt8(truncatingIfNeeded: byte)))
        }
        guard index + 1 < bytes.count, bytes[index + 1] | 0x20 == UInt8(ascii: "u") else { return nil }
        return utf16Escape(at: index)
    }

    private func backslashEscape(at index: Int) -> Escape? {
        guard index + 1 < bytes.count else { return nil }
        switch bytes[index + 1] {
        case UInt8(ascii: "b"): return Escape(length: 2, meaning: .byte(0x08))
        case UInt8(ascii: "f"): return Escape(length: 2, meaning: .byte(0x0c))
        case UInt8(ascii: "n"): return Escape(length: 2, meaning: .byte(0x0a))
        case UInt8(ascii: "r"): return Escape(length: 2, meaning: .byte(0x0d))
        case UInt8(ascii: "t"): return Escape(length: 2, meaning: .byte(0x09))
        case UInt8(ascii: "v"): return Escape(length: 2, meaning: .byte(0x0b))
        case UInt8(ascii: "u"): return utf16Escape(at: index) ?? bracedEscape(at: index)
        case UInt8(ascii: "x"):
            return hexadecimal(from: index + 2, digits: 2).map { Escape(length: 4, meaning: .scalar($0)) }
        case 0x0a: return Escape(length: 2, meaning: .nothing)
        case let byte where Self.isPunctuation(byte): return Escape(length: 2, meaning: .byte(byte))
        default: return nil
        }
    }

    private func styleEscape(at index: Int) -> Escape? {
        var end = index + 1
        var scalar: UInt32 = 0
        while end < bytes.count, end <= index + StyleEscapes.longest, let digit = bytes[end].hexadecimalValue
        {
            scalar = scalar << 4 | UInt32(digit)
            end += 1
        }
        guard end - index > StyleEscapes.shortest, StyleEscapes.isText(scalar) else { return nil }
        end += StyleEscapes.lengthOfSpace(at: end, in: bytes)
        return Escape(length: end - index, meaning: .scalar(scalar))
    }

    /// A unit of UTF-16 in four digits behind two characters, or two such units that are one scalar.
    private func utf16Escape(at index: Int) -> Escape? {
        guard let first = hexadecimal(from: index + 2, digits: 4) else { return nil }
        guard 0xd800..<0xdc00 ~= first, index + 7 < bytes.count,
            bytes[index + 6] == bytes[index], bytes[index + 7] == bytes[index + 1],
            let second = hexadecimal(from: index + 8, digits: 4), 0xdc00..<0xe000 ~= second
        else { return Escape(length: 6, meaning: .scalar(first)) }
        let scalar = 0x10000 + (first - 0xd800) << 10 + (second - 0xdc00)
        return Escape(length: 12, meaning: .scalar(scalar))
    }

    /// `\u{41}`, of one to six digits.
    private func bracedEscape(at index: Int) -> Escape? {
        guard index + 2 < bytes.count, bytes[index + 2] == UInt8(ascii: "{") else { return nil }
        var scalar: UInt32 = 0
        var end = index + 3
        while end < bytes.count, end < index + 9, let digit = bytes[end].hexadecimalValue {
            scalar = scalar << 4 | UInt32(digit)
            end += 1
        }
        guard end > index + 3, end < bytes.count, bytes[end] == UInt8(ascii: "}") else { return nil }
        return Escape(length: end + 1 - index, meaning: .scalar(scalar))
    }

    private func reference(at index: Int) -> Escape? {
        guard index + 1 < bytes.count, bytes[index + 1] == UInt8(ascii: "#") else {
            return CharacterReferences.named(in: bytes, at: index + 1).map {
                Escape(length: $0.length + 2, meaning: .scalar($0.scalar))
            }
        }
        var end = index + 2
        var radix: UInt32 = 10
        if end < bytes.count, bytes[end] | 0x20 == UInt8(ascii: "x") {
            radix = 16
            end += 1
        }
        let firstDigit = end
        var scalar: UInt32 = 0
        while end < bytes.count, let digit = bytes[end].hexadecimalValue, digit < radix {
            scalar = min(scalar * radix + UInt32(digit), 0x11_0000)
            end += 1
        }
        guard end > firstDigit else { return nil }
        if end < bytes.count, bytes[end] == UInt8(ascii: ";") { end += 1 }
        return Escape(length: end - index, meaning: .scalar(scalar))
    }

    private func hexadecimal(from index: Int, digits: Int) -> UInt32? {
        guard index + digits <= bytes.count else { return nil }
        var value: UInt32 = 0
        for offset in 0..<digits {
            guard let digit = bytes[index + offset].hexadecimalValue else { return nil }
            value = value << 4 | UInt32(digit)
        }
        return value
    }

    /// ASCII punctuation and space: behind a backslash it means itself.
    private static func isPunctuation(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x20...0x2f, 0x3a...0x40, 0x5b...0x60, 0x7b...0x7e: true
        default: false
        }
    }

    private func append(_ meaning: Meaning, from origin: Int, to view: inout ScannedView) {
        switch meaning {
        case .nothing: break
        case .byte(let byte): view.append(byte, from: origin)
        case .scalar(let value):
            // What is no scalar becomes U+FFFD, as decoders write it.
            for byte in Unicode.UTF8.encode(Unicode.Scalar(value) ?? "\u{fffd}")
                ?? UTF8.encodedReplacementCharacter
            {
                view.append(byte, from: origin)
            }
        }
    }
}
