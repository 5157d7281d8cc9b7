/// Reads messages of HTTP that stand as text one behind the other: what HTTPie prints with `--verbose` and wget with `--debug`, what
/// programs in Go log of `httputil`'s dumps, messages that ZAP and Fiddler save as text, recordings of GoReplay.
///
/// A message begins with its first line, and ends where the next one does, or a line that these programs set between them.
struct MessageLog {
    private enum Side {
        case request
        case answer
    }

    private struct Pair {
        var request: [UInt8]
        var answer: [UInt8] = []
        var start: (time: Timestamp, isZoneKnown: Bool)?
    }

    private var pairs: [Pair] = []
    /// By the number that GoReplay gives both messages.
    private var numbered: [[UInt8]: Int] = [:]
    /// What the lines belong to, and of which pair; nil between messages.
    private var open: (side: Side, pair: Int)?
    /// What GoReplay said of the message that follows.
    private var announced: (side: Side, number: [UInt8], time: Timestamp?)?
    /// Whether the message at hand began behind what a log has before its lines.
    private var isLogged = false
    /// Whether answers stand without their bodies, as in wget's.
    private var hasHeadsOnly = false

    /// Nil where no answer to a request is in it.
    static func read(_ source: CaptureSource) -> Capture? {
        let text = LogText(source)
        // An archive of pages has answers before their requests.
        guard !text.bytes.starts(with: "WARC/".utf8) else { return nil }
        var log = MessageLog()
        text.forEachLine { log.take($0) }
        guard log.pairs.contains(where: { !$0.answer.isEmpty }) else { return nil }
        let exchanges = log.pairs.compactMap { log.exchange(of: $0) }
        return exchanges.isEmpty ? nil : text.capture(of: exchanges, creator: "HTTP messages")
    }

    // MARK: - Lines

    /// `line`: with its end.
    private mutating func take(_ line: ArraySlice<UInt8>) {
        let (time, rest) = LogText.divided(line)
        let content = rest.drop { $0 == 0x20 }
        let words = LogText.withoutEnd(content)
        if let dump = QuotedBytes.decode(words), let end = dump.firstIndex(of: 0x0a),
            Self.isFirstLine(LogText.withoutEnd(dump[...end]))
        {
            var lines = dump[...]
            while !lines.isEmpty {
                let end = lines.firstIndex(of: 0x0a).map { $0 + 1 } ?? lines.endIndex
                take(lines[..<end], at: time)
                lines = lines[end...]
            }
            return open = nil
        }
        guard rest.count < line.count else { return take(line, at: nil) }
        let isFirst = Self.isFirstLine(words)
        // Behind a message that was logged another line of the log stands.
        if !isFirst, isLogged { return open = nil }
        take(isFirst ? content : line, at: time)
        if isFirst { isLogged = true }
    }

    private static func isFirstLine(_ line: ArraySlice<UInt8>) -> Bool {
        isStatusLine(line) || isRequestLine(line)
    }

    /// `time`: by a clock of which nobody tells the zone.
    private mutating func take(_ line: ArraySlice<UInt8>, at time: Timestamp?) {
        let words = LogText.withoutEnd(line)
        if Self.isFirstLine(words) { isLogged = false }
        if Self.isStatusLine(words) {
            guard
                let pair = announced.map({ $0.side == .answer ? numbered[$0.number] : nil })
                    ?? pairs.indices.last
            else {
                (open, announced) = (nil, nil)
                return
            }
            if !RawMessage.isInterim(pairs[pair].answer) { pairs[pair].answer = [] }
            (open, announced) = ((.answer, pair), nil)
        } else if Self.isRequestLine(words) {
            let own = announced.flatMap { $0.side == .request ? $0 : nil }
            if let own { numbered[own.number] = pairs.count }
            (open, announced) = ((.request, pairs.count), nil)
            let start = own?.time.map { ($0, true) } ?? time.map { ($0, false) }
            pairs.append(Pair(request: [], start: start))
        } else if Self.isBetween(words) {
            hasHeadsOnly = hasHeadsOnly || words.starts(with: "---response".utf8)
            return open = nil
        } else if open == nil, let form = Self.form(words), let last = pairs.indices.last,
            pairs[last].answer.isEmpty
        {
            pairs[last].request += form
        } else if let next = Self.announcement(words) {
            (open, announced) = (nil, next)
            return
        }
        switch open {
        case (.request, let pair)?: pairs[pair].request += line
        case (.answer, let pair)?: pairs[pair].answer += line
        case nil: break
        }
    }

    /// `line`: without its end.
    static func isStatusLine(_ line: ArraySlice<UInt8>) -> Bool {
        guard line.starts(with: "HTTP/".utf8) else { return false }
        let words = line.split(separator: 0x20, maxSplits: 2)
        return words.count > 1 && words[0].count <= 8
            && words[1].count == 3
            && words[1].allSatisfy(\.isASCIIDigit)
    }

    /// `line`: without its end.
    static func isRequestLine(_ line: ArraySlice<UInt8>) -> Bool {
        guard let first = line.first, (0x41...0x5a).contains(first) else { return false }
        let words = line.split(separator: 0x20, maxSplits: 3)
        guard words.count == 3, words[2].starts(with: "HTTP/".utf8), words[2].count <= 8 else { return false }
        return words[0].allSatisfy { (0x41...0x5a).contains($0) }
            && (words[1].first == UInt8(ascii: "/") || words[1].firstRange(of: Array("://".utf8)) != nil)
    }

    /// `[POST data: code=abcd]`, as wget tells what it sends behind the head.
    private static func form(_ line: ArraySlice<UInt8>) -> ArraySlice<UInt8>? {
        guard line.last == UInt8(ascii: "]"),
            ["[POST data: ", "[BODY data: "].contains(where: { line.starts(with: $0.utf8) })
        else { return nil }
        return line.dropFirst(12).dropLast()
    }

    /// ZAP numbers its messages (`==== 7 ==========`), Fiddler, GoReplay and wget set the same line everywhere.
    private static func isBetween(_ line: ArraySlice<UInt8>) -> Bool {
        line.starts(with: "==== ".utf8) && line.suffix(4).elementsEqual("====".utf8)
            || line.count > 20 && line.allSatisfy { $0 == UInt8(ascii: "-") }
            || line.elementsEqual("🐵🙈🙉".utf8)
            || ["---request ", "---response "].contains { line.starts(with: $0.utf8) }
    }

    /// `1 NUMBER NANOSECONDS LATENCY`: 1 is a request, 2 its answer; 3, what a replay was answered, is none of both.
    private static func announcement(_ line: ArraySlice<UInt8>) -> (
        side: Side, number: [UInt8], time: Timestamp?
    )? {
        guard line.first?.isASCIIDigit ?? false else { return nil }
        let words = line.prefix(200).split(separator: 0x20)
        guard words.count > 2, words[0].count == 1, words[1].count >= 16,
            words[1].allSatisfy(\.isHexadecimalDigit),
            words[2].count == 19, let time = Int64(String(decoding: words[2], as: UTF8.self))
        else { return nil }
        switch words[0].first {
        case UInt8(ascii: "1"): return (.request, Array(words[1]), Timestamp(nanoseconds: time))
        case UInt8(ascii: "2"): return (.answer, Array(words[1]), nil)
        default: return (.answer, [], nil)
        }
    }

    // MARK: - Exchanges

    private func exchange(of pair: Pair) -> Exchange? {
        guard let message = RawMessage(pair.request) else { return nil }
        let target = message.words[1]
        var request = message.request(
            to: target.hasPrefix("/") ? RecordedURL(target) : message.url(scheme: "https", authority: "")
        ) { pair.request }
        request.body = Self.trimmed(request.body, message.headers)
        var response = RawMessage(pair.answer)?.response { pair.answer }
        if let answer = response {
            let isMissing = hasHeadsOnly && ![204, 304].contains(answer.status) && message.words[0] != "HEAD"
            response?.body =
                isMissing
                ? Body(content: .missing, mediaType: answer.headers.first("content-type"))
                : Self.trimmed(answer.body, answer.headers)
        }
        var exchange = Exchange(
            startedAt: pair.start?.time ?? Timestamp(nanoseconds: 0),
            request: request,
            response: response
        )
        exchange.isZoneKnown = pair.start?.isZoneKnown ?? false
        return exchange
    }

    /// A body without the empty lines that stand before the next message; nil where nothing else is in it.
    private static func trimmed(_ body: Body?, _ headers: HeaderFields) -> Body? {
        guard var body, let bytes = body.bytes else { return body }
        let ends = bytes.reversed().prefix { $0 == 0x0a || $0 == 0x0d }.count
        var count = bytes.count - ends
        let length = headers.first("content-length").flatMap { Int($0) }
        // Those that belong to it are counted.
        if let length, length > count, length <= bytes.count { count = length }
        body.content = .bytes(Array(bytes.prefix(count)))
        body.size = count
        let lines = bytes.count { $0 == 0x0a }
        if let length, count + lines < length, headers.first("content-encoding") == nil {
            body.isTruncated = true
        }
        return count == 0 && length ?? 0 == 0 ? nil : body
    }
}
