/// Reads what Alamofire says of an answer (`debugPrint(response)`), with which apps on Apple's systems call servers.
///
/// Its lines are indented. Bodies of other types than JSON, XML and text are counted, not shown: forms are missing.
struct AlamofireLog: AppLog {
    static let creator = "Alamofire"
    static let marks: [[UInt8]] = [titles[0], answer]

    private static let titles: [[UInt8]] = [Array("[Request]: ".utf8)]
    /// What it says behind each request; others have that title as well.
    private static let answer = Array("[Response]:".utf8)

    private(set) var calls: [AppCall] = []
    private var mark: AppLogLine.Mark?
    private var isAnswer = false
    /// What the lines that are indented further belong to: `[Headers]:`, `[Body]:`.
    private var part: Substring?
    private var lines: [Substring] = []

    mutating func take(_ line: AppLogLine) {
        if let (mark, _) = line.find(Self.titles), let content = line.content(behind: mark) {
            let words = content.split(separator: " ", maxSplits: 2)
            guard words.count > 2, words[1].utf8.allSatisfy(\.isASCIILetter), words[2].containsScheme else {
                return
            }
            close()
            (self.mark, isAnswer) = (mark, false)
            calls.append(AppCall(areFieldsJoined: true))
            calls[calls.count - 1].method = String(words[1])
            calls[calls.count - 1].url = String(words[2])
            calls[calls.count - 1].start = line.time.map { ($0, false) }
        } else if let mark {
            // Of what is printed at once only the first line has what stands before.
            take(line.content(behind: mark) ?? String(decoding: line.text, as: UTF8.self)[...])
        }
    }

    private mutating func take(_ line: Substring) {
        let depth = line.utf8.prefix { $0 == 0x20 }.count
        let words = line.dropFirst(depth)
        if part != nil, depth >= 8 || words.isEmpty {
            return AppCall.keep(line.dropFirst(8), in: &lines)
        }
        close()
        guard let (name, value) = Self.named(words) else { return }
        change { call in
            switch (name, depth) {
            case ("Response", 0): call.isAnswered = value.isEmpty
            case ("Status Code", 4): call.status = Int(value)
            case ("Network Duration", 0) where value.hasSuffix("s"):
                call.duration = Double(value.dropLast()).flatMap { ForeignTime.span(from: 0, to: $0) }
            case ("Result", 0) where value.hasPrefix("failure("):
                call.failure = String(value.dropFirst(8).dropLast())
            default: break
            }
        }
        switch (name, depth) {
        case ("Response", 0): isAnswer = true
        case ("Headers", 4) where value.isEmpty: part = name
        case ("Body", 4): if value.isEmpty { part = name } else { take(body: value) }
        // The last thing that is said.
        case ("Result", 0): mark = nil
        default: break
        }
    }

    /// `[Status Code]: 400`.
    private static func named(_ words: Substring) -> (name: Substring, value: Substring)? {
        guard words.utf8.first == UInt8(ascii: "["), let end = words.firstRange(of: "]:") else { return nil }
        return (words[..<end.lowerBound].dropFirst(), words[end.upperBound...].drop { $0 == " " })
    }

    /// `None`, `95 bytes`.
    private mutating func take(body words: Substring) {
        let body: AppCall.Shown =
            words == "None" ? .none : .omitted(size: words.split(separator: " ").first.flatMap { Int($0) })
        let isAnswer = isAnswer
        change { call in
            if isAnswer { call.answer.body = body } else { call.request.body = body }
        }
    }

    private mutating func change(_ change: (inout AppCall) -> Void) {
        if let last = calls.indices.last { change(&calls[last]) }
    }

    /// What stands in the part that ends here.
    mutating func close() {
        guard let part else { return }
        let lines = AppCall.trimmed(lines)
        (self.part, self.lines) = (nil, [])
        guard let last = calls.indices.last else { return }
        var message = isAnswer ? calls[last].answer : calls[last].request
        if part == "Headers" {
            message.headers = lines.compactMap { AppCall.field($0) }
        } else {
            message.body = .text(lines.joined(separator: "\n"), isCut: false)
        }
        if isAnswer { calls[last].answer = message } else { calls[last].request = message }
    }
}
