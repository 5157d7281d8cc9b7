/// Reads what AFNetworkActivityLogger prints, which shows the calls that an iOS app makes with AFNetworking.
///
/// Each message stands between rules of hyphens. A request has a `Host` of the logger's own, with the URL's scheme, and with port 80
/// where the URL has none; an answer has no empty line before its body. A call without an answer is left out: one that was
/// redirected has it under another URL.
struct AFNetworkingLog {
    private static let marks = ["\nHost: http", "--->\nHTTP/1.1 "].map { Array($0.utf8) }
    private static let shortestRule = 48

    private var calls: [AppCall] = []
    private var unanswered = UnansweredCalls()
    /// By a clock of which nobody tells the zone.
    private var time: Timestamp?
    /// Behind a rule that begins a message.
    private var lines: [Substring] = []
    private var isOpen = false

    /// Nil where no call is in it.
    static func read(_ source: CaptureSource) -> Capture? {
        let text = LogText(source)
        guard marks.allSatisfy({ ByteSearch.index(of: $0, in: text.bytes) != nil }) else { return nil }
        var log = AFNetworkingLog()
        text.forEachLine { log.take(LogText.withoutEnd($0)) }
        log.close()
        let exchanges = log.calls.compactMap(\.exchange)
        return exchanges.isEmpty ? nil : text.capture(of: exchanges, creator: "AFNetworking")
    }

    private mutating func take(_ line: ArraySlice<UInt8>) {
        if line.count >= Self.shortestRule, line.allSatisfy({ $0 == UInt8(ascii: "-") }) {
            isOpen = !close()
        } else if isOpen, !lines.isEmpty || Self.isFirst(line) {
            AppCall.keep(String(decoding: line, as: UTF8.self)[...], in: &lines)
        } else {
            isOpen = false
            time = LogText.divided(line).time ?? time
        }
    }

    private static func isFirst(_ line: ArraySlice<UInt8>) -> Bool {
        MessageLog.isRequestLine(line)
            || line.starts(with: "http".utf8) && line.suffix(4).elementsEqual("--->".utf8)
    }

    /// Whether a message ends here.
    @discardableResult private mutating func close() -> Bool {
        let told = lines[...]
        (lines, isOpen) = ([], false)
        guard let first = told.first else { return false }
        if first.hasSuffix("--->") {
            answer(to: String(first.dropLast(4)), told.dropFirst())
        } else {
            request(told)
        }
        return true
    }

    // MARK: - Messages

    private mutating func request(_ lines: ArraySlice<Substring>) {
        let words = lines.first?.split(separator: " ") ?? []
        let end = lines.firstIndex { $0.isEmpty } ?? lines.endIndex
        let fields = lines[..<end].compactMap { AppCall.field($0) }
        guard words.count == 3, let host = fields.first?.value, host[...].containsScheme else { return }
        var call = AppCall(areFieldsJoined: true)
        call.method = String(words[0])
        call.url = (host.hasSuffix(":80") ? String(host.dropLast(3)) : host) + words[1]
        call.start = time.map { ($0, false) }
        call.isAnswered = true
        call.request.headers = Array(fields.dropFirst())
        let body = AppCall.trimmed(lines[end...]).joined(separator: "\n")
        call.request.body = body.isEmpty ? .untold : .text(body, isCut: false)
        unanswered.append(calls.count, of: call.url)
        calls.append(call)
    }

    private mutating func answer(to url: String, _ lines: ArraySlice<Substring>) {
        let words = lines.first?.split(separator: " ") ?? []
        guard words.count > 1, let status = Int(words[1]), let call = unanswered.popFirst(of: url) else {
            return
        }
        let rest = lines.dropFirst()
        let end = rest.firstIndex { AppCall.field($0) == nil } ?? rest.endIndex
        calls[call].status = status
        calls[call].answer.headers = rest[..<end].compactMap { AppCall.field($0) }
        calls[call].answer.body = Self.shown(
            AppCall.trimmed(rest[end...]).joined(separator: "\n"),
            calls[call].answer.headers
        )
        if let time, let start = calls[call].start?.time, time >= start {
            calls[call].duration = time - start
        }
    }

    /// What is no text is described in angle brackets, lists and what there is none of in round ones.
    private static func shown(_ text: String, _ headers: [HeaderFields.Field]) -> AppCall.Shown {
        let type = HeaderFields(headers).first("content-type")?.lowercased() ?? ""
        let isMarkup = type.containsBytes("html") || type.containsBytes("xml")
        let isDescription = text.hasPrefix("(") || text.hasPrefix("<") && !isMarkup
        return text.isEmpty || isDescription ? .untold : .text(text, isCut: false)
    }
}
