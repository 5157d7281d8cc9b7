import JSON

/// A request or an answer as Logbook tells of it.
struct LogbookMessage {
    /// What a request and its answer have in common.
    struct Name: Hashable {
        let correlation: String
        /// Whether the program that logs was asked, and did not ask.
        let isIncoming: Bool
    }

    let name: Name
    let isAnswer: Bool
    /// `request` or `response` of an entry.
    let told: JSONObject
    /// Who asks, or is asked; nil where that is not told.
    let remote: String?
    /// Between the request and its answer.
    let milliseconds: Int64?
    /// Whether the body was too long for the log.
    let isCut: Bool
    var time: (time: Timestamp, isZoneKnown: Bool)?

    // MARK: - JSON

    /// Nil where this is another object.
    init?(_ object: JSONObject) {
        guard let correlation = object["correlation"]?.string, let origin = object["origin"]?.string,
            let type = object["type"]?.string, type == "request" || type == "response"
        else { return nil }
        isAnswer = type == "response"
        name = Name(correlation: correlation, isIncoming: (origin == "remote") != isAnswer)
        remote = object["remote"]?.string.map(Self.address)
        milliseconds = Producers.integer(object["duration"])
        let body = object["body"].flatMap { body in
            body == .null ? nil : body.string ?? JSONWriter.text(of: body)
        }
        let headers = object["headers"] ?? []
        let version = JSONValue.string(ForeignTime.httpVersion(object["protocol"]?.string))
        if isAnswer {
            guard let status = object["status"] else { return nil }
            (told, isCut) = Self.answer(
                ["status": status, "statusText": "", "httpVersion": version, "headers": headers],
                body
            )
        } else {
            guard let url = object["uri"]?.string, let method = object["method"] else { return nil }
            (told, isCut) = Self.request(
                ["method": method, "url": .string(url), "httpVersion": version, "headers": headers],
                body
            )
        }
    }

    // MARK: - Text

    /// Nil where this is other text: `Incoming Request: NAME`, `Remote: ADDRESS` or `Duration: 25 ms`, and the message.
    init?(text: ArraySlice<UInt8>) {
        guard let mark = LogbookRecord.marks.firstIndex(where: { text.starts(with: $0) }) else { return nil }
        let (head, body) = Self.divided(text)
        let lines = head.split(whereSeparator: \.isNewline)
        guard lines.count > 2, let fact = lines[1].firstRange(of: ": ") else { return nil }
        isAnswer = !mark.isMultiple(of: 2)
        name = Name(
            correlation: String(lines[0].utf8.dropFirst(LogbookRecord.marks[mark].count)) ?? "",
            isIncoming: mark < 2
        )
        let value = lines[1][fact.upperBound...]
        remote = isAnswer ? nil : Self.address(String(value))
        milliseconds = isAnswer ? value.split(separator: " ").first.flatMap { Int64($0) } : nil
        let words = lines[2].split(separator: " ", maxSplits: 2).map(String.init)
        let headers = Self.headers(lines.dropFirst(3).joined(separator: "\n"))
        if isAnswer {
            guard words.count > 1, words[0].hasPrefix("HTTP/") else { return nil }
            (told, isCut) = Self.answer(
                [
                    "status": .string(words[1]), "statusText": .string(words.count > 2 ? words[2] : ""),
                    "httpVersion": .string(ForeignTime.httpVersion(words[0])), "headers": headers,
                ],
                body
            )
        } else {
            guard words.count == 3, words[2].hasPrefix("HTTP/") else { return nil }
            (told, isCut) = Self.request(
                [
                    "method": .string(words[0]), "url": .string(words[1]),
                    "httpVersion": .string(ForeignTime.httpVersion(words[2])), "headers": headers,
                ],
                body
            )
        }
    }

    /// What stands before the first empty line, and behind it, without the ends of the last lines; nil where nothing is there.
    private static func divided(_ text: ArraySlice<UInt8>) -> (head: String, body: String?) {
        let ends = text.reversed().prefix { $0 == 0x0a || $0 == 0x0d }.count
        let text = text.dropLast(ends)
        let end = text.firstRange(of: [0x0a, 0x0a]) ?? text.firstRange(of: [0x0a, 0x0d, 0x0a])
        guard let end else { return (String(decoding: text, as: UTF8.self), nil) }
        return (
            String(decoding: text[..<end.lowerBound], as: UTF8.self),
            String(decoding: text[end.upperBound...], as: UTF8.self)
        )
    }

    /// Several fields of one name stand in one line, what the program itself knows of the message behind the last.
    private static func headers(_ lines: String) -> JSONValue {
        var fields = HAREntry.headers(.string(lines)).fields
        if let last = fields.last, last.name == "Attributes", last.value.hasPrefix("{") {
            fields.removeLast()
        }
        return EntrySpelling.pairs(fields)
    }

    // MARK: - Both

    /// `127.0.0.1:50990` for `/127.0.0.1:50990`, as Java writes an address without a name.
    private static func address(_ remote: String) -> String {
        String(remote.utf8.lastIndex(of: UInt8(ascii: "/")).map { remote[$0...].dropFirst() } ?? remote[...])
    }

    private static func request(_ told: JSONObject, _ body: String?) -> (told: JSONObject, isCut: Bool) {
        var told = told
        let (text, isCut) = shown(body, told["headers"])
        told["postData"] = HAREntry.told(body: text, told["headers"]).map(JSONValue.object)
        return (told, isCut)
    }

    private static func answer(_ told: JSONObject, _ body: String?) -> (told: JSONObject, isCut: Bool) {
        var told = told
        let (text, isCut) = shown(body, told["headers"])
        let fields = HAREntry.headers(told["headers"])
        // One that is left out is not told from none, unless the fields say so.
        let isNone =
            body == nil
            && (fields.first("content-length").map { $0 == "0" } ?? !fields.contains("transfer-encoding"))
        let content = HAREntry.told(body: isNone ? "" : text, told["headers"])
        if var content {
            if isNone { content["size"] = 0 }
            told["content"] = .object(content)
        }
        return (told, isCut)
    }

    /// What stands in the place of a body that is not logged.
    private static let unshown: Set<String> = ["<binary>", "<multipart>", "<stream>", "<skipped>"]

    /// The body as far as it is there; one that is too long ends with three dots.
    private static func shown(_ body: String?, _ headers: JSONValue?) -> (text: String?, isCut: Bool) {
        guard let body, !unshown.contains(body) else { return (nil, false) }
        guard body.hasSuffix("...") else { return (body, false) }
        let length = HAREntry.headers(headers).first("content-length").flatMap { Int($0) }
        guard length.map({ $0 > body.utf8.count }) ?? true else { return (body, false) }
        return (String(body.dropLast(3)), true)
    }
}
