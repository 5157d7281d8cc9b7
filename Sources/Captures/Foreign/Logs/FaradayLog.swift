/// Reads what the logger of Faraday prints (`response :logger`, `bodies: true`), with which Ruby's gems for OAuth call providers.
///
/// `I, [2026-03-04T10:54:08.123456 #4242]  INFO -- request: POST https://op.example/token`, in a line of its own the header fields
/// and, with another such beginning, the body.
struct FaradayLog: AppLog {
    static let creator = "Faraday"
    static let marks = titles

    private static let titles: [[UInt8]] = [Array("-- request: ".utf8), Array("-- response: ".utf8)]

    private(set) var calls: [AppCall] = []
    private var isAnswer = false
    private var isOpen = false
    private var lines: [Substring] = []

    mutating func take(_ line: AppLogLine) {
        if let (mark, title) = line.find(Self.titles), let content = line.content(behind: mark) {
            close()
            (isAnswer, isOpen) = (title == 1, true)
            lines = [content.dropFirst(Self.titles[title].count)]
            if title == 0 { begin(at: Self.time(mark.bytes)) }
        } else if Self.isOfLogger(line.text) {
            close()
        } else if isOpen {
            AppCall.keep(String(decoding: line.text, as: UTF8.self)[...], in: &lines)
        }
    }

    /// Each line of Ruby's logger begins with a level's letter and the time.
    private static func isOfLogger(_ text: ArraySlice<UInt8>) -> Bool {
        guard let letter = text.first else { return false }
        return "DIWEFA".utf8.contains(letter) && text.dropFirst().starts(with: ", [".utf8)
    }

    private static func time(_ mark: ArraySlice<UInt8>) -> Timestamp? {
        guard let open = mark.firstIndex(of: UInt8(ascii: "[")) else { return nil }
        let words = mark[open...].dropFirst().prefix { $0 > 0x20 && $0 != UInt8(ascii: "]") }
        return Timestamp(rfc3339: String(decoding: words, as: UTF8.self))
    }

    /// `POST https://op.example/token`: any other line tells of the request before.
    private mutating func begin(at time: Timestamp?) {
        let words = (lines.first ?? "").split(separator: " ")
        guard words.count == 2, words[0].utf8.allSatisfy(\.isASCIILetter), words[1].containsScheme else {
            return
        }
        calls.append(AppCall(areFieldsJoined: true))
        calls[calls.count - 1].method = words[0].uppercased()
        calls[calls.count - 1].url = String(words[1])
        calls[calls.count - 1].start = time.map { ($0, false) }
        isOpen = false
    }

    /// What was told up to here.
    mutating func close() {
        let told = lines
        defer { (lines, isOpen) = ([], false) }
        guard isOpen, let last = calls.indices.last, let first = told.first else { return }
        if isAnswer, calls[last].status == nil {
            guard first.hasPrefix("Status ") else { return }
            calls[last].status = Int(first.dropFirst(7))
            calls[last].isAnswered = true
            return
        }
        var message = isAnswer ? calls[last].answer : calls[last].request
        let fields = told.map(Self.field)
        if message.headers.isEmpty, fields.allSatisfy({ $0 != nil }) {
            message.headers = fields.compactMap(\.self)
        } else if case .untold = message.body {
            let text = AppCall.trimmed(told).joined(separator: "\n")
            message.body = .text(text, isCut: false)
        }
        if isAnswer { calls[last].answer = message } else { calls[last].request = message }
    }

    /// `Content-Type: "application/json"`; nil where a line is no header field.
    private static func field(_ line: Substring) -> HeaderFields.Field? {
        guard var field = AppCall.field(line), let value = QuotedBytes.decode(Array(field.value.utf8)[...])
        else { return nil }
        field.value = String(decoding: value, as: UTF8.self)
        return field
    }
}
