import JSON

/// Reads what Chucker shares as text, which shows an Android app's calls within the app: one call, or all of them.
///
/// URLs and forms stand decoded there, and are encoded anew; JSON is set in lines. Times are of whole seconds.
struct ChuckerExport {
    private enum Section {
        case facts
        case request
        case answer
    }

    private var calls: [AppCall] = []
    private var section: Section?
    private var lines: [Substring] = []

    private static let mark = Array("---------- Request ----------".utf8)
    private static let request = "---------- Request ----------"
    private static let answer = "---------- Response ----------"
    /// What it sets between calls, and behind the last.
    private static let ends: Set<Substring> = ["==================", "/*  Export End  */"]

    /// Nil where no call is in it.
    static func read(_ source: CaptureSource) -> Capture? {
        let text = LogText(source)
        guard ByteSearch.index(of: mark, in: text.bytes) != nil else { return nil }
        var export = ChuckerExport()
        var line: Substring?
        text.forEachText { next in
            if let line { export.take(line, before: next) }
            line = next
        }
        if let line { export.take(line, before: "") }
        export.close()
        let exchanges = export.calls.compactMap(\.exchange)
        return exchanges.isEmpty ? nil : text.capture(of: exchanges, creator: "Chucker")
    }

    private mutating func take(_ line: Substring, before next: Substring) {
        if line.hasPrefix("URL: "), next.hasPrefix("Method: ") {
            close()
            calls.append(AppCall())
            section = .facts
        } else if section == .facts, line == Self.request {
            close()
            section = .request
            return
        } else if section == .request, line == Self.answer {
            close()
            section = .answer
            return
        } else if section == .answer, Self.ends.contains(line) {
            return close()
        }
        if section != nil { AppCall.keep(line, in: &lines) }
    }

    /// What stands in the section that ends here.
    private mutating func close() {
        guard let section, let call = calls.indices.last else { return }
        switch section {
        case .facts: for line in lines { calls[call].take(fact: line) }
        case .request: calls[call].request = Self.message(lines)
        case .answer: calls[call].answer = Self.message(lines)
        }
        (self.section, lines) = (nil, [])
    }

    /// Header fields up to an empty line, and the body.
    private static func message(_ lines: [Substring]) -> AppCall.Message {
        var message = AppCall.Message()
        var rest = AppCall.trimmed(lines)
        while let line = rest.first, let field = AppCall.field(line) {
            message.headers.append(field)
            rest = rest.dropFirst()
        }
        message.body = shown(AppCall.trimmed(rest).joined(separator: "\n"))
        if case .text(let text, isCut: false) = message.body, AppCall.isForm(message.headers),
            let form = AppCall.form(ofLines: text)
        {
            message.body = .form(form)
        }
        return message
    }

    private static func shown(_ text: String) -> AppCall.Shown {
        switch text {
        case "", "(body is empty)": return .none
        case "(encoded or binary body omitted)": return .omitted(size: nil)
        default:
            for words in ["--- Content truncated ---", "--- Unexpected end of content ---"]
            where text.hasSuffix(words) {
                let lines = text.dropLast(words.count).split(
                    separator: "\n",
                    omittingEmptySubsequences: false
                )
                return .text(AppCall.trimmed(lines).joined(separator: "\n"), isCut: true)
            }
            return .text(text, isCut: false)
        }
    }
}

extension AppCall {
    /// A line above the messages: `Protocol: h2`.
    fileprivate mutating func take(fact line: Substring) {
        guard let colon = line.firstRange(of: ": ") else { return }
        let value = String(line[colon.upperBound...])
        switch line[..<colon.lowerBound] {
        case "URL": url = value
        case "Method": method = value
        case "Protocol": version = value == "null" ? "" : ForeignTime.httpVersion(value)
        case "Response":
            let words = value.split(separator: " ", maxSplits: 1)
            if let first = words.first, first.utf8.count == 3, let code = Int(first) {
                status = code
                isAnswered = true
                reason = words.count > 1 ? String(words[1]) : ""
            } else {
                // Of one that is under way it is null.
                failure = value == "null" ? nil : value
            }
        case "Request time": start = Producers.start(.string(value))
        case "Duration":
            duration = value.split(separator: " ").first.flatMap { Int64($0.prefix(9)) }.map {
                .milliseconds($0)
            }
        default: break
        }
    }
}
