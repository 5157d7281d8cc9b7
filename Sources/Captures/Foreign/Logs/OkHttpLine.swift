/// A line of a log that OkHttp prints into.
struct OkHttpLine {
    enum Kind {
        case request(method: String, url: String, version: String)
        case answer(status: Int, reason: String, url: String?, milliseconds: Int?)
        case failure(String)
        /// The last line of a message; `words`: what stands in its brackets.
        case end(isRequest: Bool, words: String)
        case other
    }

    /// All of it.
    let text: ArraySlice<UInt8>
    /// Without the time at its beginning.
    let rest: ArraySlice<UInt8>
    /// What stands before an arrow, but for the time: the thread and the tag, or nothing.
    let mark: ArraySlice<UInt8>
    let kind: Kind
    /// What stands in the last brackets of a line with an arrow; empty for every other.
    let told: String
    /// Of a log that writes the year; by a clock of which nobody tells the zone.
    let time: Timestamp?

    /// What stands before is no longer.
    private static let longestMark = 300

    init(_ text: ArraySlice<UInt8>) {
        self.text = text
        (time, rest) = LogText.divided(text)
        let head = rest.prefix(Self.longestMark)
        guard
            let sign = head.indices.first(where: {
                head[$0...].starts(with: "--> ".utf8) || head[$0...].starts(with: "<-- ".utf8)
            })
        else {
            (mark, kind, told) = (rest.prefix(0), .other, "")
            return
        }
        mark = rest[..<sign]
        let words = String(decoding: rest[sign...].dropFirst(4), as: UTF8.self)
        told = Self.brackets(words)
        kind = (rest[sign] == UInt8(ascii: "-") ? Self.sent(words) : Self.received(words)) ?? .other
    }

    /// Whether the line has the same before it as an arrow had.
    func isBehind(_ mark: ArraySlice<UInt8>) -> Bool {
        // Of an empty line the blank at its end is often taken away.
        rest.starts(with: mark) || rest.count == mark.count - 1 && mark.starts(with: rest)
    }

    // MARK: - Arrows

    private static let methods: Set<Substring> = [
        "GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS",
    ]

    /// `POST https://op.example/token http/1.1 (24-byte body)`, `END POST (24-byte body)`.
    private static func sent(_ text: String) -> Kind? {
        let words = text.split(separator: " ", maxSplits: 3)
        guard words.count > 1 else { return nil }
        if words[0] == "END", methods.contains(words[1]) {
            return .end(isRequest: true, words: brackets(text))
        }
        guard methods.contains(words[0]), words[1].containsScheme else { return nil }
        let version = words.count > 2 && !words[2].hasPrefix("(") ? String(words[2]) : ""
        return .request(
            method: String(words[0]),
            url: String(words[1]),
            version: ForeignTime.httpVersion(version)
        )
    }

    /// `200 OK https://op.example/token (245ms)`, `HTTP FAILED: …`, `END HTTP (91-byte body)`.
    private static func received(_ text: String) -> Kind? {
        if text.hasPrefix("HTTP FAILED: ") { return .failure(String(text.dropFirst(13))) }
        if text.hasPrefix("END HTTP") { return .end(isRequest: false, words: brackets(text)) }
        let words = text.split(separator: " ", maxSplits: mostWords)
        guard let first = words.first, first.count == 3, let status = Int(first), (100...599).contains(status)
        else { return nil }
        let rest = words.dropFirst().prefix { !$0.hasPrefix("(") }
        let url = rest.first(where: \.containsScheme)
        let told = brackets(text)
        let time = told.utf8.prefix { $0.isASCIIDigit }
        return .answer(
            status: status,
            reason: rest.filter { $0 != url }.joined(separator: " "),
            url: url.map(String.init),
            milliseconds: told.dropFirst(time.count).hasPrefix("ms")
                ? Int(String(decoding: time.prefix(9), as: UTF8.self)) : nil
        )
    }

    /// A status has a reason of a few.
    private static let mostWords = 16

    /// What stands in the last brackets of a line.
    private static func brackets(_ text: String) -> String {
        let end = text.utf8.suffix(longestMark)
        guard end.last == UInt8(ascii: ")"), let start = end.lastIndex(of: UInt8(ascii: "(")) else {
            return ""
        }
        return String(text.utf8[start...].dropFirst().dropLast()) ?? ""
    }

    /// The first count of bytes, which is that of the body as it was shown: `91-byte body`, `123-byte, 55-gzipped-byte body`.
    static func size(in words: String) -> Int? {
        let parts = words.utf8.split(whereSeparator: { $0 == 0x20 || $0 == 0x2c })
        return parts.lazy.compactMap { part -> Int? in
            let digits = part.prefix { $0.isASCIIDigit }
            guard !digits.isEmpty, part.dropFirst(digits.count).elementsEqual("-byte".utf8) else {
                return nil
            }
            return Int(String(decoding: digits.prefix(12), as: UTF8.self))
        }.first
    }
}

extension Substring {
    /// Whether this begins with the scheme of a web server.
    var containsScheme: Bool { hasPrefix("https://") || hasPrefix("http://") }
}
