/// Reads what the `Logging` plugin of Ktor's client prints, with which Kotlin's apps call servers, also out of Android's log.
///
/// With its level `ALL` all is there. Several values of a field stand in one.
struct KtorLog: AppLog {
    static let creator = "Ktor"
    static let marks: [[UInt8]] = [titles[0], mark]

    private enum Section {
        case facts
        case body
    }

    /// The first line of a message, and what it says where there is none.
    private static let titles: [[UInt8]] = [
        Array("REQUEST: http".utf8), Array("RESPONSE: ".utf8), Array("REQUEST http".utf8),
        Array("RESPONSE http".utf8),
    ]
    private static let mark = Array("COMMON HEADERS".utf8)

    private(set) var calls: [AppCall] = []
    /// Of ``calls``, those without an answer, by their URLs.
    private var waiting: [String: [Int]] = [:]
    private var mark: AppLogLine.Mark?
    private var section: Section?
    private var isAnswer = false
    /// Of an answer, until it is known which call it is of.
    private var told = AppCall()
    /// The call whose message is being printed.
    private var open: Int?
    private var lines: [Substring] = []

    mutating func take(_ line: AppLogLine) {
        if let (mark, title) = line.find(Self.titles), let content = line.content(behind: mark) {
            self.mark = mark
            begin(content, title: title, at: line.time)
        } else if let mark {
            // Of what is printed at once only the first line may have what stands before.
            let content = line.content(behind: mark)
            if let content = content
                ?? (mark.isTimed && !line.isTimed ? String(decoding: line.text, as: UTF8.self)[...] : nil)
            {
                take(content)
            }
        }
    }

    private mutating func begin(_ line: Substring, title: Int, at time: Timestamp?) {
        (section, isAnswer, open, told, lines) = (.facts, title == 1, nil, AppCall(), [])
        switch title {
        case 0:
            let url = String(line.dropFirst("REQUEST: ".count))
            open = calls.count
            waiting[url, default: []].append(calls.count)
            calls.append(AppCall())
            calls[calls.count - 1].url = url
            calls[calls.count - 1].start = time.map { ($0, false) }
        case 1:
            let words = line.dropFirst("RESPONSE: ".count).split(separator: " ", maxSplits: 1)
            told.status = words.first.flatMap { Int($0) }
            told.reason = words.count > 1 ? String(words[1]) : ""
        default:
            section = nil
            // `REQUEST https://op.example/ failed with exception: java.net.UnknownHostException: op.example`
            let words = " failed with exception: "
            guard let range = line.firstRange(of: words), let blank = line.firstIndex(of: " "),
                let call = waiting[String(line[blank..<range.lowerBound].dropFirst())]?.popLast()
            else { return }
            calls[call].failure = String(line[range.upperBound...])
        }
    }

    private mutating func take(_ line: Substring) {
        switch section {
        case nil: break
        case .body?:
            guard line == "BODY END" else { return AppCall.keep(line, in: &lines) }
            let text = lines.joined(separator: "\n")
            let isOmitted = text.hasPrefix("[") && text.hasSuffix(" body omitted]")
            (section, lines) = (nil, [])
            change {
                $0.body = text.isEmpty ? .none : isOmitted ? .omitted(size: nil) : .text(text, isCut: false)
            }
        case .facts?:
            if line == "BODY START" {
                section = .body
            } else if line.hasPrefix("-> ") {
                guard let field = AppCall.field(line.dropFirst(3)) else { return }
                change { $0.headers.append(field) }
            } else if line.hasPrefix("METHOD: ") {
                // `HttpMethod(value=POST)`, before its version 3.
                let name = line.dropFirst(8).split(separator: "=").last ?? ""
                if let open, !isAnswer { calls[open].method = String(name.prefix { $0.isLetter }) }
            } else if line.hasPrefix("FROM: "), isAnswer, open == nil {
                guard let call = waiting[String(line.dropFirst(6))]?.popLast() else { return }
                open = call
                calls[call].isAnswered = true
                (calls[call].status, calls[call].reason) = (told.status, told.reason)
            }
        }
    }

    private mutating func change(_ change: (inout AppCall.Message) -> Void) {
        guard let open else { return }
        if isAnswer { change(&calls[open].answer) } else { change(&calls[open].request) }
    }
}
