internal import Captures

/// Takes apart the head of a message: start line and fields (RFC 9112, sections 3 to 5).
///
/// Lenient where peers are: what is not allowed is kept as it was sent and named, with its offset.
struct HeadParser {
    /// What is not allowed, and where it stands in the head.
    typealias Problem = (offset: Int, reason: String)

    /// A start line in its three parts, and the fields.
    struct Head {
        var first: String
        var second: SentText
        var third: String
        var headers: HeaderFields
        var problems: [Problem]
    }

    /// One is told per kind of problem and head; a hostile head shall not fill memory with complaints.
    private var problems: [Problem] = []
    private let bytes: UnsafeBufferPointer<UInt8>

    /// - Parameter bytes: from the start line to the empty line.
    private init(_ bytes: UnsafeBufferPointer<UInt8>) { self.bytes = bytes }

    /// Nil when the start line is none: not three words (two, where a reason may be missing) with `HTTP/`
    /// where it belongs.
    static func parse(_ bytes: UnsafeBufferPointer<UInt8>, isRequest: Bool) -> Head? {
        var parser = HeadParser(bytes)
        return parser.parse(isRequest: isRequest)
    }

    /// What there is of a head whose end is not there: the fields whose lines are whole, behind a start line.
    ///
    /// Of a request's the words that are whole are told, and the others are empty; an answer's has its status code at least. Nil
    /// where it is none.
    static func parseHalf(_ bytes: UnsafeBufferPointer<UInt8>, isRequest: Bool) -> Head? {
        let lines = bytes.lastIndex(of: 0x0a).map { bytes[...$0] }
        if lines == nil, isRequest { return HeadParser(bytes).halfRequestLine() }
        return parse(UnsafeBufferPointer(rebasing: lines ?? bytes[...]), isRequest: isRequest)
    }

    private func halfRequestLine() -> Head? {
        let first = bytes.firstIndex(of: 0x20)
        guard bytes[..<(first ?? bytes.count)].allSatisfy(\.isTokenCharacter) else { return nil }
        var head = Head(first: "", second: SentText(""), third: "", headers: HeaderFields(), problems: [])
        guard let first, let last = bytes.lastIndex(of: 0x20) else { return head }
        head.first = text(0..<first).text
        // Behind a space that a client forgot to encode the target goes on.
        if last > first + 1, mayBeVersion(bytes[(last + 1)...]) { head.second = text((first + 1)..<last) }
        return head
    }

    private mutating func parse(isRequest: Bool) -> Head? {
        var position = 0
        guard let startLine = line(from: &position),
            let (first, second, third) = isRequest ? requestLine(startLine) : statusLine(startLine)
        else { return nil }
        var fields: [HeaderFields.Field] = []
        fields.reserveCapacity(12)
        while let line = line(from: &position), !line.isEmpty { field(line, &fields) }
        return Head(
            first: first,
            second: second,
            third: third,
            headers: HeaderFields(fields),
            problems: problems
        )
    }

    /// The next line without its end; nil at the end of the head.
    private mutating func line(from position: inout Int) -> Range<Int>? {
        guard position < bytes.count else { return nil }
        let start = position
        let end = find(0x0a, start..<bytes.count) ?? bytes.count
        position = min(end + 1, bytes.count)
        guard end > start, bytes[end - 1] == 0x0d else {
            if end < bytes.count { note(end, "a line ends in LF alone") }
            return start..<end
        }
        return start..<(end - 1)
    }

    private mutating func requestLine(_ line: Range<Int>) -> (String, SentText, String)? {
        // The target may hold spaces that a client forgot to encode: first and last space decide.
        guard let first = bytes[line].firstIndex(of: 0x20), first > line.lowerBound,
            bytes[line.lowerBound..<first].allSatisfy(\.isTokenCharacter)
        else { return nil }
        guard let last = bytes[line].lastIndex(of: 0x20), last > first,
            isVersion(bytes[(last + 1)..<line.upperBound])
        else {
            return nil
        }
        let target = (first + 1)..<last
        guard !target.isEmpty else { return nil }
        if bytes[target].contains(0x20) { note(first + 1, "a space in the request target") }
        if !isVisible(target) { note(first + 1, "a character in the request target that is not allowed") }
        return (text(line.lowerBound..<first).text, text(target), version((last + 1)..<line.upperBound))
    }

    private mutating func statusLine(_ line: Range<Int>) -> (String, SentText, String)? {
        let space = bytes[line].firstIndex(of: 0x20) ?? line.upperBound
        guard isVersion(bytes[line.lowerBound..<space]) else { return nil }
        var position = space
        while position < line.upperBound, bytes[position] == 0x20 { position += 1 }
        let codeStart = position
        while position < line.upperBound, bytes[position].isASCIIDigit { position += 1 }
        guard position - codeStart == 3 else { return nil }
        if codeStart - space > 1 { note(space, "more than one space before the status code") }
        var reason = position..<line.upperBound
        if !reason.isEmpty {
            if bytes[position] == 0x20 {
                reason = (position + 1)..<line.upperBound
            } else {
                note(position, "a status code that no space follows")
            }
            if hasControls(reason) { note(reason.lowerBound, "a control character in the reason phrase") }
        }
        return (version(line.lowerBound..<space), text(codeStart..<position), text(reason).text)
    }

    private mutating func field(_ line: Range<Int>, _ fields: inout [HeaderFields.Field]) {
        if bytes[line.lowerBound].isBlank, !fields.isEmpty {
            note(line.lowerBound, "a field is folded over lines")
            // One space for the fold (RFC 9112, section 5.2), and none around the value.
            return fold(trimmed(line), &fields[fields.count - 1])
        }
        guard let colon = find(0x3a, line) else {
            note(line.lowerBound, "a field line without a colon")
            fields.append(field(trimmed(line), line.upperBound..<line.upperBound))
            return
        }
        var nameEnd = colon
        while nameEnd > line.lowerBound, bytes[nameEnd - 1] == 0x20 || bytes[nameEnd - 1] == 0x09 {
            nameEnd -= 1
        }
        if nameEnd < colon { note(nameEnd, "white space before the colon of a field") }
        let name = line.lowerBound..<nameEnd
        if name.isEmpty || !isToken(name) {
            note(line.lowerBound, "a field name with characters that are not allowed")
        }
        let value = trimmed((colon + 1)..<line.upperBound)
        if hasControls(value) {
            let isDangerous = find(0, value) != nil || find(0x0d, value) != nil
            note(
                value.lowerBound,
                isDangerous ? "NUL or CR in a field value" : "a control character in a field value"
            )
        }
        fields.append(field(name, value))
    }

    /// Appended where it stands: a hostile head may have as many folds as bytes.
    private func fold(_ continued: Range<Int>, _ field: inout HeaderFields.Field) {
        guard !continued.isEmpty else { return }
        let text = text(continued)
        if text.isLatin1, !field.isLatin1 {
            field = HeaderFields.Field(name: field.sentName, value: field.sentValue.asLatin1)
        }
        if !field.value.isEmpty { field.value += " " }
        field.value += field.isLatin1 ? text.asLatin1.text : text.text
    }

    private func field(_ name: Range<Int>, _ value: Range<Int>) -> HeaderFields.Field {
        HeaderFields.Field(name: text(name), value: text(value))
    }

    // MARK: - Bytes

    /// The first place of a byte.
    private func find(_ byte: UInt8, _ range: Range<Int>) -> Int? {
        ByteSearch.index(of: byte, in: bytes, range)
    }

    /// Whether there is a control character other than the tab, which text may not have (RFC 9110, section 5.5).
    private func hasControls(_ range: Range<Int>) -> Bool {
        // Without a branch, so that many bytes are looked at at a time.
        var found = false
        for index in range {
            let byte = bytes[index]
            found = found || (byte < 0x20) != (byte == 0x09) || byte == 0x7f
        }
        return found
    }

    /// Whether all bytes are visible ASCII characters or spaces.
    private func isVisible(_ range: Range<Int>) -> Bool {
        for index in range where !(0x20...0x7e).contains(bytes[index]) { return false }
        return true
    }

    /// `HTTP/d.d`, in any case: what answers and servers in the field send.
    private func isVersion(_ word: Slice<UnsafeBufferPointer<UInt8>>) -> Bool {
        word.count > 5 && ASCIICase.areEqual(UnsafeBufferPointer(rebasing: word.prefix(5)), "http/")
            && word.dropFirst(5).allSatisfy { $0 == 0x2e || $0.isASCIIDigit }
    }

    /// Whether bytes at the end may become a version.
    private func mayBeVersion(_ word: Slice<UnsafeBufferPointer<UInt8>>) -> Bool {
        let word = word.last == 0x0d ? word.dropLast() : word
        return word.count > 5
            ? isVersion(word) : "HTTP/".utf8.starts(with: word) || "http/".utf8.starts(with: word)
    }

    private mutating func version(_ range: Range<Int>) -> String {
        let usual: StaticString = "HTTP/1.1"
        if range.count == usual.utf8CodeUnitCount,
            (0..<range.count).allSatisfy({ bytes[range.lowerBound + $0] == usual.utf8Start[$0] })
        {
            return "HTTP/1.1"
        }
        let text = text(range).text
        if text != "HTTP/1.0" { note(range.lowerBound, "version \(text)") }
        return text
    }

    private func trimmed(_ range: Range<Int>) -> Range<Int> {
        var lower = range.lowerBound
        var upper = range.upperBound
        while lower < upper, bytes[lower].isBlank { lower += 1 }
        while upper > lower, bytes[upper - 1].isBlank { upper -= 1 }
        return lower..<upper
    }

    private func text(_ range: Range<Int>) -> SentText {
        SentText(UnsafeBufferPointer(rebasing: bytes[range]))
    }

    private func isToken(_ range: Range<Int>) -> Bool {
        for index in range where !bytes[index].isTokenCharacter { return false }
        return true
    }

    private mutating func note(_ offset: Int, _ reason: String) {
        guard problems.count < 8, !problems.contains(where: { $0.reason == reason }) else { return }
        problems.append((offset, reason))
    }
}
