/// Reads what Wormholy shares as text, which shows an iOS app's calls within the app: one call, or all of them.
///
/// Each section has its title between stars. JSON is set in lines; times are of whole seconds, by the phone's clock.
enum WormholyExport {
    private static let mark = Array("*** Overview ***".utf8)

    /// Nil where no call is in it.
    static func read(_ source: CaptureSource) -> Capture? {
        let text = LogText(source)
        guard ByteSearch.index(of: mark, in: text.bytes) != nil else { return nil }
        var calls: [AppCall] = []
        var title: Substring?
        var lines: [Substring] = []
        text.forEachText { line in
            let next = self.title(line)
            guard next != nil || isEnd(line) else {
                if title != nil { AppCall.keep(line, in: &lines) }
                return
            }
            if let title, let last = calls.indices.last { take(title, lines, into: &calls[last]) }
            (title, lines) = (next, [])
            if next == "Overview" { calls.append(AppCall(areFieldsJoined: true)) }
        }
        if let title, let last = calls.indices.last { take(title, lines, into: &calls[last]) }
        let exchanges = calls.compactMap(\.exchange)
        return exchanges.isEmpty ? nil : text.capture(of: exchanges, creator: "Wormholy")
    }

    private static let titles: Set<Substring> = [
        "Overview", "Request Header", "Request Body", "Response Header", "Response Body", "curl Request",
    ]

    /// That of the section that begins with a line.
    private static func title(_ line: Substring) -> Substring? {
        guard line.hasPrefix("*** "), let end = line.dropFirst(4).firstRange(of: " ***") else { return nil }
        let title = line.dropFirst(4)[..<end.lowerBound]
        return titles.contains(title) ? title : nil
    }

    private static func isEnd(_ line: Substring) -> Bool {
        line.utf8.count == 72 && line.utf8.allSatisfy { $0 == UInt8(ascii: "-") }
    }

    private static func take(_ title: Substring, _ lines: [Substring], into call: inout AppCall) {
        let lines = AppCall.trimmed(lines)
        switch title {
        case "Overview": for line in lines { call.take(fact: line) }
        case "Request Header": call.request.headers = lines.compactMap(field)
        case "Response Header": call.answer.headers = lines.compactMap(field)
        case "Request Body": call.request.body = shown(lines)
        case "Response Body": call.answer.body = shown(lines)
        default: break
        }
    }

    /// `Content-Type application/json`, without a colon.
    private static func field(_ line: Substring) -> HeaderFields.Field? {
        let words = line.split(separator: " ", maxSplits: 1)
        guard let name = words.first, name != "-", name.utf8.allSatisfy(\.isTokenCharacter) else {
            return nil
        }
        return HeaderFields.Field(name: String(name), value: words.count > 1 ? String(words[1]) : "")
    }

    /// A hyphen stands for none, and for one that is no text.
    private static func shown(_ lines: ArraySlice<Substring>) -> AppCall.Shown {
        lines.elementsEqual(["-"]) ? .untold : .text(lines.joined(separator: "\n"), isCut: false)
    }
}

extension AppCall {
    /// A line of the overview: `Response Code 400`.
    fileprivate mutating func take(fact line: Substring) {
        let value = { (name: String) in line.hasPrefix("\(name) ") ? line.dropFirst(name.count + 1) : nil }
        if let words = value("URL") {
            url = String(words)
        } else if let words = value("Method") {
            method = String(words)
        } else if let words = value("Response Code") {
            status = Int(words.prefix(3))
            isAnswered = status != nil
        } else if let words = value("Request Start Time") {
            // `Mar 4 2026 - 10:54:08`
            let parts = words.split(separator: " ")
            guard parts.count == 5 else { return }
            let date = "Day, \(parts[1]) \(parts[0]) \(parts[2]) \(parts[4]) GMT"
            start = Timestamp(httpDate: date).map { ($0, false) }
        } else if let words = value("Duration"), words.hasSuffix("ms") {
            duration = Double(words.dropLast(2)).flatMap { ForeignTime.span(from: 0, to: $0 / 1000) }
        }
    }
}
