/// Reads what the logger of Moya prints (`NetworkLoggerPlugin`, verbose), with which apps on Apple's systems call servers.
///
/// Each thing that is told begins with `Moya_Logger: [TIME] WHAT: `, and answers say whose they are by their URL alone. Of its
/// own times the order of day and month depends on the phone: only those that stand before are read.
struct MoyaLog: AppLog {
    static let creator = "Moya"
    static let marks: [[UInt8]] = [titles[0]]

    private static let titles: [[UInt8]] = [Array("Moya_Logger: [".utf8)]

    private(set) var calls: [AppCall] = []
    /// Of ``calls``, those without an answer, by their URLs.
    private var waiting: [String: [Int]] = [:]
    private var unanswered: Set<Int> = []
    private var mark: AppLogLine.Mark?
    /// The calls whose request and whose answer are being told.
    private var asked: Int?
    private var answered: Int?
    /// What the lines tell.
    private var title: Substring?
    private var lines: [Substring] = []

    mutating func take(_ line: AppLogLine) {
        if let (mark, _) = line.find(Self.titles), let content = line.content(behind: mark),
            let (title, words) = Self.told(content)
        {
            close()
            self.mark = mark
            (self.title, lines) = (title, [words])
            if title == "Request" { begin(words, at: line.time) }
        } else if let mark, title != nil {
            // Of what is printed at once only the first line has what stands before.
            AppCall.keep(
                line.content(behind: mark) ?? String(decoding: line.text, as: UTF8.self)[...],
                in: &lines
            )
        }
    }

    /// What a line says of what: `Moya_Logger: [04/03/2026 10:54:08] HTTP Request Method: POST`.
    private static func told(_ content: Substring) -> (title: Substring, words: Substring)? {
        guard let end = content.firstRange(of: "] ") else { return nil }
        let told = content[end.upperBound...]
        guard let colon = told.firstRange(of: ": ") else {
            return told.hasSuffix(":") ? (told.dropLast(), "") : nil
        }
        return (told[..<colon.lowerBound], told[colon.upperBound...])
    }

    private mutating func begin(_ words: Substring, at time: Timestamp?) {
        guard words.containsScheme else { return asked = nil }
        let url = String(words)
        asked = calls.count
        unanswered.insert(calls.count)
        waiting[url, default: []].append(calls.count)
        calls.append(AppCall(areFieldsJoined: true))
        calls[calls.count - 1].url = url
        calls[calls.count - 1].start = time.map { ($0, false) }
    }

    /// What was told up to here.
    mutating func close() {
        guard let title else { return }
        let lines = lines
        (self.title, self.lines) = (nil, [])
        let words = lines.first ?? ""
        switch title {
        case "Request Headers":
            if let asked { calls[asked].request.headers = AppleDescription.fields(ofDictionary: words) }
        case "HTTP Request Method", "Request Method":
            if let asked { calls[asked].method = String(words) }
        case "Request Body":
            if let asked { calls[asked].request.body = Self.body(lines) }
        case "Response": answer(lines)
        case "Response Body":
            if let answered { calls[answered].answer.body = Self.body(lines) }
        default: break
        }
    }

    private mutating func answer(_ lines: [Substring]) {
        answered = nil
        guard let response = AppleDescription.response(lines) else { return }
        guard let call = waiting[response.url]?.popLast() else {
            // Of one that was redirected nobody knows how it was answered itself: it is left out.
            if unanswered.count == 1, let call = unanswered.popFirst() { calls[call].isAnswered = true }
            return
        }
        answered = call
        unanswered.remove(call)
        calls[call].isAnswered = true
        calls[call].status = response.status
        calls[call].answer.headers = response.fields
        // Before its version 14 it prints the body behind, as it came.
        let rest = lines.dropFirst(response.lines)
        if !AppCall.trimmed(rest).isEmpty { calls[call].answer.body = Self.body(Array(rest)) }
    }

    /// A text without what the app itself prints behind it, as far as that can be told.
    private static func body(_ lines: [Substring]) -> AppCall.Shown {
        let lines = AppCall.trimmed(lines)
        guard let first = lines.first, first != "## Cannot map data to String ##" else {
            return .omitted(size: nil)
        }
        if let text = AppleDescription.jsonText(lines) { return .text(text, isCut: false) }
        let isPage = first.utf8.first == UInt8(ascii: "<")
        return .text(isPage ? lines.joined(separator: "\n") : String(first), isCut: false)
    }
}
