/// Reads what netfox shares as text of one call, which shows an iOS app's calls within the app.
///
/// Names stand between brackets, each with its value in the lines below. Times are of whole seconds. A body of more than 1024
/// bytes is shown in the full log only, where both stand behind all else with nothing between them.
struct NetfoxExport {
    private enum Place: Substring {
        case facts = "** INFO **"
        case request = "** REQUEST **"
        case answer = "** RESPONSE **"
        /// The answer's body once more, in Base64 and without.
        case again = "** ENCRYPTED **"
    }

    private static let marks = [Place.facts.rawValue, Place.answer.rawValue].map { Array($0.utf8) }
    private static let end = "logged via netfox - ["

    private var calls: [AppCall] = []
    private var place: Place?
    /// Whether the lines are those of a body.
    private var isBody = false
    /// What stands between brackets above the lines.
    private var name: Substring?
    private var lines: [Substring] = []
    /// Whether what follows is the bodies of the last call.
    private var isBehindAll = false

    /// Nil where no call is in it.
    static func read(_ source: CaptureSource) -> Capture? {
        let text = LogText(source)
        guard marks.allSatisfy({ ByteSearch.index(of: $0, in: text.bytes) != nil }) else { return nil }
        var export = NetfoxExport()
        text.forEachText { export.take($0) }
        export.close()
        let exchanges = export.calls.compactMap(\.exchange)
        return exchanges.isEmpty ? nil : text.capture(of: exchanges, creator: "netfox")
    }

    private mutating func take(_ line: Substring) {
        if let next = Place(rawValue: line) {
            close()
            if next == .facts { calls.append(AppCall(areFieldsJoined: true)) }
            place = next
        } else if line.hasPrefix(Self.end), place != nil {
            close()
            (place, isBehindAll) = (nil, true)
        } else if place == .request || place == .answer, line == "-- Body --" {
            close()
            isBody = true
        } else if isBody || isBehindAll {
            AppCall.keep(line, in: &lines)
        } else if place != nil, line.hasPrefix("["), line.hasSuffix("] ") || line.hasSuffix("]"),
            name == nil || lines.last?.isEmpty == true
        {
            close()
            name = line.dropFirst().prefix { $0 != "]" }
        } else if name != nil {
            AppCall.keep(line, in: &lines)
        }
    }

    /// What the lines belong to that end here.
    private mutating func close() {
        let told = AppCall.trimmed(lines)
        let text = told.joined(separator: "\n")
        lines = []
        defer { (name, isBody, isBehindAll) = (nil, false, false) }
        guard let last = calls.indices.last else { return }
        if isBehindAll {
            calls[last].take(bodies: text)
        } else if isBody {
            let isAnswer = place == .answer
            let body = Self.shown(text, isAnswer ? "Response" : "Request")
            if isAnswer { calls[last].answer.body = body } else { calls[last].request.body = body }
        } else if let name {
            let field = HeaderFields.Field(name: String(name), value: text)
            switch place {
            case .facts: calls[last].take(fact: text, named: name)
            case .request: calls[last].request.headers.append(field)
            case .answer: calls[last].answer.headers.append(field)
            case .again, nil: break
            }
        }
    }

    private static func shown(_ text: String, _ side: String) -> AppCall.Shown {
        if text == "\(side) body is empty" { return .none }
        return text.hasPrefix("Too long to show. ") || text.isEmpty
            ? .omitted(size: nil) : .text(text, isCut: false)
    }
}

extension AppCall {
    fileprivate mutating func take(fact value: String, named name: Substring) {
        switch name {
        case "URL": url = value
        case "Method": method = value
        case "Status":
            status = Int(value)
            isAnswered = status != nil
        case "Request date":
            // `2026-03-04 09:54:08 +0000`, whatever zone the phone is in.
            start = Timestamp(rfc3339: value.replacing(" +0000", with: "Z"))
                .map { ($0, value.hasSuffix(" +0000")) }
        case "Time interval": duration = Double(value).flatMap { ForeignTime.span(from: 0, to: $0) }
        default: break
        }
    }

    /// Both bodies, one behind the other: what is not shown elsewhere is read where the other one tells where it begins.
    fileprivate mutating func take(bodies text: String) {
        guard case .omitted = answer.body else { return }
        switch request.body {
        case .text(let sent, _) where text.hasPrefix(sent) && text.utf8.count > sent.utf8.count:
            answer.body = .text(String(text.dropFirst(sent.count)), isCut: false)
        case .none where !text.isEmpty: answer.body = .text(text, isCut: false)
        default: break
        }
    }
}
