extension CaptureSource {
    private static let windowSize = 256 << 10

    /// The line (from 1) on which a byte stands.
    ///
    /// `known`: a place at it or before it, and its line; the bytes between are counted.
    func line(of offset: Int, behind known: (offset: Int, line: Int) = (0, 1)) -> Int {
        var (start, line) = known
        while start < offset {
            let window = bytes(at: start, count: min(Self.windowSize, offset - start))
            guard !window.isEmpty else { break }
            line += window.count { $0 == 0x0a }
            start += window.count
        }
        return line
    }

    /// The column (from 1, in bytes) at which a byte stands.
    func column(of offset: Int) -> Int {
        var end = offset
        while end > 0 {
            let start = max(0, end - Self.windowSize)
            let window = bytes(at: start, count: end - start)
            if let feed = window.lastIndex(of: 0x0a) { return offset - (start + feed) }
            end = start
        }
        return offset + 1
    }
}
