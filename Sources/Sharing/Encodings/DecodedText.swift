/// A text without its encoding, with the place from which each byte came, so that a change can be written back into
/// the bytes that were there.
struct DecodedText {
    private(set) var bytes: [UInt8] = []
    /// As it stood.
    private let raw: ArraySlice<UInt8>
    /// Where the raw text of each byte begins; an escape for several bytes belongs to the first of them.
    private var starts: [Int] = []

    init(raw: ArraySlice<UInt8>) {
        self.raw = raw
        bytes.reserveCapacity(raw.count)
        starts.reserveCapacity(raw.count)
    }

    /// `plain`: a piece of the raw text without escapes.
    mutating func append(_ plain: ArraySlice<UInt8>) {
        bytes += plain
        starts += plain.indices
    }

    /// `decoded`: what one escape stands for.
    mutating func append(_ decoded: [UInt8], from start: Int) {
        bytes += decoded
        starts += [Int](repeating: start, count: decoded.count)
    }

    /// The raw text with other bytes in it; what did not change keeps the very bytes that it had.
    func encoding(_ other: [UInt8], as coding: TextCoding) -> [UInt8] {
        var output: [UInt8] = []
        output.reserveCapacity(raw.count + other.count / 4)
        if bytes.count == other.count {
            var index = 0
            while index < bytes.count {
                let end = endOfUnit(from: index)
                if bytes[index..<end].elementsEqual(other[index..<end]) {
                    output += raw[rawRange(index, end)]
                } else if end - index > 1 {
                    // One escape of one character beyond ASCII.
                    for byte in other[index..<end] { coding.append(byte, like: [], to: &output) }
                } else {
                    coding.append(other[index], like: raw[rawRange(index, end)], to: &output)
                }
                index = end
            }
            return output
        }
        // Of another length only what lies between the equal ends is written anew; an escape for several bytes is of an end as a
        // whole.
        var head = zip(bytes, other).prefix { $0 == $1 }.count
        while isInsideOfUnit(head) { head -= 1 }
        var tail = zip(bytes.reversed(), other.reversed()).prefix(min(bytes.count, other.count) - head)
            .prefix { $0 == $1 }.count
        while isInsideOfUnit(bytes.count - tail) { tail -= 1 }
        output += raw[rawRange(0, head)]
        for byte in other[head..<(other.count - tail)] { coding.append(byte, like: [], to: &output) }
        output += raw[rawRange(bytes.count - tail, bytes.count)]
        return output
    }

    /// Where the raw text of a byte begins; behind the last byte, where the text ends.
    func place(of index: Int) -> Int { index < starts.count ? starts[index] : raw.endIndex }

    /// Whether half of the bytes of a range and more have each an escape of its own, as no encoder writes what needs none.
    func isEscaped(_ range: Range<Int>) -> Bool {
        let escaped = range.count { index in
            place(of: index + 1) - place(of: index) > 1
        }
        return escaped * 2 >= range.count
    }

    private func endOfUnit(from index: Int) -> Int {
        var end = index + 1
        while end < bytes.count, starts[end] == starts[index] { end += 1 }
        return end
    }

    /// Whether an escape stands for the bytes on both sides of a place.
    private func isInsideOfUnit(_ index: Int) -> Bool {
        index > 0 && index < bytes.count && starts[index] == starts[index - 1]
    }

    private func rawRange(_ from: Int, _ to: Int) -> Range<Int> {
        place(of: from)..<max(place(of: from), place(of: to))
    }
}
