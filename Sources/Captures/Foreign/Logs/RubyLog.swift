/// Reads what Ruby's `Net::HTTP` prints with `set_debug_output`, for HTTParty and others that are built on it.
///
/// It has all that went over the connection, without times.
struct RubyLog {
    private static let sent = Array("<- \"".utf8)
    private static let received = Array("-> \"".utf8)
    private static let opening = Array("opening connection to ".utf8)
    private static let securing = Array("starting SSL for ".utf8)

    private var messages = LoggedMessages(showsBodies: true)

    /// Nil where no request is in it.
    static func read(_ source: CaptureSource) -> Capture? {
        let text = LogText(source)
        guard [sent, received].allSatisfy({ ByteSearch.index(of: $0, in: text.bytes) != nil }) else {
            return nil
        }
        var log = RubyLog()
        text.forEachLine { log.take(LogText.withoutEnd($0)) }
        let exchanges = log.messages.exchanges
        return exchanges.isEmpty ? nil : text.capture(of: exchanges, creator: "Ruby's Net::HTTP")
    }

    private mutating func take(_ line: ArraySlice<UInt8>) {
        if line.starts(with: Self.sent), let bytes = QuotedBytes.decode(line.dropFirst(3)) {
            let first = bytes.firstIndex(of: 0x0a).map { LogText.withoutEnd(bytes[...$0]) }
            messages.sent(bytes, at: nil, isFirst: first.map(MessageLog.isRequestLine) ?? false)
        } else if line.starts(with: Self.received), let bytes = QuotedBytes.decode(line.dropFirst(3)) {
            messages.received(bytes, at: nil)
        } else if line.starts(with: Self.opening) {
            connected("http", line.dropFirst(Self.opening.count))
        } else if line.starts(with: Self.securing) {
            connected("https", line.dropFirst(Self.securing.count))
        }
    }

    /// The server of `op.example:443...`.
    private mutating func connected(_ scheme: String, _ words: ArraySlice<UInt8>) {
        let server = words.prefix { $0 > 0x20 }.reversed().drop { $0 == UInt8(ascii: ".") }.reversed()
        messages.connected(to: "\(scheme)://\(String(decoding: Array(server), as: UTF8.self))/")
    }
}
