/// Reads what FLEX exports as text, which shows an iOS app's calls within the app: one call, or all of them.
///
/// JSON is set in lines; times are those of the phone's clock. The versions and the words of a status are FLEX's own, not the
/// server's.
struct FLEXExport {
    private enum Place {
        case facts
        case request
        case answer
    }

    private static let request = ">>> REQUEST >>>"
    private static let answer = "<<< RESPONSE <<<"

    private var calls: [AppCall] = []
    /// What is told of the call that follows.
    private var next = AppCall(areFieldsJoined: true)
    private var place = Place.facts
    /// The title of what the lines belong to.
    private var part: Substring?
    private var lines: [Substring] = []

    /// Nil where no call is in it.
    static func read(_ source: CaptureSource) -> Capture? {
        let text = LogText(source)
        guard [request, answer].allSatisfy({ ByteSearch.index(of: Array($0.utf8), in: text.bytes) != nil })
        else { return nil }
        var export = FLEXExport()
        text.forEachText { export.take($0) }
        export.close()
        let exchanges = export.calls.compactMap(\.exchange)
        return exchanges.isEmpty ? nil : text.capture(of: exchanges, creator: "FLEX")
    }

    private mutating func take(_ line: Substring) {
        if isRule(line) {
            // The number of the next one stands behind the last answer.
            if place == .answer, let number = lines.lastIndex(where: { !$0.isEmpty }),
                lines[number].hasPrefix("#")
            {
                lines.removeSubrange(number...)
            }
            close()
            place = .facts
        } else if line == Self.request {
            close()
            calls.append(next)
            (next, place) = (AppCall(areFieldsJoined: true), .request)
        } else if line == Self.answer, !calls.isEmpty {
            close()
            place = .answer
        } else if place != .facts, let title = titleOfPart(line) {
            close()
            part = title
        } else if part != nil {
            AppCall.keep(line, in: &lines)
        } else {
            take(fact: line)
        }
    }

    private func isRule(_ line: Substring) -> Bool {
        line.utf8.count == 80 && line.utf8.allSatisfy { $0 == UInt8(ascii: "=") }
    }

    /// That of a part of the message at hand.
    private func titleOfPart(_ line: Substring) -> Substring? {
        guard line.hasPrefix("--- "), line.hasSuffix(" ---"), line.utf8.count > 8 else { return nil }
        let words = line.dropFirst(4).dropLast(4)
        if words == "Error" { return place == .answer ? words : nil }
        let side: Substring = place == .answer ? "Response " : "Request "
        guard words.hasPrefix(side) else { return nil }
        let title = words.dropFirst(side.count)
        return ["Headers", "Body"].contains(title) ? title : nil
    }

    private mutating func take(fact line: Substring) {
        switch place {
        case .facts:
            if line.hasPrefix("Start Time: ") {
                next.start = Timestamp(rfc3339: String(line.dropFirst(12))).map { ($0, false) }
            } else if line.hasPrefix("Duration: "), line.hasSuffix(" ms") {
                next.duration = Double(line.dropFirst(10).dropLast(3))
                    .flatMap { ForeignTime.span(from: 0, to: $0 / 1000) }
            }
        case .request:
            let words = line.split(separator: " ")
            guard let last = calls.indices.last, calls[last].method.isEmpty, words.count == 3 else { return }
            (calls[last].method, calls[last].url) = (String(words[0]), String(words[1]))
        case .answer:
            let words = line.split(separator: " ", maxSplits: 2)
            guard let last = calls.indices.last, calls[last].status == nil, words.count > 1,
                words[0].hasPrefix("HTTP/")
            else { return }
            calls[last].status = Int(words[1])
            calls[last].isAnswered = true
            // One of which there were bytes has its part.
            calls[last].answer.body = .none
        }
    }

    /// What stands in the part that ends here.
    private mutating func close() {
        let told = AppCall.trimmed(lines)
        lines = []
        guard let title = part, let last = calls.indices.last else { return part = nil }
        part = nil
        var message = place == .answer ? calls[last].answer : calls[last].request
        switch title {
        case "Headers": message.headers = told.compactMap { AppCall.field($0) }
        case "Body": message.body = Self.shown(told)
        default: calls[last].failure = told.joined(separator: "\n")
        }
        if place == .answer { calls[last].answer = message } else { calls[last].request = message }
    }

    /// `[Binary data: 95 bytes]` and `[Response not in cache: 95 bytes received]` stand for what is not shown.
    private static func shown(_ lines: ArraySlice<Substring>) -> AppCall.Shown {
        let isSize = { (words: Substring) in
            words.hasPrefix("[Binary data: ") || words.hasPrefix("[Response not in cache: ")
        }
        guard lines.count == 1, let words = lines.first, isSize(words), words.hasSuffix("]") else {
            return .text(lines.joined(separator: "\n"), isCut: false)
        }
        return .omitted(size: words.split(separator: " ").lazy.compactMap { Int($0) }.first)
    }
}
