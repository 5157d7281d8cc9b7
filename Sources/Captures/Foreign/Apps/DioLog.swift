import JSON

/// Reads what the `LogInterceptor` of dio prints, with which Flutter's apps call servers, also out of Android's log.
///
/// A form stands there as Dart prints a map (`{code: abcd}`), and is encoded anew. Bodies are in it only where they were asked for.
struct DioLog: AppLog {
    static let creator = "dio"
    static let marks: [[UInt8]] = [titles[0]]

    private enum Section {
        case facts
        case headers
        case body
    }

    private static let titles: [[UInt8]] = [
        Array("*** Request ***".utf8), Array("*** Response ***".utf8), Array("*** DioException ***".utf8),
        Array("*** DioError ***".utf8),
    ]

    private(set) var calls: [AppCall] = []
    /// Of ``calls``, those without an answer, by their URLs.
    private var waiting: [String: [Int]] = [:]
    private var mark: AppLogLine.Mark?
    private var section: Section?
    private var isAnswer = false
    private var isFailure = false
    /// The call whose message is being printed.
    private var open: Int?
    private var lines: [Substring] = []

    mutating func take(_ line: AppLogLine) {
        if let (mark, title) = line.find(Self.titles) {
            close()
            self.mark = mark
            (section, isAnswer, isFailure, open) = (.facts, title > 0, title > 1, nil)
            if title == 0 {
                open = calls.count
                calls.append(AppCall())
                calls[calls.count - 1].start = line.time.map { ($0, false) }
            }
        } else if let mark, let content = line.content(behind: mark) {
            take(content)
        }
    }

    private mutating func take(_ content: Substring) {
        switch (section, content) {
        case (nil, _): break
        case (.body?, "") where isWithinPage: AppCall.keep(content, in: &lines)
        case (_, ""):
            close()
            // An error has its own words before the answer; behind that nothing is told.
            if open.map({ !isAnswer || calls[$0].status != nil }) ?? true { section = nil }
        case (.body?, _): AppCall.keep(content, in: &lines)
        case (.headers?, _) where content.utf8.first == 0x20: take(field: content.dropFirst())
        case (.headers?, _) where content.utf8.first == 0x09: take(furtherValue: content.dropFirst())
        case (_, "headers:"): section = .headers
        case (_, "data:"), (_, "Response Text:"): section = .body
        case (.facts?, _): take(fact: content)
        case (.headers?, _): break
        }
    }

    private mutating func take(fact line: Substring) {
        guard let colon = line.firstRange(of: ": ") else { return }
        let value = String(line[colon.upperBound...])
        switch line[..<colon.lowerBound] {
        case "uri" where isAnswer:
            // An error names it before its own words, and once more before the answer, where there was one.
            if let open {
                calls[open].isAnswered = true
            } else if let call = waiting[value]?.popLast() {
                open = call
                calls[call].isAnswered = !isFailure
            }
        case "uri":
            guard let open, calls[open].url.isEmpty else { return }
            calls[open].url = value
            waiting[value, default: []].append(open)
        case "method" where !isAnswer: if let open { calls[open].method = value }
        case "statusCode" where isAnswer: if let open { calls[open].status = Int(value) }
        case let name where isAnswer && name.hasPrefix("Dio"):
            if let open, calls[open].failure == nil { calls[open].failure = value }
        default: break
        }
    }

    private mutating func take(field line: Substring) {
        guard let field = AppCall.field(line) else { return }
        change { $0.headers.append(field) }
    }

    /// Of several values each but the first has a line of its own.
    private mutating func take(furtherValue value: Substring) {
        change { message in
            guard let name = message.headers.last?.name else { return }
            message.headers.append(HeaderFields.Field(name: name, value: String(value)))
        }
    }

    private mutating func change(_ change: (inout AppCall.Message) -> Void) {
        guard let open else { return }
        if isAnswer { change(&calls[open].answer) } else { change(&calls[open].request) }
    }

    // MARK: - Bodies

    /// Whether the lines are those of a page that has not ended: an empty line is one of its own.
    private var isWithinPage: Bool {
        guard isAnswer, let first = lines.first, let last = lines.last else { return false }
        return Self.beginsPage(first) && !Self.endsPage(last)
    }

    private static func beginsPage(_ line: Substring) -> Bool {
        // It is asked at every empty line.
        let words = line.prefix(80).drop { $0 == " " }.prefix(14).lowercased()
        return words.hasPrefix("<html") || words.hasPrefix("<!doctype html")
    }

    private static func endsPage(_ line: Substring) -> Bool {
        line.suffix(20).lowercased().containsBytes("</html>")
    }

    /// A page that has empty lines; nil for other texts.
    ///
    /// Behind such a line of a page that does not end what others print may stand.
    private static func page(_ lines: [Substring]) -> AppCall.Shown? {
        guard let first = lines.first, beginsPage(first), let gap = lines.firstIndex(of: "") else {
            return nil
        }
        let end = lines.lastIndex(where: endsPage).map { $0 + 1 }
        let isCut = end == nil && lines[gap...].contains { !$0.isEmpty }
        return .text(lines[..<(end ?? gap)].joined(separator: "\n"), isCut: isCut)
    }

    mutating func close() {
        guard section == .body else { return }
        let lines = lines
        self.lines = []
        section = nil
        change { $0.body = Self.shown(lines, $0.headers) }
    }

    private static func shown(_ lines: [Substring], _ headers: [HeaderFields.Field]) -> AppCall.Shown {
        if let page = page(lines) { return page }
        let text = lines.joined(separator: "\n")
        if text == "null" || text.isEmpty { return .none }
        if AppCall.isForm(headers), let form = DartMap.form(text) { return .form(form) }
        let isJSON = HeaderFields(headers).first("content-type")?.containsBytes("json") ?? false
        guard isJSON || text.hasPrefix("{") || text.hasPrefix("Instance of ") else {
            return .text(text, isCut: false)
        }
        // Android's log divides long lines.
        let whole = [text, lines.joined()].first { (try? JSONParser.parse(Array($0.utf8))) != nil }
        return whole.map { .text($0, isCut: false) } ?? .omitted(size: nil)
    }
}
