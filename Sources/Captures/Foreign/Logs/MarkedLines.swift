/// A capture with a mark before each of its lines: quoted in the answer to a mail (`> `), as a comment, as what a change adds,
/// or behind what a log has before each (`app-1  | `, a time).
struct MarkedLines {
    private let source: CaptureSource
    private let start: Int
    /// With the blanks behind it; digits stand for any.
    private let mark: [UInt8]
    /// Of the mark, which empty lines have without its blanks.
    private let leastMark: Int

    /// The capture begins near the beginning, or is not looked for.
    private static let nearBytes = 1 << 20
    private static let windowSize = 256 << 10
    private static let longestMark = 200

    /// Finds the first object whose next line has the same mark; nil where there is none.
    init?(_ source: CaptureSource) {
        let head = source.bytes(at: 0, count: Self.nearBytes)
        var start = 0
        while start < head.count {
            let rest = head[start...]
            guard let end = rest.firstIndex(of: 0x0a) else { return nil }
            let mark = rest.prefix(Self.longestMark).prefix { $0 != UInt8(ascii: "{") && $0 != 0x0a }
            let least = mark.count - mark.reversed().prefix { $0 <= 0x20 }.count
            if least > 0, rest.dropFirst(mark.count).first == UInt8(ascii: "{"),
                head[(end + 1)...].starts(with: mark.prefix(least), by: Self.isSame)
            {
                (self.source, self.start, self.mark, leastMark) = (source, start, Array(mark), least)
                return
            }
            start = end + 1
        }
        return nil
    }

    /// A line's own number or time is no other mark; numbers may be set in columns.
    private static func isSame(_ byte: UInt8, _ mark: UInt8) -> Bool {
        byte == mark || isDigitOrSpace(byte) && isDigitOrSpace(mark)
    }

    private static func isDigitOrSpace(_ byte: UInt8) -> Bool { byte == 0x20 || byte.isASCIIDigit }

    /// The lines without their marks, up to the first that has none.
    func convert(into text: ScratchText) throws(CaptureError) {
        var offset = start
        /// Bytes of the mark that this line has so far; nil behind it.
        var marked: Int? = 0
        while offset < source.size {
            let window = source.bytes(at: offset, count: Self.windowSize)
            guard !window.isEmpty else { return }
            offset += window.count
            var out: [UInt8] = []
            out.reserveCapacity(window.count)
            var isAtEnd = false
            for byte in window {
                if let count = marked {
                    if count < mark.count, Self.isSame(byte, mark[count]) {
                        marked = count + 1
                        continue
                    }
                    isAtEnd = count < leastMark
                    if isAtEnd { break }
                }
                out.append(byte)
                marked = byte == 0x0a ? 0 : nil
            }
            try out.withUnsafeBufferPointer { piece throws(CaptureError) in try text.append(piece) }
            if isAtEnd { return }
        }
    }
}
