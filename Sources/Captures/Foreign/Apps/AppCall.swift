import JSON

/// A call that a tool within an app tells of as text: both messages, as far as they are told.
struct AppCall {
    /// What a tool shows of a body.
    enum Shown {
        /// Nothing is said of it.
        case untold
        /// It is said that there is none.
        case none
        /// It is said that it is not shown; with its bytes, where these are told.
        case omitted(size: Int?)
        /// `isCut`: whether it is said that there was more.
        case text(String, isCut: Bool)
        /// A form that was shown decoded, encoded anew: in other characters than it was sent.
        case form(String)
    }

    struct Message {
        var headers: [HeaderFields.Field] = []
        var body = Shown.untold
    }

    /// Whether fields of one name stand as one, with commas between, as Apple's URLSession has them.
    var areFieldsJoined = false
    var method = ""
    var url = ""
    var version = ""
    var start: (time: Timestamp, isZoneKnown: Bool)?
    var duration: Duration?
    var request = Message()
    /// Whether there was an answer, be it one of which the status is not told.
    var isAnswered = false
    /// Nil where there was no answer.
    var status: Int?
    var reason = ""
    var answer = Message()
    var failure: String?

    /// Nil where it is not told what was asked, or how it was answered: without its status it would look as if nobody had.
    var exchange: Exchange? {
        guard !method.isEmpty, url.hasPrefix("https://") || url.hasPrefix("http://"),
            !isAnswered || status != nil
        else { return nil }
        let sent = HeaderFields(request.headers)
        var exchange = Exchange(
            startedAt: start?.time ?? Timestamp(nanoseconds: 0),
            duration: duration,
            request: RecordedRequest(
                method: method,
                // Tools decode what they show; a blank is in no URL.
                url: RecordedURL(url.replacing(" ", with: "%20")),
                httpVersion: version,
                headers: sent,
                body: requestBody(sent)
            ),
            response: response,
            failure: isAnswered ? nil : failure
        )
        exchange.isZoneKnown = start?.isZoneKnown ?? false
        return exchange
    }

    private var response: RecordedResponse? {
        guard let status, (100...999).contains(status) else { return nil }
        let divided =
            areFieldsJoined ? EntrySpelling.cookiesDivided(answer.headers, listed: []) : nil
        let headers = HeaderFields(divided ?? answer.headers)
        let isBodiless = [204, 304].contains(status) || method == "HEAD"
        return RecordedResponse(
            status: status,
            statusText: reason,
            httpVersion: version,
            headers: headers,
            body: isBodiless
                ? nil
                : Self.body(answer.body, headers) ?? Body(text: "", mediaType: headers.first("content-type"))
        )
    }

    private func requestBody(_ headers: HeaderFields) -> Body? {
        if case .untold = request.body, ["GET", "HEAD"].contains(method) { return nil }
        return Self.body(request.body, headers)
    }

    /// Nil where there is none.
    private static func body(_ shown: Shown, _ headers: HeaderFields) -> Body? {
        let type = headers.first("content-type")
        let length =
            headers.contains("content-encoding") ? nil : headers.first("content-length").flatMap { Int($0) }
        switch shown {
        case .none where length ?? 0 == 0: return nil
        case .untold where length == 0: return nil
        case .none, .untold: return Body(content: .missing, mediaType: type, size: length)
        case .omitted(let size): return Body(content: .missing, mediaType: type, size: size ?? length)
        case .form(let text): return Body(text: text, mediaType: type)
        case .text(let text, let isCut):
            var body = Body(text: text, mediaType: type)
            body.isTruncated = isCut || length.map { isShorter(text, than: $0) } ?? false
            return body
        }
    }

    /// Whether a text is so much shorter than its message was that it has been cut.
    ///
    /// JSON is set anew. Of all others the ends of lines may have been two bytes each, and those at both ends are gone.
    private static func isShorter(_ text: String, than length: Int) -> Bool {
        let ends = text.utf8.count { $0 == 0x0a } + 4
        return length > text.utf8.count + ends && !isJSON(text)
    }

    static func isJSON(_ text: String) -> Bool { (try? JSONParser.parse(Array(text.utf8))) != nil }

    // MARK: - What tools print

    /// `Name: value`; nil where a line is no header field.
    static func field(_ line: some StringProtocol) -> HeaderFields.Field? {
        let name = line.utf8.prefix(while: \.isTokenCharacter)
        let rest = line.utf8.dropFirst(name.count)
        guard !name.isEmpty, rest.first == UInt8(ascii: ":"),
            rest.count == 1 || rest.dropFirst().first == 0x20
        else { return nil }
        return HeaderFields.Field(
            name: String(decoding: name, as: UTF8.self),
            value: String(decoding: rest.dropFirst().drop { $0 == 0x20 }, as: UTF8.self)
        )
    }

    /// A form that stands decoded, a parameter a line (`code: abcd`), as it is sent; nil where the text is none.
    static func form(ofLines text: String) -> String? {
        var items: [(String, String)] = []
        for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
            guard let item = field(line) else { return nil }
            items.append((item.name, item.value))
        }
        return items.isEmpty ? nil : FormBody.encode(items)
    }

    /// Of what a tool tells no part has more lines.
    private static let mostLines = 1 << 20

    /// Keeps a line of what is told; short lines without end would take many times what they have bytes.
    static func keep(_ line: Substring, in lines: inout [Substring]) {
        if lines.count < mostLines { lines.append(line) }
    }

    /// Lines without the empty ones at both ends.
    static func trimmed(_ lines: [Substring]) -> ArraySlice<Substring> { trimmed(lines[...]) }

    /// Lines without the empty ones at both ends, each at its place.
    static func trimmed(_ lines: ArraySlice<Substring>) -> ArraySlice<Substring> {
        let isEmpty = { (line: Substring) in line.utf8.allSatisfy { $0 <= 0x20 } }
        let start = lines.firstIndex { !isEmpty($0) } ?? lines.endIndex
        let end = lines.lastIndex { !isEmpty($0) }.map { $0 + 1 } ?? start
        return lines[start..<max(start, end)]
    }

    static func isForm(_ fields: [HeaderFields.Field]) -> Bool {
        HeaderFields(fields).first("content-type").map(Body.essence(of:)) == FormBody.mediaType
    }
}
