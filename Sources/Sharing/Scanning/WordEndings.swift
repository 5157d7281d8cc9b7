import Captures

/// What a few words end with: where one of them may stand in a text is known in one pass, without a string of any part of it.
struct WordEndings {
    /// A bit for each sum of the last bytes of a word.
    private var sums = [UInt64](repeating: 0, count: 1 << 10)

    /// `words`: of five bytes at least, in small letters; in a text all of them may be capitals, those of ASCII each by itself.
    init(_ words: some Sequence<String>) {
        for word in words {
            for spelling in [word, word.uppercased()] {
                let end = spelling.utf8.suffix(Self.length).reduce(0, Self.next)
                let sum = Self.sum(of: end)
                sums[sum >> 6] |= 1 << UInt64(sum & 0x3f)
            }
        }
    }

    /// Behind which bytes one of the words may end, in order.
    func places(in text: [UInt8]) -> [Int] {
        sums.withUnsafeBufferPointer { sums in
            text.withUnsafeBufferPointer { text in
                var places: [Int] = []
                var last = UInt64(0)
                for place in text.indices {
                    last = Self.next(last, text[place])
                    let sum = Self.sum(of: last)
                    if sums[sum >> 6] & (1 << UInt64(sum & 0x3f)) != 0 { places.append(place + 1) }
                }
                return places
            }
        }
    }

    /// In bytes, of what is looked at of a word.
    private static let length = 5

    /// The last bytes with one more; of ASCII in small letters.
    private static func next(_ last: UInt64, _ byte: UInt8) -> UInt64 {
        (last << 8 | UInt64(byte.asciiLowercased)) & 0xff_ffff_ffff
    }

    /// Sixteen bits of them.
    private static func sum(of last: UInt64) -> Int {
        Int(truncatingIfNeeded: (last &* 0x9e37_79b9_7f4a_7c15) >> 48)
    }
}
