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

    /// A line without its end, be it one of Windows.
    static func withoutEnd(_ line: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        let line = line.last == 0x0a ? line.dropLast() : line
        return line.last == 0x0d ? line.dropLast() : line
    }

    /// What was read out of it.
    func capture(of exchanges: [Exchange], creator: String) -> Capture {
        var capture = Capture(foreign: exchanges, creator: creator, version: "")
        if let loss { capture.losses.append(loss) }
        return capture
    }
}
