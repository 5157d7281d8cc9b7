import JSON

/// Reads what the `PrettyDioLogger` of Flutter's apps prints, which draws a box around each part, also out of Android's log.
///
/// Values are not escaped there, and divided where they are long. Objects without others in them are put together again; of deeper
/// ones nobody knows what was a text.
struct PrettyDioLog: AppLog {
    static let creator = "PrettyDioLogger"
    static let marks: [[UInt8]] = [titles[0]]

    private enum Box {
        /// The first of a message: its URL stands in it.
        case message
        case headers
        case parameters
        /// JSON, or text, of an answer.
        case body
        case other
    }

    private static let titles: [[UInt8]] = [
        Array("╔╣ Request ║ ".utf8), Array("╔╣ Response ║ ".utf8), Array("╔╣ DioError ║ ".utf8),
        Array("╔╣ DioException ║ ".utf8),
    ]

    private(set) var calls: [AppCall] = []
    /// Of ``calls``, those without an answer, by their URLs.
    private var waiting: [String: [Int]] = [:]
    private var unanswered = 0
    private var mark: AppLogLine.Mark?
    private var box: Box?
    private var isAnswer = false
    /// The call whose message is being printed.
    private var open: Int?
    /// Of an answer, until its URL says which call it is of.
    private var told = AppCall()
    private var pairs: [HeaderFields.Field] = []
    private var lines: [Substring] = []

    mutating func take(_ line: AppLogLine) {
        if let (mark, title) = line.find(Self.titles), let content = line.content(behind: mark) {
            close()
            self.mark = mark
            begin(content, isAnswer: title > 0, at: line.time)
        } else if let mark, let content = line.content(behind: mark) {
            take(content)
        }
    }

    /// `╔╣ Response ║ POST ║ Status: 400 Bad Request  ║ Time: 245 ms`.
    private mutating func begin(_ title: Substring, isAnswer: Bool, at time: Timestamp?) {
        (self.isAnswer, open, told, box) = (isAnswer, nil, AppCall(), .message)
        for part in title.split(separator: "║").dropFirst().map({ Producers.withoutBlanksAround(String($0)) })
        {
            if part.hasPrefix("Status: ") {
                let words = part.dropFirst(8).split(separator: " ", maxSplits: 1)
                told.status = words.first.flatMap { Int($0) }
                told.reason = words.count > 1 && words[1] != "null" ? String(words[1]) : ""
            } else if part.hasPrefix("Time: ") {
                told.duration = Int64(part.dropFirst(6).prefix { $0.isASCII && $0.isNumber }.prefix(9)).map {
                    .milliseconds($0)
                }
            } else if part.hasPrefix("Dio") {
                told.failure = part
            } else {
                told.method = part
            }
        }
        told.start = time.map { ($0, false) }
    }

    private mutating func take(_ content: Substring) {
        switch content.first {
        case "╔": begin(box: content.dropFirst())
        case "╚": close()
        case "╟":
            // Of a long value nothing stands behind the colon.
            guard let colon = content.firstIndex(of: ":") else { return }
            let name = content[..<colon].dropFirst(2)
            pairs.append(
                HeaderFields.Field(name: String(name), value: String(content[colon...].dropFirst(2)))
            )
        case "║" where box == .message: name(content.dropFirst().drop { $0 == " " })
        case "║" where box == .headers || box == .parameters:
            if let last = pairs.indices.last { pairs[last].value += content.dropFirst(2) }
        case "║": AppCall.keep(content.dropFirst(), in: &lines)
        default: break
        }
    }

    private mutating func begin(box title: Substring) {
        close()
        switch Producers.withoutBlanksAround(String(title)) {
        case "Headers": box = .headers
        case "Body": box = isAnswer ? .body : .parameters
        case let name where isAnswer && name.hasPrefix("Dio"): box = .body
        default: box = .other
        }
    }

    /// The URL of a message.
    private mutating func name(_ url: Substring) {
        let url = String(url)
        guard isAnswer else {
            guard told.url.isEmpty else { return }
            told.url = url
            open = calls.count
            waiting[url, default: []].append(calls.count)
            unanswered += 1
            return calls.append(told)
        }
        guard open == nil else { return }
        guard let call = waiting[url]?.popLast() else { return fail(url) }
        open = call
        unanswered -= 1
        calls[call].isAnswered = true
        (calls[call].status, calls[call].reason) = (told.status, told.reason)
        (calls[call].duration, calls[call].failure) = (told.duration, told.failure)
    }

    /// Of a failure its words stand in the place of the URL: where several calls wait nobody knows whose it is.
    private mutating func fail(_ words: String) {
        guard told.status == nil, let kind = told.failure, unanswered == 1,
            let call = calls.lastIndex(where: { !$0.isAnswered && $0.failure == nil })
        else { return }
        unanswered = 0
        waiting[calls[call].url] = nil
        calls[call].failure = words == "null" || words.isEmpty ? kind : words
    }

    // MARK: - Parts

    /// What stands in the box that ends here, or behind it: a text that is sent has none.
    mutating func close() {
        defer { (box, pairs, lines) = (nil, [], []) }
        guard let open else { return }
        switch box {
        case .headers?:
            if isAnswer {
                calls[open].answer.headers = pairs.map(Self.listed)
            } else {
                calls[open].request.headers = Self.sent(pairs)
            }
        case .parameters?: calls[open].request.body = Self.parameters(pairs, calls[open].request.headers)
        case .body?: calls[open].answer.body = Self.answered(lines)
        case nil where !isAnswer && !lines.isEmpty:
            calls[open].request.body = .text(lines.map { $0.dropFirst() }.joined(), isCut: false)
        case .message?, .other?, nil: break
        }
    }

    /// Without what is none of the header, but of dio.
    private static func sent(_ pairs: [HeaderFields.Field]) -> [HeaderFields.Field] {
        var fields = pairs.filter { !dios.contains($0.name) }
        if !HeaderFields(fields).contains("content-type"),
            let type = pairs.first(where: { $0.name == "contentType" })
        {
            fields.append(HeaderFields.Field(name: "content-type", value: type.value))
        }
        return fields
    }

    private static let dios: Set<String> = [
        "contentType", "responseType", "followRedirects", "connectTimeout", "receiveTimeout",
    ]

    /// A field of an answer, whose values stand in a list.
    private static func listed(_ field: HeaderFields.Field) -> HeaderFields.Field {
        guard field.value.hasPrefix("["), field.value.hasSuffix("]") else { return field }
        return HeaderFields.Field(name: field.name, value: String(field.value.dropFirst().dropLast()))
    }

    /// What dio sends as a form, or as JSON, of which nobody knows what was a text.
    private static func parameters(_ pairs: [HeaderFields.Field], _ headers: [HeaderFields.Field])
        -> AppCall.Shown
    {
        guard AppCall.isForm(headers) || headers.isEmpty else { return .omitted(size: nil) }
        return .form(FormBody.encode(pairs.map { ($0.name, $0.value == "null" ? "" : $0.value) }))
    }

    private static func answered(_ lines: [Substring]) -> AppCall.Shown {
        let lines = AppCall.trimmed(lines)
        guard let first = lines.first else { return .none }
        guard first.hasPrefix("    ") else {
            return .text(lines.map { $0.dropFirst() }.joined(), isCut: false)
        }
        return object(lines).map { .text(JSONWriter.text(of: .object($0)), isCut: false) }
            ?? .omitted(size: nil)
    }

    /// An object without others in it.
    private static func object(_ lines: ArraySlice<Substring>) -> JSONObject? {
        guard lines.count > 1, lines.first == "    {", lines.last == "    }" else { return nil }
        var members: [(name: Substring, value: String)] = []
        for line in lines.dropFirst().dropLast() {
            let rest = line.dropFirst(9)
            guard line.hasPrefix("         ") else { return nil }
            if rest.hasPrefix(" "), let last = members.indices.last {
                members[last].value += rest.dropFirst()
            } else if rest.hasPrefix("\""), let end = rest.dropFirst().firstRange(of: "\": ") {
                members.append((rest.dropFirst()[..<end.lowerBound], String(rest[end.upperBound...])))
            } else {
                return nil
            }
        }
        var object = JSONObject()
        for (name, value) in members {
            guard let value = self.value(value) else { return nil }
            object.members.append(JSONObject.Member(name: String(name), value: value))
        }
        return object
    }

    private static func value(_ text: String) -> JSONValue? {
        let text = text.hasSuffix(",") ? text.dropLast() : text[...]
        if text.hasPrefix("\""), text.hasSuffix("\""), text.utf8.count > 1 {
            return .string(String(text.dropFirst().dropLast()))
        }
        switch try? JSONParser.parse(Array(text.utf8)) {
        case .number(let number)?: return .number(number)
        case .bool(let bool)?: return .bool(bool)
        case .null?: return .null
        default: return nil
        }
    }
}
