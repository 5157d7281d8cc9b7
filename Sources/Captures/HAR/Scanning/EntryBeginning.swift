/// How the entries of a file begin, by which the next one is found behind one that is damaged.
struct EntryBeginning {
    /// From the line feed before an entry, where there is only white space between, to the name of its first member.
    private let bytes: [UInt8]
    /// Where the entry itself begins among them.
    private let brace: Int

    /// How far before the place of an error the next entry may begin.
    private static let lookBack = 4096

    /// By the entry at an offset; nil where that gives nothing to look for.
    init?(at offset: Int, in source: CaptureSource) {
        let before = source.bytes(at: max(0, offset - 64), count: min(64, offset))
        let isSpace = { (byte: UInt8) in byte == 0x20 || byte == 0x09 || byte == 0x0a || byte == 0x0d }
        var indent = Array(before.reversed().prefix(while: isSpace).reversed())
        if let feed = indent.lastIndex(of: 0x0a) { indent.removeFirst(feed) } else { indent = [] }
        let head = source.bytes(at: offset, count: 200)
        guard let quote = head.firstIndex(of: 0x22), let end = head[(quote + 1)...].firstIndex(of: 0x22)
        else { return nil }
        bytes = indent + head[...end]
        guard let brace = bytes.firstIndex(of: UInt8(ascii: "{")) else { return nil }
        self.brace = brace
    }

    /// Where the next entry begins, and on which line.
    ///
    /// - Parameters:
    ///   - source: the file.
    ///   - offset: where the damaged entry begins.
    ///   - problem: what is wrong with it.
    /// - Returns: nil where there is none.
    func next(in source: CaptureSource, behind offset: Int, _ problem: LenientReader.Problem) -> (
        offset: Int, line: Int
    )? {
        var start = max(offset + 1, problem.offset - Self.lookBack)
        while start < source.size {
            let window = source.bytes(at: start, count: 256 << 10)
            if let found = ByteSearch.index(of: bytes, in: window) {
                let place = start + found + brace
                return (place, Self.line(at: place, knowing: problem, in: source))
            }
            guard window.count > bytes.count else { return nil }
            start += window.count - bytes.count
        }
        return nil
    }

    /// Of the lines before it only those behind the problem are new; one back is counted back.
    private static func line(at offset: Int, knowing problem: LenientReader.Problem, in source: CaptureSource)
        -> Int
    {
        guard offset < problem.offset else {
            return source.line(of: offset, behind: (problem.offset, problem.line))
        }
        return problem.line - source.line(of: problem.offset, behind: (offset, 0))
    }
}
