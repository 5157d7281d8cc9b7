/// Finds names with values of an index in a text, in every syntax that joins a name to a value.
///
/// - `name=value`: queries, fragments, forms, `Cookie`, `Set-Cookie`, attributes, with or without quotes;
/// - `name: value`: members of JSON (elements of an array too) and of JavaScript, header lines;
/// - `name="name"` or `id="name"` (`type`, `kind` …) with `value=` or `content=` (`secret` …) in one tag, and the text
///   behind it (`<textarea>`), in any order; the same as members of one JSON object; the text of an XML element of that
///   name;
/// - a part of `multipart/form-data`.
///
/// Escapes are not its business: it is shown each view of a text. Its time is linear in the length of the text.
struct NamedValueScan {
    private let index: NamedValueIndex
    private let view: UnsafeBufferPointer<UInt8>
    private let limit: Int
    private var matches: [TextScan.Finding] = []
    /// The names that `name="…"` gave in this tag, this object or this part of a form.
    private var given: [Int] = []
    /// Where values that belong to such a name begin in this tag or object.
    private var starts: [Int] = []
    /// The name of this element.
    private var element: Int?

    /// More names or values in one tag are no form of this world.
    private static let maximumGiven = 8
    private static let maximumSpace = 8
    /// Members and attributes that say what the value beside them is called.
    private static let naming: [StaticString] = [
        "name", "id", "type", "typ", "key", "kind", "method", "field", "factor",
    ]
    /// Members and attributes that hold that value.
    private static let valued: [StaticString] = [
        "value", "content", "val", "secret", "data", "answer", "credential",
    ]
    /// How far into an array its elements are looked at, in bytes.
    private static let maximumArray = 256

    init(_ index: NamedValueIndex, _ view: UnsafeBufferPointer<UInt8>, limit: Int) {
        self.index = index
        self.view = view
        self.limit = limit
    }

    /// The first matches.
    ///
    /// `context`: names under which the whole text stands; the second of two words (`Bearer abc`) counts too.
    mutating func run(context: [Int]) -> [TextScan.Finding] {
        guard !index.isEmpty else { return [] }
        for name in context { whole(name) }
        for position in 0..<view.count {
            switch view[position] {
            case UInt8(ascii: "="), UInt8(ascii: ":"): joined(at: position)
            case UInt8(ascii: "<"): tag(at: position)
            case UInt8(ascii: "{"): forget()
            case UInt8(ascii: ">"): elementText(at: position + 1)
            case 0x0a: emptyLine(at: position)
            default: continue
            }
            if matches.count >= limit { break }
        }
        return matches
    }

    // MARK: - Where values begin

    private mutating func whole(_ name: Int) {
        check(name, 0..<view.count)
        guard let space = view.firstIndex(of: 0x20), view.lastIndex(of: 0x20) == space else { return }
        check(name, space + 1..<view.count)
    }

    /// A `=` or `:` joins what is before it to what is behind it.
    private mutating func joined(at position: Int) {
        guard let (end, quote) = wordEnd(before: position) else { return }
        let start = skippingSpace(from: position + 1)
        for length in index.nameLengths(endingIn: view[end - 1])
        where isWord(end - length, end, quote) {
            guard let name = index.name(in: view, end - length..<end) else { continue }
            value(name, at: start)
        }
        if Self.naming.contains(where: { isWord($0, end, quote) }) {
            give(at: start)
        } else if Self.valued.contains(where: { isWord($0, end, quote) }) {
            for name in given { value(name, at: start) }
            if starts.count < Self.maximumGiven { starts.append(start) }
        }
    }

    /// A known name that stands here as the value of `name` or `id`.
    private mutating func give(at position: Int) {
        guard position < view.count else { return }
        let isQuoted = Self.isQuote(view[position])
        let start = isQuoted ? position + 1 : position
        for length in index.nameLengths where start + length <= view.count {
            let end = start + length
            guard isQuoted ? end < view.count && view[end] == view[position] : isEnd(end),
                let name = index.name(in: view, start..<end)
            else { continue }
            for value in starts { self.value(name, at: value) }
            if given.count < Self.maximumGiven { given.append(name) }
        }
    }

    /// A tag begins: what the one before gave is over; its own name names its text.
    private mutating func tag(at position: Int) {
        forget()
        var start = position + 1
        var end = start
        while end < view.count, end - start < 64, isNameByte(view[end]) || view[end] == UInt8(ascii: ":") {
            if view[end] == UInt8(ascii: ":") { start = end + 1 }
            end += 1
        }
        element = end > start ? index.name(in: view, start..<end) : nil
    }

    private mutating func elementText(at position: Int) {
        let start = skippingSpace(from: position)
        if let element { unquoted(element, at: start, endsAt: isElementEnd) }
        for name in given { unquoted(name, at: start, endsAt: isElementEnd) }
        element = nil
    }

    /// An empty line parts the headers of a part of a form from its value.
    private mutating func emptyLine(at position: Int) {
        guard !given.isEmpty else { return }
        var next = position + 1
        if next < view.count, view[next] == 0x0d { next += 1 }
        guard next < view.count, view[next] == 0x0a else { return }
        for name in given { unquoted(name, at: next + 1, endsAt: isLineEnd) }
        forget()
    }

    private mutating func forget() {
        if !given.isEmpty { given.removeAll(keepingCapacity: true) }
        if !starts.isEmpty { starts.removeAll(keepingCapacity: true) }
        element = nil
    }

    // MARK: - Values

    /// A value that begins here, or values in brackets.
    private mutating func value(_ name: Int, at start: Int) {
        guard start < view.count else { return }
        guard view[start] == UInt8(ascii: "[") else { return single(name, at: start) }
        let end = min(view.count, start + Self.maximumArray)
        var position = start
        while position < end, view[position] != UInt8(ascii: "]") {
            if view[position] == UInt8(ascii: ",") || position == start {
                single(name, at: skippingSpace(from: position + 1))
            }
            position += 1
        }
    }

    private mutating func single(_ name: Int, at start: Int) {
        guard start < view.count else { return }
        if Self.isQuote(view[start]) {
            for length in index.valueLengths(of: name) {
                let end = start + 1 + length
                guard end < view.count else { break }
                if view[end] == view[start] { check(name, start + 1..<end) }
            }
        }
        unquoted(name, at: start, endsAt: isEnd)
    }

    private mutating func unquoted(_ name: Int, at start: Int, endsAt isEnd: (Int) -> Bool) {
        for length in index.valueLengths(of: name) {
            guard start + length <= view.count else { break }
            if isEnd(start + length) { check(name, start..<start + length) }
        }
    }

    private mutating func check(_ name: Int, _ range: Range<Int>) {
        guard matches.count < limit, let value = index.value(of: name, in: view, range) else { return }
        let match = TextScan.Finding(
            range: range,
            kind: value.kind,
            encodings: value.encodings,
            characters: value.characters
        )
        if !matches.contains(match) { matches.append(match) }
    }

    // MARK: - Words

    /// Where the word before a joint ends, and the quote that closes it.
    private func wordEnd(before position: Int) -> (end: Int, quote: UInt8?)? {
        var end = position
        while end > 0, position - end < Self.maximumSpace, Self.isSpace(view[end - 1]) { end -= 1 }
        guard end > 0 else { return nil }
        guard Self.isQuote(view[end - 1]) else { return (end, nil) }
        return end > 1 ? (end - 1, view[end - 1]) : nil
    }

    /// Whether a word can begin at `start`, so that it is this one and not the end of a longer one.
    private func isWord(_ start: Int, _ end: Int, _ quote: UInt8?) -> Bool {
        guard start >= 0 else { return false }
        if let quote { return start > 0 && view[start - 1] == quote }
        return start == 0 || !isNameByte(view[start - 1])
    }

    private func isWord(_ word: StaticString, _ end: Int, _ quote: UInt8?) -> Bool {
        let start = end - word.utf8CodeUnitCount
        guard isWord(start, end, quote) else { return false }
        for offset in 0..<word.utf8CodeUnitCount
        where WindowIndex.folded(view[start + offset]) != word.utf8Start[offset] { return false }
        return true
    }

    private func skippingSpace(from start: Int) -> Int {
        var position = start
        while position < view.count, position - start < Self.maximumSpace, Self.isSpace(view[position]) {
            position += 1
        }
        return position
    }

    /// Whether a value without quotes can end before this byte.
    private func isEnd(_ position: Int) -> Bool {
        guard position < view.count else { return true }
        switch view[position] {
        case ...0x20, 0x7f, 0xff: return true
        case UInt8(ascii: "&"), UInt8(ascii: ";"), UInt8(ascii: ","), UInt8(ascii: "#"), UInt8(ascii: "\""),
            UInt8(ascii: "'"), UInt8(ascii: "`"), UInt8(ascii: "<"), UInt8(ascii: ">"), UInt8(ascii: "}"),
            UInt8(ascii: "]"), UInt8(ascii: ")"), UInt8(ascii: "|"), UInt8(ascii: "\\"):
            return true
        default: return false
        }
    }

    /// Whether a tag follows, perhaps behind white space.
    private func isElementEnd(_ position: Int) -> Bool {
        let end = skippingSpace(from: position)
        return end < view.count && view[end] == UInt8(ascii: "<")
    }

    /// Whether a line ends here.
    private func isLineEnd(_ position: Int) -> Bool {
        position == view.count || view[position] == 0x0d || view[position] == 0x0a
            || view[position] == WindowIndex.separator
    }

    private func isNameByte(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x30...0x39, 0x41...0x5a, 0x61...0x7a, UInt8(ascii: "_"), UInt8(ascii: "-"), UInt8(ascii: "."),
            UInt8(ascii: "$"), 0x80...0xfe:
            true
        default: false
        }
    }

    private static func isQuote(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "'")
    }

    private static func isSpace(_ byte: UInt8) -> Bool {
        byte == 0x20 || byte == 0x09 || byte == 0x0a || byte == 0x0d
    }
}
