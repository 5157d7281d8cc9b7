/// What a few words begin with: a text in which no such beginning stands has none of the words in it, which is known in one pass.
struct WordBeginnings {
    /// A bit for each sum of three bytes.
    private var sums = [UInt64](repeating: 0, count: 64)

    /// `words`: of three bytes at least.
    init(_ words: some Sequence<String>) {
        for word in words {
            var first = UInt32(0)
            for byte in word.utf8.prefix(3) { first = Self.next(first, byte) }
            sums[Int(first >> 6)] |= 1 << UInt64(first & 0x3f)
        }
    }

    /// Whether one of the words may stand somewhere in a text.
    func mayStand(in text: String) -> Bool {
        text.utf8.withContiguousStorageIfAvailable(mayStand(in:)) ?? true
    }

    /// Whether one of the words may stand somewhere in a text.
    func mayStand(in text: [UInt8]) -> Bool { text.withUnsafeBufferPointer(mayStand(in:)) }

    private func mayStand(in text: UnsafeBufferPointer<UInt8>) -> Bool {
        var sum = UInt32(0)
        for place in text.indices {
            sum = Self.next(sum, text[place])
            if place >= 2, sums[Int(sum >> 6)] & (1 << UInt64(sum & 0x3f)) != 0 { return true }
        }
        return false
    }

    /// Twelve bits, in which the three last bytes are; those before are shifted out.
    private static func next(_ sum: UInt32, _ byte: UInt8) -> UInt32 {
        (sum << 4 ^ UInt32(byte)) & 0xfff
    }
}
