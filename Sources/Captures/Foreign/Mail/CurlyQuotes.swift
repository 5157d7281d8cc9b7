/// A capture in which a program for texts has put typographic quotation marks in the place of plain ones.
enum CurlyQuotes {
    /// More is no text that somebody pastes.
    private static let largest = 16 << 20
    /// The first two bytes of all of them, and the last ones: U+201C to U+201F.
    private static let lead: [UInt8] = [0xe2, 0x80]
    private static let marks: ClosedRange<UInt8> = 0x9c...0x9f

    /// Whether a capture's outermost member has such marks around its name.
    static func isIt(_ source: CaptureSource) -> Bool {
        guard source.size <= largest else { return false }
        let head = source.bytes(at: 0, count: 64 << 10)
        // Behind a plain one it is of a text.
        let end = ByteSearch.index(of: Array("\"log\"".utf8), in: head) ?? head.count
        var start = 0
        while let name = ByteSearch.index(of: Array("log".utf8) + lead, in: head, from: start), name < end {
            if isMember(name, in: head) { return true }
            start = name + 1
        }
        return false
    }

    /// Whether the name that begins there is one of a member; what somebody wrote about the “log” that follows is none.
    private static func isMember(_ name: Int, in head: [UInt8]) -> Bool {
        guard name >= 3, isMark(at: name - 3, in: head), isMark(at: name + 3, in: head),
            let before = head[..<(name - 3)].last(where: { $0 > 0x20 }), "{,".utf8.contains(before)
        else { return false }
        return head[(name + 6)...].prefix(longestGap).first { $0 > 0x20 } == UInt8(ascii: ":")
    }

    /// With plain marks where JSON has them; others are of a text, and stay.
    static func convert(_ source: CaptureSource, into text: ScratchText) throws(CaptureError) {
        let bytes = source.bytes(at: 0, count: largest)
        var out: [UInt8] = []
        out.reserveCapacity(bytes.count)
        var index = 0
        while index < bytes.count {
            guard isMark(at: index, in: bytes) else {
                out.append(bytes[index])
                index += 1
                continue
            }
            let before = out.last { $0 > 0x20 } ?? UInt8(ascii: "{")
            let after = bytes[(index + 3)...].prefix(longestGap).first { $0 > 0x20 } ?? UInt8(ascii: "}")
            let isOfJSON =
                "{[,:".utf8.contains(before) || ":,]}".utf8.contains(after)
                // An escaped one of a string.
                || out.last == UInt8(ascii: "\\")
            out += isOfJSON ? [0x22] : bytes[index..<(index + 3)]
            index += 3
        }
        try out.withUnsafeBufferPointer { piece throws(CaptureError) in try text.append(piece) }
    }

    /// In bytes: of white space between a mark and what follows it.
    private static let longestGap = 256

    private static func isMark(at index: Int, in bytes: [UInt8]) -> Bool {
        bytes[index...].starts(with: lead) && index + 2 < bytes.count && marks.contains(bytes[index + 2])
    }
}
