/// The text that a program printed messages into, line by line.
struct LogText {
    let bytes: [UInt8]
    /// What of it is not read.
    private let loss: Capture.Loss?

    /// More of a log is not read.
    private static let largest = 64 << 20

    init(_ source: CaptureSource) {
        bytes = source.bytes(at: 0, count: Self.largest)
        guard source.size > Self.largest else {
            loss = nil
            return
        }
        loss = Capture.Loss(
            offset: Self.largest,
            line: source.line(of: Self.largest),
            what: "no more than \(Self.largest >> 20) MB of such a log are read",
            isEnd: true
        )
    }

    /// Visits each line, with its end.
    func forEachLine(_ visit: (ArraySlice<UInt8>) -> Void) {
        var start = 0
        while start < bytes.count {
            let end = bytes[start...].firstIndex(of: 0x0a).map { $0 + 1 } ?? bytes.count
            visit(bytes[start..<end])
            start = end
        }
    }

    /// Visits each line as text, without its end; what is no UTF-8 in it is replaced.
    func forEachText(_ visit: (Substring) -> Void) {
        forEachLine { visit(String(decoding: Self.withoutEnd($0), as: UTF8.self)[...]) }
    }

    /// A line without its end, be it one of Windows.
    static func withoutEnd(_ line: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        let line = line.last == 0x0a ? line.dropLast() : line
        return line.last == 0x0d ? line.dropLast() : line
    }

    /// The time at the beginning of a line, with a date or without, and what stands behind it.
    static func divided(_ text: ArraySlice<UInt8>) -> (time: Timestamp?, rest: ArraySlice<UInt8>) {
        let first = text.prefix(40).prefix { $0 != 0x20 }
        guard first.first?.isASCIIDigit ?? false else { return (nil, text) }
        let rest = text.dropFirst(first.count)
        if first.contains(UInt8(ascii: ":")) {
            return (Timestamp(rfc3339: String(decoding: first, as: UTF8.self)), rest)
        }
        let second = rest.dropFirst().prefix(40).prefix { $0 != 0x20 }
        guard first.allSatisfy({ $0.isASCIIDigit || "-/.".utf8.contains($0) }),
            second.first?.isASCIIDigit ?? false, second.contains(UInt8(ascii: ":"))
        else { return (nil, text) }
        // Go's log has slashes in the date.
        let date = first.map { $0 == UInt8(ascii: "/") ? UInt8(ascii: "-") : $0 }
        let time = String(decoding: date + [0x20] + second, as: UTF8.self)
        return (Timestamp(rfc3339: time), rest.dropFirst(1 + second.count))
    }

    /// What was read out of it.
    func capture(of exchanges: [Exchange], creator: String) -> Capture {
        var capture = Capture(foreign: exchanges, creator: creator, version: "")
        if let loss { capture.losses.append(loss) }
        return capture
    }
}
