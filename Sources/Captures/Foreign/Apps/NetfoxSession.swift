/// Reads the log of a session that netfox keeps within an iOS app (`session.log`): all of its calls.
///
/// Header fields stand as Swift prints a dictionary, times are of whole seconds. An answer says whose it is by its URL alone.
struct NetfoxSession {
    private static let begin = "-------START "
    private static let end = "-------END "
    private static let marks = ["-------START REQUEST - ", "-------START RESPONSE - "].map { Array($0.utf8) }
    private static let rule = " -------"

    private var calls: [AppCall] = []
    private var unanswered = UnansweredCalls()
    /// The call whose message is told, and which of both it is.
    private var open: (call: Int, isAnswer: Bool)?
    /// What stands in brackets above the lines.
    private var name: Substring?
    private var lines: [Substring] = []

    /// Nil where no call is in it.
    static func read(_ source: CaptureSource) -> Capture? {
        let text = LogText(source)
        guard marks.allSatisfy({ ByteSearch.index(of: $0, in: text.bytes) != nil }) else { return nil }
        var log = NetfoxSession()
        text.forEachText { log.take($0) }
        log.close()
        let exchanges = log.calls.compactMap(\.exchange)
        return exchanges.isEmpty ? nil : text.capture(of: exchanges, creator: "netfox")
    }

    private mutating func take(_ line: Substring) {
        if line.hasPrefix(Self.begin), line.hasSuffix(Self.rule) {
            close()
            begin(line.dropFirst(Self.begin.count).dropLast(Self.rule.count))
        } else if line.hasPrefix(Self.end), line.hasSuffix(Self.rule) {
            close()
            open = nil
        } else if let open, let (name, value) = Self.named(line, open.isAnswer), self.name != "Body" {
            close()
            (self.name, lines) = (name, [value])
        } else if name != nil {
            AppCall.keep(line, in: &lines)
        }
    }

    /// `REQUEST -  https://op.example/token`.
    private mutating func begin(_ words: Substring) {
        let parts = words.split(separator: " - ", maxSplits: 1)
        guard parts.count == 2 else { return open = nil }
        let url = String(parts[1].drop { $0 == " " })
        if parts[0] == "RESPONSE" {
            open = unanswered.popFirst(of: url).map { ($0, true) }
        } else {
            unanswered.append(calls.count, of: url)
            open = (calls.count, false)
            calls.append(AppCall(areFieldsJoined: true))
            calls[calls.count - 1].url = url
        }
    }

    /// `[Request Method] POST`.
    private static func named(_ line: Substring, _ isAnswer: Bool) -> (name: Substring, value: Substring)? {
        let side = isAnswer ? "[Response " : "[Request "
        guard line.hasPrefix(side), let end = line.firstRange(of: "]") else { return nil }
        return (line[..<end.lowerBound].dropFirst(side.count), line[end.upperBound...].drop { $0 == " " })
    }

    /// What the lines tell that end here.
    private mutating func close() {
        let told = AppCall.trimmed(lines)
        let ended = name
        (name, lines) = (nil, [])
        guard let ended, let open else { return }
        let text = told.joined(separator: "\n")
        var message = open.isAnswer ? calls[open.call].answer : calls[open.call].request
        switch ended {
        case "Method": calls[open.call].method = text
        case "Status":
            calls[open.call].status = Int(text)
            calls[open.call].isAnswered = true
        case "Date" where !open.isAnswer:
            // `2026-03-04 09:54:08 +0000`, whatever zone the phone is in.
            calls[open.call].start = Timestamp(rfc3339: text.replacing(" +0000", with: "Z"))
                .map { ($0, text.hasSuffix(" +0000")) }
        case "Headers": message.headers = Self.fields(text)
        // The first line is moved in by a blank.
        case "Body":
            message.body = text.isEmpty ? .untold : .text(String(text.trimmingPrefix(" ")), isCut: false)
        default: break
        }
        if open.isAnswer { calls[open.call].answer = message } else { calls[open.call].request = message }
    }

    /// `["Accept": "*/*"]`, or `[AnyHashable("Date"): Wed, 04 Mar 2026 09:54:08 GMT, AnyHashable("Server"): nginx]`.
    private static func fields(_ text: String) -> [HeaderFields.Field] {
        let mark = "AnyHashable(\""
        guard text.hasPrefix("[\(mark)") else { return AppleDescription.fields(ofDictionary: text[...]) }
        return text.dropLast().split(separator: mark).dropFirst().compactMap { part in
            guard let end = part.firstRange(of: "\"): ") else { return nil }
            var value = part[end.upperBound...]
            if value.hasSuffix(", ") { value = value.dropLast(2) }
            let isQuoted = value.utf8.count > 1 && value.hasPrefix("\"") && value.hasSuffix("\"")
            return HeaderFields.Field(
                name: String(part[..<end.lowerBound]),
                value: String(isQuoted ? value.dropFirst().dropLast() : value)
            )
        }
    }
}
