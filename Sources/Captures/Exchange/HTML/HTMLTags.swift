/// The tags of some names in a page, one after the other; everything between them is passed over.
struct HTMLTags: Sequence, IteratorProtocol {
    struct Tag {
        /// In lower case; an end tag keeps its slash.
        var name: String
        var attributes: [(name: String, value: String)]

        /// Of a field, as its attribute has it where nothing else is known; nil without.
        var value: String? {
            get { attribute("value") }
            set {
                attributes.removeAll { $0.name == "value" }
                if let newValue { attributes.append(("value", newValue)) }
            }
        }

        func attribute(_ name: String) -> String? { attributes.first { $0.name == name }?.value }
    }

    private let bytes: [UInt8]
    private let names: [StaticString]
    private var position = 0
    /// Where the tag that was found last begins.
    private var beginning = 0

    /// `names`: in lower case, those of end tags with their slash.
    init(_ page: [UInt8], of names: [StaticString]) {
        bytes = page
        self.names = names
    }

    /// Whether a tag of this name may be in a page, in a comment or script perhaps.
    static func isBegun(_ name: StaticString, in page: [UInt8]) -> Bool {
        var tags = HTMLTags(page, of: [])
        while let open = tags.index(of: 0x3c) {
            tags.position = open + 1
            let end = tags.position + name.utf8CodeUnitCount
            if end <= tags.bytes.count, tags.equals(name, tags.position..<end) { return true }
        }
        return false
    }

    mutating func next() -> Tag? {
        while position < bytes.count {
            guard let open = index(of: 0x3c), open + 1 < bytes.count else { break }
            position = open + 1
            if bytes[position] == 0x21 || bytes[position] == 0x3f {
                skipDeclaration()
                continue
            }
            let start = position
            if bytes[position] == 0x2f { position += 1 }
            guard position < bytes.count, Self.isLetter(bytes[position]) else { continue }
            while position < bytes.count, !Self.endsName(bytes[position]) { position += 1 }
            let end = position
            if let name = names.first(where: { equals($0, start..<end) }) {
                beginning = open
                return Tag(name: name.description, attributes: attributes())
            }
            _ = attributes(areWanted: false)
            if let name = Self.raw.first(where: { equals($0, start..<end) }) { skipRawText(until: name) }
        }
        position = bytes.count
        return nil
    }

    /// The words from the end of the last tag to the beginning of the next of these names, other tags left out and white
    /// space run together; at most so many bytes of the page are looked at.
    mutating func words(limit: Int) -> String {
        let start = position
        let end = next() == nil ? bytes.count : beginning
        position = Swift.max(start, end)
        let text = bytes[start..<position].prefix(limit).withUnsafeBufferPointer {
            HTMLWords.outsideOfTags($0)
        }
        return HTMLText.decode(text).split(whereSeparator: \.isWhitespace).joined(separator: " ")
    }

    /// What stands in the element of text alone that the last tag began, without a line break at its beginning (HTML, section 13.1.2.5).
    mutating func text(of name: StaticString) -> String {
        let start = position
        skipRawText(until: name)
        var text = bytes[start..<position]
        if text.first == 0x0d { text.removeFirst() }
        if text.first == 0x0a { text.removeFirst() }
        return HTMLText.decode(text)
    }

    /// What stands in the script that the last tag began, as it is written.
    mutating func script() -> ArraySlice<UInt8> {
        let start = position
        skipRawText(until: "script")
        return bytes[start..<position]
    }

    private mutating func skipDeclaration() {
        if bytes[position...].starts(with: [0x21, 0x2d, 0x2d]) {
            let open = position - 1
            position = bytes.withUnsafeBufferPointer { HTMLWords.commentEnd(at: open, in: $0) }
        } else {
            position = bytes[position...].firstIndex(of: 0x3e).map { $0 + 1 } ?? bytes.count
        }
    }

    private static let raw: [StaticString] = ["script", "style"]

    private mutating func skipRawText(until name: StaticString) {
        while let open = index(of: 0x3c) {
            position = open
            let start = open + 2
            if start <= bytes.count, bytes[open + 1] == 0x2f,
                equals(name, start..<Swift.min(start + name.utf8CodeUnitCount, bytes.count))
            {
                return
            }
            position += 1
        }
        position = bytes.count
    }

    /// The next place of a byte.
    private func index(of byte: UInt8) -> Int? {
        bytes.withUnsafeBufferPointer { ByteSearch.index(of: byte, in: $0, position..<bytes.count) }
    }

    /// Whether a name in lower case stands there, in any case.
    private func equals(_ name: StaticString, _ range: Range<Int>) -> Bool {
        guard range.count == name.utf8CodeUnitCount else { return false }
        return range.indices.allSatisfy {
            bytes[$0].asciiLowercased == name.utf8Start[$0 - range.lowerBound]
        }
    }

    private mutating func attributes(areWanted: Bool = true) -> [(name: String, value: String)] {
        var result: [(String, String)] = []
        while position < bytes.count {
            while position < bytes.count, bytes[position].isASCIIWhiteSpace || bytes[position] == 0x2f {
                position += 1
            }
            guard position < bytes.count else { break }
            if bytes[position] == 0x3e {
                position += 1
                break
            }
            let start = position
            repeat {
                position += 1
            } while position < bytes.count && !Self.endsName(bytes[position]) && bytes[position] != 0x3d
            let name = start..<position
            while position < bytes.count, bytes[position].isASCIIWhiteSpace { position += 1 }
            var value: ArraySlice<UInt8> = []
            if position < bytes.count, bytes[position] == 0x3d {
                position += 1
                value = attributeValue()
            }
            guard areWanted else { continue }
            let text = String(decoding: bytes[name], as: UTF8.self)
            result.append((text.lowercased(), HTMLText.decode(value)))
        }
        return result
    }

    private mutating func attributeValue() -> ArraySlice<UInt8> {
        while position < bytes.count, bytes[position].isASCIIWhiteSpace { position += 1 }
        guard position < bytes.count else { return [] }
        let quote = bytes[position]
        if quote == 0x22 || quote == 0x27 {
            let start = position + 1
            let end = bytes[start...].firstIndex(of: quote) ?? bytes.count
            position = Swift.min(end + 1, bytes.count)
            return bytes[start..<end]
        }
        let start = position
        while position < bytes.count, !bytes[position].isASCIIWhiteSpace, bytes[position] != 0x3e {
            position += 1
        }
        return bytes[start..<position]
    }

    private static func isLetter(_ byte: UInt8) -> Bool { byte.isASCIILetter }
    private static func endsName(_ byte: UInt8) -> Bool {
        byte.isASCIIWhiteSpace || byte == 0x3e || byte == 0x2f
    }
}
