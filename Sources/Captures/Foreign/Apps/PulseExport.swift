import JSON

/// Reads what Pulse shares as text, which shows an iOS app's calls within the app: one call, or all of them, also with what the app
/// logged between them.
///
/// Times are of whole seconds. Of a form whose type was known the parameters stand decoded, one a line; JSON is set in lines
/// (``PulseJSON``).
struct PulseExport {
    private enum Part {
        case task
        case error
        case headers(isAnswer: Bool)
        case body(isAnswer: Bool)
    }

    private static let marks = [Array("\nURLSession".utf8), Array("\nResponse Body".utf8)]
    /// Between the facts of a headline.
    private static let dot = " · "
    /// Of the titles of parts.
    private static let initials = Array("CEOR".utf8)
    /// Stands for what there is none of.
    private static let none = "–"
    /// In lines, of what stands before a task: its status, its method and its URL, and empty ones.
    private static let longestHead = 16

    private var calls: [AppCall] = []
    private var part: Part?
    private var lines: [Substring] = []

    /// Nil where no call is in it.
    static func read(_ source: CaptureSource) -> Capture? {
        let text = LogText(source)
        guard marks.allSatisfy({ ByteSearch.index(of: $0, in: text.bytes) != nil }) else { return nil }
        var export = PulseExport()
        text.forEachText { export.take($0) }
        export.close()
        let exchanges = export.calls.compactMap(\.exchange)
        return exchanges.isEmpty ? nil : text.capture(of: exchanges, creator: "Pulse")
    }

    private mutating func take(_ line: Substring) {
        if line.hasPrefix("URLSession"), line.hasSuffix("Task"), begin() {
            part = .task
        } else if Self.isHeadline(line) {
            close()
            lines = [line]
        } else if let next = nextPart(line) {
            close()
            part = next
        } else {
            AppCall.keep(line, in: &lines)
        }
    }

    /// `10:54:08.123 · POST · 400 Bad Request · 91 bytes · 245ms`, and the same of what the app logged.
    private static func isHeadline(_ line: Substring) -> Bool {
        let clock = line.utf8.prefix { $0.isASCIIDigit || $0 == 0x3a || $0 == 0x2e }
        return clock.count >= 8 && line.utf8.dropFirst(clock.count).starts(with: dot.utf8)
    }

    /// What follows a title, behind which stands how many or how large it is: `Request Headers (2)`.
    private func nextPart(_ line: Substring) -> Part? {
        guard let part, let first = line.utf8.first, Self.initials.contains(first) else { return nil }
        if line == "Error", case .task = part { return .error }
        let title = line.firstRange(of: " (").map { line[..<$0.lowerBound] } ?? line
        guard title.endIndex == line.endIndex || line.hasSuffix(")") else { return nil }
        switch title {
        case "Request Headers", "Original Request Headers", "Current Request Headers":
            return .headers(isAnswer: false)
        case "Response Headers": return .headers(isAnswer: true)
        case "Request Body": return .body(isAnswer: false)
        case "Response Body": return .body(isAnswer: true)
        default: return nil
        }
    }

    // MARK: - A call

    /// Begins the call whose URL stands last, behind its headline or, of a call that was shared alone, behind status and method in
    /// lines of their own; false where none does.
    private mutating func begin() -> Bool {
        let told = AppCall.trimmed(lines.suffix(Self.longestHead))
        guard let url = told.last, url.containsScheme, told.count > 1 else { return false }
        var call = AppCall(areFieldsJoined: true)
        call.url = String(url)
        var head = told.endIndex - 2
        var status: Substring?
        if Self.isHeadline(told[head]) {
            let facts = told[head].split(separator: Self.dot, maxSplits: 3)
            guard facts.count > 1 else { return false }
            call.method = String(facts[1])
            status = facts.count > 2 ? facts[2] : nil
        } else {
            call.method = String(told[head])
            let line = told[..<head].lastIndex { !$0.isEmpty }
            status = line.map { told[$0] }
            head = line ?? head
        }
        guard !call.method.isEmpty, call.method.utf8.allSatisfy(\.isASCIILetter) else { return false }
        call.take(status: status)
        lines.removeSubrange(head...)
        close()
        calls.append(call)
        return true
    }

    /// What stands in the part that ends here.
    private mutating func close() {
        let told = AppCall.trimmed(lines)
        let ended = part
        (part, lines) = (nil, [])
        guard let ended, let last = calls.indices.last else { return }
        switch ended {
        case .task: for line in told { calls[last].take(fact: line) }
        case .error:
            let words = told.first { $0.hasPrefix("Description: ") } ?? told.first
            calls[last].failure =
                words.map { $0.split(separator: ": ", maxSplits: 1).last.map(String.init) } ?? nil
        case .headers(let isAnswer):
            let fields = told.compactMap { AppCall.field($0) }
            if isAnswer { calls[last].answer.headers = fields } else { calls[last].request.headers = fields }
        case .body(isAnswer: false):
            calls[last].request.body = Self.shown(told, of: calls[last].request)
        case .body(isAnswer: true): calls[last].answer.body = Self.shown(told, of: calls[last].answer)
        }
    }

    private static func shown(_ lines: ArraySlice<Substring>, of message: AppCall.Message) -> AppCall.Shown {
        if lines.isEmpty || lines.elementsEqual([none[...]]) { return .untold }
        if lines.count == 1, let words = lines.first?.split(separator: " "), words.count == 2,
            Double(words[0]) != nil, ["byte", "bytes", "KB", "MB", "GB"].contains(words[1])
        {
            return .omitted(size: nil)
        }
        let text = lines.joined(separator: "\n")
        if AppCall.isForm(message.headers), let form = AppCall.form(ofLines: text) { return .form(form) }
        return PulseJSON.shown(lines) ?? .text(text, isCut: false)
    }
}

extension AppCall {
    /// `400 Bad Request`, or why there was no answer.
    fileprivate mutating func take(status words: Substring?) {
        guard let words else { return }
        let number = words.prefix { $0 != " " }
        if number.utf8.count == 3, let status = Int(number), (100...999).contains(status) {
            (self.status, isAnswered) = (status, true)
        } else {
            failure = String(words)
        }
    }

    /// A line of what is told of the task.
    fileprivate mutating func take(fact line: Substring) {
        if line.hasPrefix("Date: ") {
            start = Self.start(line.dropFirst(6))
        } else if line.hasPrefix("Duration: ") {
            let words = line.dropFirst(10)
            let unit = [("ms", 0.001), ("min", 60.0), ("s", 1.0)].first { words.hasSuffix($0.0) }
            duration = unit.flatMap { unit in
                Double(String(words.dropLast(unit.0.count))).flatMap {
                    ForeignTime.span(from: 0, to: $0 * unit.1)
                }
            }
        }
    }

    /// `Mar 4, 2026 at 10:54:08 AM (GMT+1)`.
    private static func start(_ words: Substring) -> (time: Timestamp, isZoneKnown: Bool)? {
        let parts = String(words).split(separator: " (", maxSplits: 1)
        guard let date = parts.first, parts.count < 3,
            let local = Producers.start(.string(String(date.replacing(" at ", with: ", "))))
        else { return nil }
        guard parts.count > 1, parts[1].hasSuffix(")") else { return local }
        var zone = String(parts[1].dropLast())
        // Hours are of one digit or two, minutes stand where there are some.
        let clock = zone.split(separator: ":")
        if clock.count == 2, let hours = Int(clock[0].dropFirst(4)), zone.hasPrefix("GMT"), hours < 15 {
            zone = "\(zone.prefix(4))\(hours < 10 ? "0" : "")\(hours)\(clock[1])"
        }
        return Producers.start(.string("\(local.time.rfc3339.prefix(19)) \(zone)")) ?? local
    }
}
