import JSON

/// Reads the part of YAML in which Ruby's and Python's libraries write what programs hand them (YAML 1.1): block and flow
/// collections, all five kinds of scalars, tags, and aliases of scalars.
///
/// Of tags only `binary` means something: such a scalar is `{"base64":"…"}`. An alias of a collection, a key that is none, and
/// tabs before a line are refused.
struct YAMLReader {
    struct Problem: Error {
        var offset: Int
        var expected: String
    }

    let bytes: [UInt8]
    var index: Int
    /// Scalars that have a name.
    private var anchors: [String: JSONValue] = [:]
    /// Bytes that aliases stand for.
    private var aliasedBytes = 0
    private var depth = 0

    /// Nobody nests deeper.
    private static let deepest = 32
    /// A longer key nobody has.
    private static let longestKey = 1024
    /// A small file may stand for one without end.
    private static let mostAliasedBytes = 64 << 20

    init(_ bytes: [UInt8], at index: Int) { (self.bytes, self.index) = (bytes, index) }

    func problem(_ expected: String) -> Problem {
        Problem(offset: min(index, bytes.count), expected: expected)
    }

    // MARK: - Lines

    var byte: UInt8? { index < bytes.count ? bytes[index] : nil }

    /// How far the place is from the beginning of its line.
    var column: Int { index - lineStart(of: index) }

    private func lineStart(of place: Int) -> Int {
        bytes[..<min(place, bytes.count)].lastIndex(of: 0x0a).map { $0 + 1 } ?? 0
    }

    mutating func skipBlanks() { while byte == 0x20 { index += 1 } }

    /// Behind the line's end.
    mutating func skipLine() {
        index = bytes[min(index, bytes.count)...].firstIndex(of: 0x0a).map { $0 + 1 } ?? bytes.count
    }

    /// Whether nothing but a comment is left of the line.
    private var isAtLineEnd: Bool {
        switch byte {
        case nil, 0x0a, 0x0d: true
        case UInt8(ascii: "#"): index == 0 || bytes[index - 1] <= 0x20
        default: false
        }
    }

    /// Goes to what stands next, be it on another line, and returns its column; nil at the end of the document.
    mutating func next() -> Int? {
        while true {
            skipBlanks()
            guard isAtLineEnd else { break }
            guard byte != nil else { return nil }
            skipLine()
        }
        let column = column
        let rest = bytes[index...]
        return column == 0 && (rest.starts(with: "---".utf8) || rest.starts(with: "...".utf8)) ? nil : column
    }

    private var isDash: Bool {
        guard byte == UInt8(ascii: "-") else { return false }
        return index + 1 >= bytes.count || bytes[index + 1] <= 0x20
    }

    // MARK: - Blocks

    /// The elements of a list whose hyphens stand at a column, one at a time; `visit` says whether to go on.
    ///
    /// An element that cannot be read is passed over: `fail` is told of it.
    mutating func elements(visit: (JSONValue) -> Bool, fail: (Problem) -> Void) {
        guard let column = next(), isDash else { return }
        while next() == column, isDash {
            let start = index
            do throws(Problem) {
                let element = try element(column)
                if let found = next(), found > column { throw problem("an element of the list") }
                guard visit(element) else { return }
            } catch {
                fail(error)
                // Nothing that it consists of stands further out.
                index = start
                skip(toColumn: column)
            }
        }
    }

    /// Goes to the next line that begins at a column, or before it.
    private mutating func skip(toColumn column: Int) {
        repeat { skipLine() } while (next() ?? 0) > column
    }

    private mutating func element(_ column: Int) throws(Problem) -> JSONValue {
        index += 1
        skipBlanks()
        if isAtLineEnd { return try block(behind: column) }
        return try node(behind: column, at: self.column)
    }

    /// What stands on the lines that follow, further in than a column; null where nothing does.
    private mutating func block(behind column: Int) throws(Problem) -> JSONValue {
        guard let own = next(), own > column else { return .null }
        return try node(behind: column, at: own)
    }

    /// A node that begins here; `own`: its column.
    private mutating func node(behind column: Int, at own: Int) throws(Problem) -> JSONValue {
        guard depth < Self.deepest else { throw problem("no more than \(Self.deepest) levels") }
        depth += 1
        defer { depth -= 1 }
        if isDash { return try list(own) }
        if keyEnd() != nil { return try mapping(own) }
        return try value(behind: column)
    }

    private mutating func list(_ column: Int) throws(Problem) -> JSONValue {
        var elements: [JSONValue] = []
        while next() == column, isDash { elements.append(try element(column)) }
        return .array(elements)
    }

    private mutating func mapping(_ column: Int) throws(Problem) -> JSONValue {
        var object = JSONObject()
        while next() == column, !isDash {
            guard let end = keyEnd() else { throw problem("a name and a colon") }
            let name = try key(end)
            index = end + 1
            skipBlanks()
            object.members.append(JSONObject.Member(name: name, value: try member(column)))
        }
        if let found = next(), found > column { throw problem("a name at column \(column + 1)") }
        return .object(object)
    }

    /// The value of a name: a list of it may stand at its own column.
    private mutating func member(_ column: Int) throws(Problem) -> JSONValue {
        guard isAtLineEnd else { return try value(behind: column) }
        guard let own = next(), own >= column else { return .null }
        if own == column { return isDash ? try node(behind: column - 1, at: own) : .null }
        return try node(behind: column, at: own)
    }

    // MARK: - Names

    /// Where the colon stands behind the name that begins here; nil where there is none on the line.
    private func keyEnd() -> Int? {
        let line = bytes[index...].prefix(Self.longestKey).prefix { $0 != 0x0a }
        var place = line.startIndex
        if let quote = line.first, quote == UInt8(ascii: "'") || quote == UInt8(ascii: "\"") {
            place += 1
            while place < line.endIndex, line[place] != quote {
                place += quote == UInt8(ascii: "\"") && line[place] == UInt8(ascii: "\\") ? 2 : 1
            }
            place += 1
            return place < line.endIndex && isColon(place) ? place : nil
        }
        guard let first = line.first, !"[{|>&*!%@`#".utf8.contains(first) else { return nil }
        while place < line.endIndex {
            if isColon(place) { return place }
            if line[place] == UInt8(ascii: "#"), place > line.startIndex, line[place - 1] == 0x20 {
                return nil
            }
            place += 1
        }
        return nil
    }

    /// Whether a colon stands here that ends a name.
    func isColon(_ place: Int) -> Bool {
        place < bytes.count && bytes[place] == UInt8(ascii: ":")
            && (place + 1 >= bytes.count || bytes[place + 1] <= 0x20)
    }

    private mutating func key(_ end: Int) throws(Problem) -> String {
        if byte == UInt8(ascii: "'") || byte == UInt8(ascii: "\"") { return try quoted(behind: -1) }
        return Producers.withoutBlanksAround(String(decoding: bytes[index..<end], as: UTF8.self))
    }

    // MARK: - Values

    /// A scalar, or a collection in brackets, with what stands before; `column`: that of what it belongs to.
    private mutating func value(behind column: Int) throws(Problem) -> JSONValue {
        let properties = properties()
        if isAtLineEnd, !properties.isEmpty { return try block(behind: column) }
        let value: JSONValue
        switch byte {
        case UInt8(ascii: "*"): value = try aliased()
        case UInt8(ascii: "|"), UInt8(ascii: ">"): value = .string(try blockScalar(behind: column))
        case UInt8(ascii: "'"), UInt8(ascii: "\""): value = .string(try quoted(behind: column))
        case UInt8(ascii: "["), UInt8(ascii: "{"): value = try flow(0, behind: column)
        default:
            let text = plainScalar(behind: column)
            guard !text.containsBytes(": "), text.utf8.last != UInt8(ascii: ":") else {
                throw problem("a text in quotation marks")
            }
            value = Self.plain(text)
        }
        return take(value, properties)
    }

    /// What stands before a value.
    private struct Properties {
        var tag = ""
        var anchor: String?

        var isEmpty: Bool { tag.isEmpty && anchor == nil }
    }

    private mutating func properties() -> Properties {
        var properties = Properties()
        while let mark = byte, mark == UInt8(ascii: "!") || mark == UInt8(ascii: "&") {
            let word = word(isName: mark == UInt8(ascii: "&"))
            if mark == UInt8(ascii: "!") { properties.tag = word } else { properties.anchor = word }
            skipBlanks()
        }
        return properties
    }

    /// A value as its tag has it, which its name stands for from here on.
    private mutating func take(_ value: JSONValue, _ properties: Properties) -> JSONValue {
        let isScalar = value.array == nil && value.object == nil
        var value = value
        if properties.tag.hasSuffix("binary") || properties.tag.hasSuffix("binary>"), let text = value.string
        {
            value = ["base64": .string(text.filter { !$0.isWhitespace })]
        }
        if isScalar, let anchor = properties.anchor { anchors[anchor] = value }
        return value
    }

    /// The scalar that the alias here stands for.
    private mutating func aliased() throws(Problem) -> JSONValue {
        guard let value = anchors[word(isName: true)] else { throw problem("the name of a scalar") }
        aliasedBytes += (value["base64"] ?? value).string?.utf8.count ?? 0
        guard aliasedBytes <= Self.mostAliasedBytes else {
            throw problem("no more than \(Self.mostAliasedBytes >> 20) MB of aliases")
        }
        return value
    }

    /// Up to a blank, without its first byte; `isName`: that of an anchor, which has no brackets and commas in it.
    private mutating func word(isName: Bool) -> String {
        let word = bytes[index...].prefix { $0 > 0x20 && !(isName && ",[]{}".utf8.contains($0)) }
        index += word.count
        return String(decoding: word.dropFirst(), as: UTF8.self)
    }

    /// What a scalar without quotation marks means.
    static func plain(_ text: String) -> JSONValue {
        switch text {
        case "", "~", "null", "Null", "NULL": return .null
        case "true", "True", "TRUE": return .bool(true)
        case "false", "False", "FALSE": return .bool(false)
        default:
            let isNumber = text.utf8.count < 16 && text.utf8.allSatisfy(\.isASCIIDigit)
            return isNumber && (text == "0" || !text.hasPrefix("0"))
                ? Int64(text).map { JSONValue($0) } ?? .string(text) : .string(text)
        }
    }

    // MARK: - In brackets

    /// A collection in brackets, or what stands in one, over as many lines as it takes.
    private mutating func flow(_ depth: Int, behind column: Int) throws(Problem) -> JSONValue {
        guard depth < Self.deepest else { throw problem("no more than \(Self.deepest) levels") }
        try skipFlowSpace(behind: column)
        let properties = properties()
        if !properties.isEmpty { try skipFlowSpace(behind: column) }
        let value: JSONValue
        switch byte {
        case UInt8(ascii: "*"): value = try aliased()
        case UInt8(ascii: "'"), UInt8(ascii: "\""): value = .string(try quoted(behind: column))
        case UInt8(ascii: "["):
            index += 1
            var elements: [JSONValue] = []
            while try !endsFlow(UInt8(ascii: "]"), behind: column) {
                elements.append(try flow(depth + 1, behind: column))
            }
            value = .array(elements)
        case UInt8(ascii: "{"): value = try flowMapping(depth, behind: column)
        default: value = Self.plain(try flowScalar(behind: column))
        }
        return take(value, properties)
    }

    private mutating func flowMapping(_ depth: Int, behind column: Int) throws(Problem) -> JSONValue {
        index += 1
        var object = JSONObject()
        while try !endsFlow(UInt8(ascii: "}"), behind: column) {
            let name = try flow(depth + 1, behind: column)
            guard let name = Producers.text(name) else { throw problem("a name") }
            try skipFlowSpace(behind: column)
            var value = JSONValue.null
            if byte == UInt8(ascii: ":") {
                index += 1
                value = try flow(depth + 1, behind: column)
            }
            object.members.append(JSONObject.Member(name: name, value: value))
        }
        return .object(object)
    }

    private mutating func skipFlowSpace(behind column: Int) throws(Problem) {
        _ = try skipSpace(behind: column)
    }

    /// Goes to what stands next, be it on another line, which is further in than a column, and returns how many lines end before.
    mutating func skipSpace(behind column: Int) throws(Problem) -> Int {
        var ends = 0
        while let byte, byte <= 0x20 {
            if byte == 0x0a { ends += 1 }
            index += 1
        }
        guard ends == 0 || byte == nil || self.column > column else {
            throw problem("a line further in than column \(column + 1)")
        }
        return ends
    }

    /// Whether a collection ends here, whose bracket is taken then; a comma before the next element is taken.
    private mutating func endsFlow(_ bracket: UInt8, behind column: Int) throws(Problem) -> Bool {
        try skipFlowSpace(behind: column)
        if byte == UInt8(ascii: ",") {
            index += 1
            try skipFlowSpace(behind: column)
        }
        guard let byte else { throw problem(bracket == UInt8(ascii: "]") ? "]" : "}") }
        if byte == bracket {
            index += 1
            return true
        }
        guard !"]},:".utf8.contains(byte) else { throw problem("an element") }
        return false
    }

    /// A scalar without quotation marks, which may go on on the lines behind.
    private mutating func flowScalar(behind column: Int) throws(Problem) -> String {
        var text = ""
        while true {
            let start = index
            while byte != 0x0a, byte != 0x0d, !endsFlowScalar { index += 1 }
            text += Producers.withoutBlanksAround(String(decoding: bytes[start..<index], as: UTF8.self))
            guard byte == 0x0a || byte == 0x0d else { return text }
            let ends = try skipSpace(behind: column)
            guard !endsFlowScalar else { return text }
            text += ends < 2 ? " " : String(repeating: "\n", count: ends - 1)
        }
    }

    private var endsFlowScalar: Bool {
        byte.map { ",[]{}".utf8.contains($0) } ?? true || isColon(index)
    }
}
