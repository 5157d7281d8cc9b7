/// Reads what Apache's HttpClient logs at the level `DEBUG`: what went over the wire, or else the heads of messages alone.
///
/// Its versions 3 to 5, with whatever a logger has before each line; where it logs both, the wire has all that the heads have.
struct ApacheWireLog {
    /// What a logger has before a line is no longer.
    private static let longestPrefix = 400
    private static let sentMark = Array(" >> ".utf8)
    private static let receivedMark = Array(" << ".utf8)
    private static let quoted = [" >> \"", " << \""].map { Array($0.utf8) }
    private static let route = Array("[route: ".utf8)

    private let isWire: Bool
    private var messages: LoggedMessages

    private init(isWire: Bool) {
        self.isWire = isWire
        messages = LoggedMessages(showsBodies: isWire)
    }

    /// Nil where no request is in it.
    static func read(_ source: CaptureSource) -> Capture? {
        let text = LogText(source)
        guard ByteSearch.index(of: sentMark, in: text.bytes) != nil else { return nil }
        var log = ApacheWireLog(
            isWire: quoted.contains { ByteSearch.index(of: $0, in: text.bytes) != nil }
        )
        text.forEachLine { log.take(LogText.withoutEnd($0)) }
        let exchanges = log.messages.exchanges
        return exchanges.isEmpty ? nil : text.capture(of: exchanges, creator: "Apache HttpClient")
    }

    // MARK: - Lines

    private mutating func take(_ line: ArraySlice<UInt8>) {
        let head = line.prefix(Self.longestPrefix)
        guard
            let mark = head.indices.first(where: {
                head[$0...].starts(with: Self.sentMark) || head[$0...].starts(with: Self.receivedMark)
            })
        else {
            if let route = head.firstRange(of: Self.route) { connected(line[route.upperBound...]) }
            return
        }
        let connection = Self.connection(line[..<mark])
        guard let bytes = bytes(line[mark...].dropFirst(Self.sentMark.count), on: connection) else { return }
        let time = LogText.divided(line).time
        // Where no connection is named, several threads may be in one another's way.
        let words = connection.isEmpty ? LogText.withoutEnd(bytes[...]) : []
        if line[mark + 1] == Self.sentMark[1] {
            messages.sent(bytes, on: connection, at: time, isFirst: MessageLog.isRequestLine(words))
        } else if MessageLog.isStatusLine(words) {
            messages.answered(bytes, on: connection, at: time)
        } else {
            messages.received(bytes, on: connection, at: time)
        }
    }

    /// `http-outgoing-0`, the last word before the mark; empty in version 3, which names none.
    private static func connection(_ prefix: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        let start = prefix.lastIndex(of: 0x20).map { $0 + 1 } ?? prefix.startIndex
        let word = prefix[start...]
        let number = word.reversed().prefix { $0.isASCIIDigit }.count
        let isName = word.first?.isASCIILetter == true && number > 0
        return isName && word.dropLast(number).last == UInt8(ascii: "-") ? word : []
    }

    /// What a line has of a message; nil where it has nothing, or what the wire has anyway.
    private func bytes(_ words: ArraySlice<UInt8>, on connection: ArraySlice<UInt8>) -> [UInt8]? {
        guard isWire else { return connection.isEmpty ? nil : Array(words) + [0x0d, 0x0a] }
        guard words.first == UInt8(ascii: "\"") else { return nil }
        let inner = words.dropFirst()
        return Self.plain(inner.last == UInt8(ascii: "\"") ? inner.dropLast() : inner)
    }

    /// Without the names of bytes that are no printable ASCII: `[\r]`, `[\n]`, `[0x1f]`.
    private static func plain(_ words: ArraySlice<UInt8>) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(words.count)
        var rest = words
        while let byte = rest.first {
            guard byte == UInt8(ascii: "["), let (named, length) = named(rest.prefix(6)) else {
                bytes.append(byte)
                rest = rest.dropFirst()
                continue
            }
            bytes.append(named)
            rest = rest.dropFirst(length)
        }
        return bytes
    }

    /// The byte that is named at the beginning, and how long its name is.
    private static func named(_ words: ArraySlice<UInt8>) -> (byte: UInt8, length: Int)? {
        if words.starts(with: "[\\r]".utf8) { return (0x0d, 4) }
        if words.starts(with: "[\\n]".utf8) { return (0x0a, 4) }
        guard words.starts(with: "[0x".utf8), let end = words.firstIndex(of: UInt8(ascii: "]")) else {
            return nil
        }
        let digits = words[..<end].dropFirst(3)
        let values = digits.compactMap(\.hexadecimalValue)
        guard !digits.isEmpty, values.count == digits.count else { return nil }
        return (values.reduce(0) { $0 << 4 | $1 }, digits.count + 4)
    }

    /// `{s}->https://op.example:443]`, behind a proxy with that before it; version 5 has brackets around the server.
    private mutating func connected(_ words: ArraySlice<UInt8>) {
        let route = String(decoding: words.prefix(Self.longestPrefix), as: UTF8.self)
        guard let server = route.prefix(while: { $0 != "]" }).split(separator: ">").last else { return }
        messages.connected(to: "\(server.drop { $0 == "[" })/")
    }
}
