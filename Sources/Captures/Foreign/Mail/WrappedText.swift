/// A capture whose lines were broken on the way: at a width, as programs for mail and tickets do, or in quoted-printable
/// (RFC 2045, section 6.7) without the field that says so.
///
/// JSON has no line ends in its strings: where each that stands in one comes after as much as fits, none of them was sent.
struct WrappedText {
    private enum Breaks {
        /// Behind this many characters, wherever that is.
        case anywhere(width: Int)
        /// Between words, whose spaces stand at the ends of lines, or are gone.
        case betweenWords(keepsSpaces: Bool)
        case quotedPrintable
    }

    private let source: CaptureSource
    private let breaks: Breaks

    private static let nearBytes = 256 << 10
    private static let windowSize = 256 << 10
    /// In characters.
    private static let widths = 40...1000
    /// Of line ends in strings; fewer may be a program's that does not escape them.
    private static let fewest = 3

    /// Nil where no line of a capture was broken.
    init?(_ source: CaptureSource) {
        let head = source.bytes(at: 0, count: Self.nearBytes)
        guard let start = head.firstIndex(of: UInt8(ascii: "{")),
            ByteSearch.index(of: Array("\"log\"".utf8), in: head) != nil,
            let breaks = Self.breaks(in: head, from: start)
        else { return nil }
        (self.source, self.breaks) = (source, breaks)
    }

    private static func breaks(in head: [UInt8], from start: Int) -> Breaks? {
        var line = Line()
        var width = 0
        var broken: [(length: Int, next: Int, last: UInt8)] = []
        for index in start..<head.count {
            guard head[index] == 0x0a else {
                line.take(head[index])
                continue
            }
            width = max(width, line.length)
            if line.isInString {
                let next = head[(index + 1)...].prefix(widths.upperBound).prefix { $0 > 0x20 }
                // The rest of the word may be behind what is looked at.
                guard next.endIndex < head.count || head.count < nearBytes else { break }
                broken.append((line.length, scalars(next), line.last))
            }
            line.end()
        }
        guard broken.count >= fewest, widths.contains(width) else { return nil }
        if broken.allSatisfy({ $0.last == UInt8(ascii: "=") }) { return .quotedPrintable }
        if broken.allSatisfy({ $0.length == width }) { return .anywhere(width: width) }
        guard broken.allSatisfy({ $0.length + $0.next >= width }),
            // Lines of a certificate are shorter than those around them, and none of them has room for the next.
            broken.contains(where: { $0.length * 10 >= width * 9 })
        else { return nil }
        return .betweenWords(keepsSpaces: broken.contains { $0.last == 0x20 })
    }

    private static func scalars(_ text: ArraySlice<UInt8>) -> Int { text.count { $0 & 0xc0 != 0x80 } }

    /// The capture without the line ends that were not sent.
    func convert(into text: ScratchText) throws(CaptureError) {
        var line = Line()
        var bytes: [UInt8] = []
        var offset = 0
        while offset < source.size {
            let window = source.bytes(at: offset, count: Self.windowSize)
            guard !window.isEmpty else { break }
            offset += window.count
            var out: [UInt8] = []
            out.reserveCapacity(window.count)
            for byte in window {
                if case .quotedPrintable = breaks {
                    if byte != 0x0a { bytes.append(byte) }
                    guard byte == 0x0a || bytes.count == Self.windowSize else { continue }
                    out += MailReader.unquoted(bytes[...])
                    bytes = []
                } else if byte == 0x0a {
                    out += end(of: line)
                    line.end()
                } else if byte != 0x0d {
                    out.append(byte)
                    line.take(byte)
                }
            }
            try out.withUnsafeBufferPointer { piece throws(CaptureError) in try text.append(piece) }
        }
        let rest = MailReader.unquoted(bytes[...])
        try rest.withUnsafeBufferPointer { piece throws(CaptureError) in try text.append(piece) }
    }

    /// What stood where a line ends.
    private func end(of line: Line) -> [UInt8] {
        switch breaks {
        case .anywhere(let width) where line.length == width: []
        case .betweenWords(let keepsSpaces) where line.isInString:
            keepsSpaces || Self.joints.contains(line.last) ? [] : [0x20]
        default: [0x0a]
        }
    }

    /// What words are broken behind.
    private static let joints = Set("-/?&=%".utf8)

    /// A line so far, and whether a string is open in it.
    private struct Line {
        /// In characters.
        var length = 0
        var last: UInt8 = 0
        private(set) var isInString = false
        private var isEscaped = false
        /// Strings are those of the object; what a person wrote before it may have marks as well.
        private var isInObject = false

        mutating func take(_ byte: UInt8) {
            guard byte != 0x0d else { return }
            if byte & 0xc0 != 0x80 { length += 1 }
            last = byte
            if byte == UInt8(ascii: "{") { isInObject = true }
            guard isInObject else { return }
            if isEscaped {
                isEscaped = false
            } else if isInString, byte == UInt8(ascii: "\\") {
                isEscaped = true
            } else if byte == UInt8(ascii: "\"") {
                isInString.toggle()
            }
        }

        mutating func end() { (length, last) = (0, 0) }
    }
}
