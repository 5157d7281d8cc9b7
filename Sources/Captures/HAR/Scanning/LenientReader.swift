import JSON

/// Reads JSON of hands and programs that do not quite write it, value by value, and gives it back as JSON.
///
/// Taken are: comments, commas too many or missing, names and strings in single quotes, bare names, control characters and
/// unknown escapes in strings, `NaN`, `Infinity`, `undefined` and Python's words (all `null` or what they mean), numbers
/// with a plus, leading zeros or no digits on one side of the point. Holds one window and the value it was asked for.
struct LenientReader {
    /// The first byte that is of no use.
    struct Problem: Error {
        var offset: Int
        var line: Int
        var expected: String
        /// The text ends inside the value.
        var isEnd: Bool
    }

    private let source: CaptureSource
    private var window: [UInt8] = []
    private var base: Int
    private var index = 0
    /// From 1.
    private(set) var line: Int

    private static let windowSize = 256 << 10
    /// What a word or a number has at most.
    private static let longestWord = 400

    init(_ source: CaptureSource, at offset: Int = 0, line: Int = 1) {
        self.source = source
        base = offset
        self.line = line
    }

    /// In the source.
    var position: Int { base + index }

    /// The next byte; nil at the end.
    mutating func peek() -> UInt8? {
        if index < window.count { return window[index] }
        base += index
        index = 0
        window = source.bytes(at: base, count: Self.windowSize)
        return window.first
    }

    /// Moves over the byte that ``peek()`` gives; at the end nowhere.
    mutating func advance() {
        guard peek() != nil else { return }
        if window[index] == 0x0a { line += 1 }
        index += 1
    }

    /// Goes to another place, whose line the caller knows.
    mutating func seek(to offset: Int, line: Int) {
        self.line = line
        if offset >= base, offset - base <= window.count {
            index = offset - base
        } else {
            base = offset
            index = 0
            window = []
        }
    }

    func problem(_ expected: String, isEnd: Bool = false) -> Problem {
        Problem(offset: position, line: line, expected: expected, isEnd: isEnd)
    }

    /// Moves over white space, byte order marks, NUL bytes and comments.
    mutating func skipSpace() {
        while let byte = peek() {
            switch byte {
            case 0...0x20, 0xef, 0xbb, 0xbf, 0xc2, 0xa0: advance()
            case UInt8(ascii: "/"):
                guard skipComment() else { return }
            default: return
            }
        }
    }

    /// False where the slash begins no comment, and stays.
    private mutating func skipComment() -> Bool {
        let start = (position, line)
        advance()
        switch peek() {
        case UInt8(ascii: "/"):
            while let byte = peek(), byte != 0x0a { advance() }
            return true
        case UInt8(ascii: "*"):
            advance()
            var last: UInt8 = 0
            while let byte = peek() {
                advance()
                if last == UInt8(ascii: "*"), byte == UInt8(ascii: "/") { return true }
                last = byte
            }
            return true
        default:
            seek(to: start.0, line: start.1)
            return false
        }
    }

    // MARK: - Values

    /// Where the reading of one value stands.
    private struct Nesting {
        enum Want {
            case value, element, name, after
        }

        var want = Want.value
        /// The brackets that are open.
        private(set) var open: [UInt8] = []
        /// Of each of these, whether there is an element in it.
        private var hasElements: [Bool] = []

        /// Whether the value has been read.
        var isDone: Bool { want == .after && open.isEmpty }
        var isInObject: Bool { open.last == UInt8(ascii: "{") }

        mutating func enter(_ bracket: UInt8) {
            open.append(bracket)
            hasElements.append(false)
            want = isInObject ? .name : .element
        }

        mutating func leave() {
            open.removeLast()
            hasElements.removeLast()
            want = .after
        }

        /// Whether the element that begins now is not the first one.
        mutating func beginElement() -> Bool {
            guard let last = hasElements.indices.last else { return false }
            defer { hasElements[last] = true }
            return hasElements[last]
        }
    }

    /// Reads one value; nil where it is nested too deeply.
    ///
    /// - Throws: as ``value(into:keep:)`` does.
    mutating func value() throws(Problem) -> JSONValue? {
        var json: [UInt8] = []
        try value(into: &json)
        return try? JSONParser.parse(json)
    }

    /// Reads one value and appends it to `out` as JSON, where it is kept.
    ///
    /// - Throws: ``Problem``; the position is then where it lies.
    mutating func value(into out: inout [UInt8], keep: Bool = true) throws(Problem) {
        var nesting = Nesting()
        repeat {
            skipSpace()
            guard let byte = peek() else { throw problem("the rest of a value", isEnd: true) }
            switch nesting.want {
            case .element where byte == UInt8(ascii: "]"), .name where byte == UInt8(ascii: "}"):
                advance()
                if keep { out.append(byte) }
                nesting.leave()
            case .element where byte == UInt8(ascii: ","), .name where byte == UInt8(ascii: ","): advance()
            case .name:
                if nesting.beginElement(), keep { out.append(UInt8(ascii: ",")) }
                try name(byte, &out, keep)
                nesting.want = .value
            case .element:
                if nesting.beginElement(), keep { out.append(UInt8(ascii: ",")) }
                try begin(byte, &nesting, &out, keep)
            case .value: try begin(byte, &nesting, &out, keep)
            case .after: try passComma(byte, &nesting)
            }
        } while !nesting.isDone
    }

    /// Enters an object or a list, or reads what is neither.
    private mutating func begin(_ byte: UInt8, _ nesting: inout Nesting, _ out: inout [UInt8], _ keep: Bool)
        throws(Problem)
    {
        guard byte == UInt8(ascii: "{") || byte == UInt8(ascii: "[") else {
            try scalar(byte, isMember: nesting.want == .value && !nesting.open.isEmpty, &out, keep)
            nesting.want = .after
            return
        }
        guard nesting.open.count < Self.maximumDepth else {
            throw problem("at most \(Self.maximumDepth) levels of nesting")
        }
        advance()
        if keep { out.append(byte) }
        nesting.enter(byte)
    }

    /// Moves over the comma behind an element, where one is there.
    private mutating func passComma(_ byte: UInt8, _ nesting: inout Nesting) throws(Problem) {
        nesting.want = nesting.isInObject ? .name : .element
        let close: UInt8 = nesting.isInObject ? 0x7d : 0x5d
        if byte == UInt8(ascii: ",") {
            advance()
        } else if byte != close, !Self.beginsNext(byte, isName: nesting.isInObject) {
            throw problem("a comma or \(nesting.isInObject ? "}" : "]")")
        }
    }

    /// One less than the parser's, for what an entry is put into.
    private static let maximumDepth = 510

    /// Whether a comma is missing, or worse.
    private static func beginsNext(_ byte: UInt8, isName: Bool) -> Bool {
        byte == UInt8(ascii: "\"") || !isName && (byte == UInt8(ascii: "{") || byte == UInt8(ascii: "["))
    }

    /// Reads a member's name and the colon behind it.
    mutating func name(_ byte: UInt8, _ out: inout [UInt8], _ keep: Bool) throws(Problem) {
        if byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "'") {
            try string(byte, &out, keep)
        } else {
            let word = word()
            guard !word.isEmpty else { throw problem("a member name in quotes") }
            if keep { out += [0x22] + word + [0x22] }
        }
        skipSpace()
        guard let colon = peek() else { throw problem("a colon", isEnd: true) }
        guard colon == UInt8(ascii: ":") else { throw problem("a colon") }
        advance()
        if keep { out.append(colon) }
    }

    private mutating func scalar(_ byte: UInt8, isMember: Bool, _ out: inout [UInt8], _ keep: Bool)
        throws(Problem)
    {
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "'"): try string(byte, &out, keep)
        // `"size":,` and `"size":}`.
        case UInt8(ascii: ",") where isMember, UInt8(ascii: "}") where isMember:
            if keep { out += Array("null".utf8) }
        default:
            let start = problem("a JSON value")
            let word = word()
            guard let text = LenientWords.json(of: word) else { throw start }
            if keep { out += text }
        }
    }

    private mutating func word() -> [UInt8] {
        var word: [UInt8] = []
        while let byte = peek(), word.count < Self.longestWord, LenientWords.belongs(byte) {
            word.append(byte)
            advance()
        }
        return word
    }

    private mutating func string(_ quote: UInt8, _ out: inout [UInt8], _ keep: Bool) throws(Problem) {
        advance()
        if keep { out.append(0x22) }
        while let byte = peek() {
            if byte == quote {
                advance()
                if keep { out.append(0x22) }
                return
            }
            if byte == UInt8(ascii: "\\") {
                advance()
                escape(&out, keep)
            } else if byte < 0x20 || byte == 0x22 {
                advance()
                if keep { LenientWords.append(escaped: byte, to: &out) }
            } else {
                plainRun(until: quote, &out, keep)
            }
        }
        throw problem("a closing quote", isEnd: true)
    }

    /// Most of a string: no escape, nothing to escape.
    private mutating func plainRun(until quote: UInt8, _ out: inout [UInt8], _ keep: Bool) {
        let start = index
        while index < window.count {
            let byte = window[index]
            if byte == quote || byte < 0x20 || byte == 0x22 || byte == UInt8(ascii: "\\") { break }
            index += 1
        }
        if keep { out.append(contentsOf: window[start..<index]) }
    }

    private mutating func escape(_ out: inout [UInt8], _ keep: Bool) {
        guard let byte = peek() else { return }
        switch byte {
        case 0x22, UInt8(ascii: "\\"), UInt8(ascii: "/"), UInt8(ascii: "b"), UInt8(ascii: "f"),
            UInt8(ascii: "n"),
            UInt8(ascii: "r"), UInt8(ascii: "t"):
            advance()
            if keep { out += [UInt8(ascii: "\\"), byte] }
        case UInt8(ascii: "'"):
            advance()
            if keep { out.append(byte) }
        case UInt8(ascii: "u"):
            advance()
            var digits: [UInt8] = []
            while digits.count < 4, let digit = peek(), digit.isHexadecimalDigit {
                digits.append(digit)
                advance()
            }
            if keep { out += Array((digits.count == 4 ? "\\u" : "\\\\u").utf8) + digits }
        default:
            // The byte is taken as it stands: Windows paths, patterns, `\x1b`.
            if keep { out += Array("\\\\".utf8) }
        }
    }
}
