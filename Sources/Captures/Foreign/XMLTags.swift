/// The tags of an XML document, one after the other, in windows.
///
/// Text, comments, instructions and the document's type are passed over: no entity but those of XML itself is known, and nothing
/// that a document names is looked for.
struct XMLTags {
    struct Tag {
        var name: String
        var attributes: [String: String]
        var isEnd: Bool
        /// Whether it is an element of its own: `<a/>`.
        var isEmpty: Bool
        /// From `<` to behind `>`, in the source.
        var range: Range<Int>
    }

    private let source: CaptureSource
    private var window: [UInt8] = []
    private var base = 0
    private var index = 0

    private static let windowSize = 256 << 10
    /// A tag that is longer is passed over.
    private static let longestTag = 64 << 10

    init(_ source: CaptureSource) { self.source = source }

    mutating func next() -> Tag? {
        while pass(0x3c) {
            let start = base + index - 1
            switch peek() {
            case UInt8(ascii: "!"): skipDeclaration()
            case UInt8(ascii: "?"): skip(behind: Array("?>".utf8))
            default:
                guard let text = tagText() else { continue }
                if let tag = Self.tag(text, start..<(base + index)) { return tag }
            }
        }
        return nil
    }

    /// The text of an element, sections of character data and references undone.
    static func text(_ range: Range<Int>, of source: CaptureSource) -> [UInt8] {
        let bytes = source.bytes(at: range.lowerBound, count: range.count)
        let (begin, end) = (Array("<![CDATA[".utf8), Array("]]>".utf8))
        var text: [UInt8] = []
        var place = 0
        while let open = ByteSearch.index(of: begin, in: bytes, from: place) {
            text += plain(bytes[place..<open])
            let data = open + begin.count
            let close = ByteSearch.index(of: end, in: bytes, from: data) ?? bytes.count
            text += bytes[data..<close]
            place = min(bytes.count, close + end.count)
        }
        return text + plain(bytes[place...])
    }

    private static func plain(_ bytes: ArraySlice<UInt8>) -> [UInt8] {
        bytes.contains(0x26) ? Array(HTMLText.decode(bytes).utf8) : Array(bytes)
    }

    // MARK: - Bytes

    private mutating func peek() -> UInt8? {
        if index < window.count { return window[index] }
        base += index
        index = 0
        window = source.bytes(at: base, count: Self.windowSize)
        return window.first
    }

    /// Moves behind the next of these bytes; false where there is none.
    private mutating func pass(_ byte: UInt8) -> Bool {
        while peek() != nil {
            if let found = window[index...].firstIndex(of: byte) {
                index = found + 1
                return true
            }
            index = window.count
        }
        return false
    }

    /// Moves behind a text, or to the end.
    private mutating func skip(behind text: [UInt8]) {
        var last: [UInt8] = []
        while let byte = peek() {
            index += 1
            last.append(byte)
            if last.count > text.count { last.removeFirst() }
            if last == text { return }
            // Most of what is passed over is far from its end.
            if byte != text[0], !text.contains(byte) {
                guard pass(text[0]) else { return }
                last = [text[0]]
            }
        }
    }

    /// A comment, a section of character data, or the document's type with what it declares.
    private mutating func skipDeclaration() {
        index += 1
        if peek() == UInt8(ascii: "-") { return skip(behind: Array("-->".utf8)) }
        var depth = 0
        var head: [UInt8] = []
        while let byte = peek() {
            index += 1
            if head.count < 7 {
                head.append(byte)
                if head == Array("[CDATA[".utf8) { return skip(behind: Array("]]>".utf8)) }
            }
            switch byte {
            case UInt8(ascii: "["): depth += 1
            case UInt8(ascii: "]"): depth -= 1
            case UInt8(ascii: ">") where depth <= 0: return
            default: break
            }
        }
    }

    /// What stands between `<` and `>`; nil where it never ends or is too long.
    private mutating func tagText() -> [UInt8]? {
        var text: [UInt8] = []
        var quote: UInt8?
        while let byte = peek(), text.count < Self.longestTag {
            index += 1
            if let open = quote {
                if byte == open { quote = nil }
            } else if byte == 0x22 || byte == 0x27 {
                quote = byte
            } else if byte == UInt8(ascii: ">") {
                return text
            }
            text.append(byte)
        }
        return nil
    }

    private static func tag(_ text: [UInt8], _ range: Range<Int>) -> Tag? {
        let isEnd = text.first == UInt8(ascii: "/")
        let isEmpty = text.last == UInt8(ascii: "/")
        var rest = text[...].dropFirst(isEnd ? 1 : 0).dropLast(isEmpty && !isEnd ? 1 : 0)
        let name = rest.prefix { $0 > 0x20 }
        guard !name.isEmpty else { return nil }
        rest = rest.dropFirst(name.count)
        var attributes: [String: String] = [:]
        while let equals = rest.firstIndex(of: UInt8(ascii: "=")) {
            let key = rest[..<equals].filter { $0 > 0x20 }
            rest = rest[(equals + 1)...].drop { $0 <= 0x20 }
            guard let quote = rest.first, quote == 0x22 || quote == 0x27 else { break }
            let value = rest.dropFirst().prefix { $0 != quote }
            attributes[String(decoding: key, as: UTF8.self)] = HTMLText.decode(value)
            rest = rest.dropFirst(value.count + 2)
        }
        return Tag(
            name: String(decoding: name, as: UTF8.self),
            attributes: attributes,
            isEnd: isEnd,
            isEmpty: isEmpty,
            range: range
        )
    }
}
