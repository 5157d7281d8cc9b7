import Captures

/// What a few words begin with and how long they are: a word of a text that has no such shape is none of them, which is known
/// without a string of it.
struct WordShapes {
    /// By the first byte, a bit for each length.
    private var lengths = [UInt64](repeating: 0, count: 256)

    /// `words`: of 63 bytes at most, in small letters.
    ///
    /// `ignoringCase`: those that begin with a capital letter have such a shape, too.
    init(_ words: some Sequence<String>, ignoringCase: Bool = false) {
        for word in words {
            guard let first = word.utf8.first else { continue }
            lengths[Int(first)] |= 1 << UInt64(word.utf8.count)
            guard ignoringCase, first.isASCIILetter else { continue }
            lengths[Int(first & 0xdf)] |= 1 << UInt64(word.utf8.count)
        }
    }

    /// Whether a word may be one of them.
    func match(_ word: ArraySlice<UInt8>) -> Bool {
        guard let first = word.first, word.count < 64 else { return false }
        return lengths[Int(first)] & (1 << UInt64(word.count)) != 0
    }
}
