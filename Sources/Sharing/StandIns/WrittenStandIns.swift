import Captures

/// The stand-ins that were made: one may have pieces in common with what it stands for, and is not written once more.
struct WrittenStandIns {
    private var texts: Set<String> = []
    /// In bytes, of the longest of them.
    private var longest = 0
    /// In bytes; what is shorter is met by chance.
    private let least: Int

    init(least: Int) { self.least = least }

    /// Ten digits are a time.
    static let shortestTime = 10

    mutating func insert(_ text: String) {
        guard text.utf8.count >= least else { return }
        texts.insert(text)
        longest = max(longest, text.utf8.count)
        if text.utf8.last == 0x3d { texts.insert(String(text.reversed().drop { $0 == "=" }.reversed())) }
    }

    /// Whether a piece belongs to a stand-in that is already in its place.
    func isOne(around range: Range<Int>, in text: [UInt8]) -> Bool {
        var (start, end) = (range.lowerBound, range.upperBound)
        // One stands in a run of its own; longer runs have none, and are not looked through for each piece in them.
        let longest = min(self.longest, 1 << 16)
        while end - start <= longest, start > 0, Self.isTokenByte(text[start - 1]) { start -= 1 }
        // `token=3DeyJ…`
        if start > 0, text[start - 1] == 0x3d, text[start..<end].starts(with: SlotReader.quotedToken) {
            start += 2
        }
        let bare = SecretFinder.withoutWord(text[start..<end]).startIndex
        if bare <= range.lowerBound { start = bare }
        while end - start <= longest, end < text.count, Self.isTokenByte(text[end]) { end += 1 }
        return end - start <= longest && texts.contains(String(decoding: text[start..<end], as: UTF8.self))
    }

    static func isTokenByte(_ byte: UInt8) -> Bool {
        byte.isASCIIAlphanumeric
            || [0x2b, 0x2d, 0x2e, 0x2f, 0x5f, 0x7e].contains(byte)
    }
}
