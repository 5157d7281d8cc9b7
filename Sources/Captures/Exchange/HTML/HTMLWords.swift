/// What a person reads of a page: a space in the place of each tag; scripts, styles and comments left out.
package enum HTMLWords {
    /// Character references are left as they are (``HTMLText``); of `enough` bytes of words the rest is left out.
    package static func outsideOfTags(_ bytes: UnsafeBufferPointer<UInt8>, enough: Int = .max) -> [UInt8] {
        var output: [UInt8] = []
        var wordBytes = 0
        var index = 0
        while index < bytes.count, wordBytes < enough {
            let open = ByteSearch.index(of: 0x3c, in: bytes, index..<bytes.count) ?? bytes.count
            output.append(contentsOf: bytes[index..<open])
            if enough < .max { wordBytes += bytes[index..<open].count { $0 > 0x20 } }
            guard open < bytes.count else { break }
            output.append(0x20)
            index = end(ofTagAt: open, in: bytes)
        }
        return output
    }

    /// The place behind a tag, or behind the end tag of what is not read.
    private static func end(ofTagAt open: Int, in bytes: UnsafeBufferPointer<UInt8>) -> Int {
        if begins("!--", in: bytes, at: open + 1) { return commentEnd(at: open, in: bytes) }
        var index = open
        if let name = hidden.first(where: { begins($0, in: bytes, at: open + 1) }) {
            index = closing(name, in: bytes, from: open)
        }
        return ByteSearch.index(of: 0x3e, in: bytes, index..<bytes.count).map { $0 + 1 } ?? bytes.count
    }

    /// The place behind a comment, which begins with `<!--` there; the dashes of the beginning may be those of the end (`<!-->`, `<!--->`).
    static func commentEnd(at open: Int, in bytes: UnsafeBufferPointer<UInt8>) -> Int {
        var index = open + 4
        while let close = ByteSearch.index(of: 0x3e, in: bytes, index..<bytes.count) {
            if bytes[close - 1] == 0x2d, bytes[close - 2] == 0x2d { return close + 1 }
            index = close + 1
        }
        return bytes.count
    }

    private static let hidden: [StaticString] = ["script", "style"]

    /// Whether a name in lower case stands there, in any case.
    private static func begins(_ name: StaticString, in bytes: UnsafeBufferPointer<UInt8>, at place: Int)
        -> Bool
    {
        guard place + name.utf8CodeUnitCount <= bytes.count else { return false }
        return (0..<name.utf8CodeUnitCount).allSatisfy { bytes[place + $0] | 0x20 == name.utf8Start[$0] }
    }

    /// Where the end tag of a name begins; the end where there is none.
    private static func closing(
        _ name: StaticString,
        in bytes: UnsafeBufferPointer<UInt8>,
        from index: Int
    ) -> Int {
        var index = index
        while let open = ByteSearch.index(of: 0x3c, in: bytes, index..<bytes.count) {
            if open + 1 < bytes.count, bytes[open + 1] == 0x2f, begins(name, in: bytes, at: open + 2) {
                return open
            }
            index = open + 1
        }
        return bytes.count
    }
}
