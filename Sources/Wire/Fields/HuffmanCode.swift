/// The code of HPACK's strings, which QPACK shares (RFC 7541, appendix B; RFC 9204, section 4.1.2).
///
/// What a string stands for are bytes: fields are not bound to be UTF-8.
enum HuffmanCode {
    /// How many bits each byte's code has, and the end of a string at last.
    ///
    /// The code is canonical: among codes of one length the smaller byte has the smaller one, and behind the last
    /// one the next longer ones begin.
    private static let lengths: [Int] = [
        13, 23, 28, 28, 28, 28, 28, 28, 28, 24, 30, 28, 28, 30, 28, 28,
        28, 28, 28, 28, 28, 28, 30, 28, 28, 28, 28, 28, 28, 28, 28, 28,
        6, 10, 10, 12, 13, 6, 8, 11, 10, 10, 8, 11, 8, 6, 6, 6,
        5, 5, 5, 6, 6, 6, 6, 6, 6, 6, 7, 8, 15, 6, 12, 10,
        13, 6, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7,
        7, 7, 7, 7, 7, 7, 7, 7, 8, 7, 8, 13, 19, 13, 14, 6,
        15, 5, 6, 5, 6, 5, 6, 6, 6, 5, 7, 7, 6, 6, 6, 5,
        6, 7, 6, 5, 5, 6, 7, 7, 7, 7, 7, 15, 11, 14, 13, 28,
        20, 22, 20, 20, 22, 22, 22, 23, 22, 23, 23, 23, 23, 23, 24, 23,
        24, 24, 22, 23, 24, 23, 23, 23, 23, 21, 22, 23, 22, 23, 23, 24,
        22, 21, 20, 22, 22, 23, 23, 21, 23, 22, 22, 24, 21, 22, 23, 23,
        21, 21, 22, 21, 23, 22, 23, 23, 20, 22, 22, 22, 23, 22, 22, 23,
        26, 26, 20, 19, 22, 23, 22, 25, 26, 26, 26, 27, 27, 26, 24, 25,
        19, 21, 26, 27, 27, 26, 27, 24, 21, 21, 26, 26, 28, 27, 27, 27,
        20, 24, 20, 21, 22, 21, 21, 23, 22, 22, 25, 25, 24, 24, 26, 23,
        26, 27, 26, 26, 27, 27, 27, 27, 27, 28, 27, 27, 27, 27, 27, 26,
        30,
    ]

    /// What four bits lead to from a place in the tree of the code; no code has fewer than five.
    private struct Step {
        var place: UInt8
        var byte: UInt8 = 0
        var hasByte = false
        /// Whether that is the end of a string, which is never written.
        var isEnd = false
    }

    /// Sixteen for each place, and whether a string may end there: with less than eight bits of the end's code.
    private static let tree: (steps: [Step], mayEnd: [Bool]) = {
        // Children of each place by their bit: a place, or a byte as what is left when it is taken from -1.
        var places = [(-1000, -1000)]
        var code = 0
        var length = 5
        for symbol in lengths.indices.sorted(by: { (lengths[$0], $0) < (lengths[$1], $1) }) {
            code <<= lengths[symbol] - length
            length = lengths[symbol]
            var place = 0
            for bit in (0..<length).reversed() {
                let isOne = code >> bit & 1 == 1
                var next = isOne ? places[place].1 : places[place].0
                if bit == 0 {
                    next = -1 - symbol
                } else if next < 0 {
                    next = places.count
                    places.append((-1000, -1000))
                }
                if isOne { places[place].1 = next } else { places[place].0 = next }
                place = next
            }
            code += 1
        }
        var steps: [Step] = []
        for start in places.indices {
            for bits in 0..<16 {
                var place = start
                var step = Step(place: 0)
                for bit in (0..<4).reversed() {
                    place = bits >> bit & 1 == 1 ? places[place].1 : places[place].0
                    guard place < 0 else { continue }
                    if let byte = UInt8(exactly: -1 - place) {
                        (step.byte, step.hasByte) = (byte, true)
                    } else {
                        step.isEnd = true
                    }
                    place = 0
                }
                step.place = UInt8(place)
                steps.append(step)
            }
        }
        var mayEnd = [Bool](repeating: false, count: places.count)
        var place = 0
        for _ in 0..<8 {
            mayEnd[place] = true
            place = places[place].1
        }
        return (steps, mayEnd)
    }()

    /// Nil where the bytes are not of the code.
    static func bytes(of coded: ArraySlice<UInt8>) -> [UInt8]? {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(coded.count * 8 / 5)
        var place = 0
        let isSound = tree.steps.withUnsafeBufferPointer { steps in
            for byte in coded {
                for bits in [byte >> 4, byte & 15] {
                    let step = steps[place * 16 + Int(bits)]
                    if step.isEnd { return false }
                    if step.hasByte { bytes.append(step.byte) }
                    place = Int(step.place)
                }
            }
            return true
        }
        return isSound && tree.mayEnd[place] ? bytes : nil
    }
}
