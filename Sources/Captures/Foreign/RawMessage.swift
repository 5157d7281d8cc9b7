import JSON

/// One HTTP message as a program keeps it in bytes: the first line, the fields and, behind an empty line, the body.
///
/// Messages of HTTP/2 stand in this form too, where a program keeps all of them so. Lines may end with a line feed alone.
/// Answers on the way to one (100, 103) are passed over.
struct RawMessage {
    /// Of the first line: method, target and version, or version, status and reason.
    let words: [String]
    let headers: HeaderFields
    /// All that stands behind the empty line.
    private let rest: ArraySlice<UInt8>

    /// A longer head no server takes.
    private static let largestHead = 1 << 20

    /// Nil where the bytes do not begin like a message.
    init?(_ bytes: [UInt8]) {
        var bytes = bytes[...]
        while true {
            let head = Self.head(of: bytes)
            let lineEnd = head.firstIndex(of: 0x0a) ?? head.endIndex
            let line = String(decoding: head[..<lineEnd].filter { $0 != 0x0d }, as: UTF8.self)
            let words = Self.words(of: line)
            guard words.count > 1, words[0].hasPrefix("HTTP/") || words.last?.hasPrefix("HTTP/") == true
            else {
                return nil
            }
            bytes = bytes[head.endIndex...]
            if Self.isInterim(words), bytes.starts(with: Array("HTTP/".utf8)) { continue }
            self.words = words
            headers = HAREntry.headers(.string(String(decoding: head[lineEnd...], as: UTF8.self)))
            rest = bytes
            return
        }
    }

    /// Three at most: a target may have blanks in it, which its client should have encoded.
    private static func words(of line: String) -> [String] {
        let words = line.split(separator: " ", maxSplits: 2).map(String.init)
        guard words.count == 3, !words[0].hasPrefix("HTTP/"), !words[2].hasPrefix("HTTP/"),
            let blank = words[2].lastIndex(of: " ")
        else { return words }
        return [
            words[0], "\(words[1]) \(words[2][..<blank])", String(words[2][blank...].dropFirst()),
        ]
    }

    private static func isInterim(_ words: [String]) -> Bool {
        words[0].hasPrefix("HTTP/") && words[1].utf8.first == UInt8(ascii: "1") && words[1] != "101"
    }

    /// Whether the bytes begin with an answer on the way to another, so that what follows is that one.
    static func isInterim(_ answer: [UInt8]) -> Bool {
        // A version, a blank and the status.
        let words = answer.prefix(16).split(maxSplits: 2) { $0 <= 0x20 }
            .map { String(decoding: $0, as: UTF8.self) }
        return words.count > 1 && isInterim(words)
    }

    /// Up to and with the empty line.
    private static func head(of bytes: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        var index = bytes.startIndex
        let limit = bytes.prefix(largestHead).endIndex
        while let end = bytes[index..<limit].firstIndex(of: 0x0a) {
            let line = bytes[index..<end]
            index = end + 1
            if line.isEmpty || line.elementsEqual([0x0d]) { return bytes[..<index] }
        }
        return bytes[..<limit]
    }

    // MARK: - What it says

    /// The absolute URL of a request: of its target, its `Host`, or else where it was sent to.
    func url(scheme: String, authority: String) -> RecordedURL {
        let target = words[1]
        if words[0] == "CONNECT" { return RecordedURL("https://\(target)") }
        guard target.hasPrefix("/") || target == "*" else { return RecordedURL(target) }
        let host = headers.first("host").flatMap { $0.isEmpty ? nil : $0 } ?? authority
        let isAsterisk = target == "*"
        return RecordedURL("\(scheme)://\(host)" + (isAsterisk ? words[0] == "OPTIONS" ? "" : "/*" : target))
    }

    /// As a request to a URL (``url(scheme:authority:)``); `reload` gives the bytes of this message again, for a body of some
    /// size.
    func request(to url: RecordedURL, reload: @escaping @Sendable () -> [UInt8]?) -> RecordedRequest {
        RecordedRequest(
            method: words[0],
            url: url,
            httpVersion: ForeignTime.httpVersion(words.count > 2 ? words[2] : nil),
            headers: headers,
            body: rest.isEmpty ? nil : body(reload: reload)
        )
    }

    /// Nil where this is no answer; `reload` as for a request.
    func response(reload: @escaping @Sendable () -> [UInt8]?) -> RecordedResponse? {
        guard words[0].hasPrefix("HTTP/"), let status = Int(words[1]), (100...999).contains(status) else {
            return nil
        }
        return RecordedResponse(
            status: status,
            statusText: words.count > 2 ? words[2] : "",
            httpVersion: ForeignTime.httpVersion(words[0]),
            headers: headers,
            body: body(reload: reload)
        )
    }

    private func body(reload: @escaping @Sendable () -> [UInt8]?) -> Body {
        let decoded = decodedBody()
        let isLarge = decoded.bytes.count > HAREntry.eagerBodyLimit
        return Body(
            content: isLarge
                ? .deferred { reload().flatMap { RawMessage($0) }?.decodedBody().bytes }
                : .bytes(decoded.bytes),
            mediaType: headers.first("content-type"),
            size: decoded.bytes.count,
            wireSize: rest.count,
            isTruncated: !decoded.isWhole,
            remainingCoding: decoded.remaining
        )
    }

    /// The body with chunks and codings undone, where they are there still: some programs undo them and leave the fields.
    private func decodedBody() -> ContentCoding.Result {
        var bytes = Array(rest)
        var isWhole = true
        let isChunked = headers.all("transfer-encoding").contains { $0.lowercased().containsBytes("chunked") }
        if isChunked, let joined = ChunkedText.join(bytes) {
            bytes = joined.bytes
            isWhole = joined.isWhole
        }
        var result = ContentCoding.decodeUnlessDone(bytes, headers: headers)
        result.isWhole = result.isWhole && isWhole
        return result
    }
}
