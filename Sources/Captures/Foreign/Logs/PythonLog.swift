/// Reads what Python's `http.client` prints with a `debuglevel`, for `requests`, `urllib3` and others that are built on it.
///
/// It has requests with their bodies, and the heads of answers. Times are there only where the lines went through `logging`.
struct PythonLog {
    private enum Mark: CaseIterable {
        case send
        case reply
        case header
        case connection

        var bytes: [UInt8] {
            switch self {
            case .send: Array("send: ".utf8)
            case .reply: Array("reply: ".utf8)
            case .header: Array("header: ".utf8)
            case .connection: Array("Starting new HTTP".utf8)
            }
        }
    }

    /// What `logging` has before a line is no longer.
    private static let longestPrefix = 300
    private static let marks = Mark.allCases.map { (mark: $0, bytes: $0.bytes) }
    private static let sentBytes = Array("send: b".utf8)

    private var messages = LoggedMessages(showsBodies: false)

    /// Nil where no request is in it.
    static func read(_ source: CaptureSource) -> Capture? {
        let text = LogText(source)
        guard marks.prefix(2).allSatisfy({ ByteSearch.index(of: $0.bytes, in: text.bytes) != nil }) else {
            return nil
        }
        var log = PythonLog()
        text.forEachLine { log.take(LogText.withoutEnd($0)) }
        let exchanges = log.messages.exchanges
        return exchanges.isEmpty ? nil : text.capture(of: exchanges, creator: "Python's http.client")
    }

    // MARK: - Lines

    private mutating func take(_ line: ArraySlice<UInt8>) {
        let head = line.prefix(Self.longestPrefix)
        let found = head.indices.lazy.compactMap { index in
            Self.marks.first { head[index...].starts(with: $0.bytes) }.map { (index, $0) }
        }.first
        guard let (start, (mark, bytes)) = found else { return }
        let rest = line[start...].dropFirst(bytes.count)
        switch mark {
        case .send: sent(rest, at: LogText.divided(line).time)
        case .reply:
            guard let status = Self.literal(rest), status.starts(with: "HTTP/".utf8) else { return }
            messages.answered(status, at: LogText.divided(line).time)
        case .header: field(rest, at: LogText.divided(line).time)
        case .connection: connected(rest)
        }
    }

    private mutating func sent(_ words: ArraySlice<UInt8>, at time: Timestamp?) {
        guard let bytes = Self.literal(words), !bytes.isEmpty else { return }
        let line = bytes.firstIndex(of: 0x0a).map { LogText.withoutEnd(bytes[...$0]) }
        messages.sent(bytes, at: time, isFirst: line.map(MessageLog.isRequestLine) ?? false)
    }

    /// `Content-Type: application/json`; before its version 3.8 the names of all fields in one line, behind which the next stands.
    private mutating func field(_ words: ArraySlice<UInt8>, at time: Timestamp?) {
        let name = words.prefix { $0 != UInt8(ascii: ":") }
        guard !name.isEmpty, !name.contains(0x20), name.count < words.count else {
            if let next = words.firstRange(of: Self.sentBytes) {
                sent(words[next.lowerBound...].dropFirst(Self.sentBytes.count - 1), at: time)
            }
            return
        }
        messages.received(Array(words) + [0x0d, 0x0a], at: time)
    }

    /// `Starting new HTTPS connection (1): op.example:443`, as `urllib3` says.
    private mutating func connected(_ words: ArraySlice<UInt8>) {
        guard let server = words.split(separator: 0x20).last else { return }
        let scheme = words.first == UInt8(ascii: "S") ? "https" : "http"
        messages.connected(to: "\(scheme)://\(String(decoding: server, as: UTF8.self))/")
    }

    /// Bytes as Python prints them, with the letter before the quotation mark or, as its version 2 and texts have it, without.
    private static func literal(_ words: ArraySlice<UInt8>) -> [UInt8]? {
        let text = String(decoding: words, as: UTF8.self)
        return PythonBytes.decode(text.hasPrefix("b") ? text : "b" + text)
    }
}
