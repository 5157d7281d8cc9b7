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
        // Of another length only what lies between equal pieces is written anew; an escape for several bytes is of a piece as a
        // whole.
        var end = 0
        for var (own, start) in equalPieces(with: other) {
            while !own.isEmpty, isInsideOfUnit(own.lowerBound) { (own, start) = (own.dropFirst(), start + 1) }
            while !own.isEmpty, isInsideOfUnit(own.upperBound) { own = own.dropLast() }
            guard !own.isEmpty else { continue }
            for byte in other[end..<start] { coding.append(byte, like: [], to: &output) }
            output += raw[rawRange(own.lowerBound, own.upperBound)]
            end = start + own.count
        }
        for byte in other[end...] { coding.append(byte, like: [], to: &output) }
        return output
    }

    /// What is the same in other bytes, in order: each piece, and where it begins there.
    private func equalPieces(with other: [UInt8]) -> [(own: Range<Int>, start: Int)] {
        let head = zip(bytes, other).prefix { $0 == $1 }.count
        let tail = zip(bytes.reversed(), other.reversed()).prefix(min(bytes.count, other.count) - head)
            .prefix { $0 == $1 }.count
        let (ownEnd, otherEnd) = (bytes.count - tail, other.count - tail)
        var pieces = [(own: 0..<head, start: 0)]
        var (place, start) = (head, head)
        while let (skipped, new) = nextPiece(behind: place..<ownEnd, start..<otherEnd, in: other) {
            (place, start) = (place + skipped, start + new)
            let count = zip(bytes[place..<ownEnd], other[start..<otherEnd]).prefix { $0 == $1 }.count
            pieces.append((place..<(place + count), start))
            (place, start) = (place + count, start + count)
        }
        return pieces + [(ownEnd..<bytes.count, otherEnd)]
    }

    /// How many bytes of either stand before what is the same in both again, as few as there may be; nil where nothing near is.
    private func nextPiece(behind own: Range<Int>, _ new: Range<Int>, in other: [UInt8]) -> (Int, Int)? {
        // Where what may be the same begins, behind both.
        var (owns, news): ([UInt64: Int], [UInt64: Int]) = ([:], [:])
        var best: (skipped: Int, new: Int)?
        func take(_ skipped: Int, _ new: Int) {
            let sum = best.map { $0.skipped + $0.new } ?? .max
            if (skipped + new, skipped) < (sum, best?.skipped ?? 0) { best = (skipped, new) }
        }
        for step in 0...Self.longestChange {
            // What is met from here on stands behind as many bytes at least.
            if let best, best.skipped + best.new < step { break }
            let (ownKey, newKey) = (Self.key(bytes, own, step), Self.key(other, new, step))
            if ownKey == nil, newKey == nil { break }
            if let ownKey {
                if owns[ownKey] == nil { owns[ownKey] = step }
                if let place = news[ownKey] { take(step, place) }
            }
            if let newKey {
                if news[newKey] == nil { news[newKey] = step }
                if let place = owns[newKey] { take(place, step) }
            }
        }
        return best
    }

    /// What is compared of a text, from so many bytes behind the beginning of a range on; nil where it has no more as many.
    private static func key(_ text: [UInt8], _ range: Range<Int>, _ step: Int) -> UInt64? {
        let start = range.lowerBound + step
        guard start + shortestPiece <= range.upperBound else { return nil }
        return text[start..<(start + shortestPiece)].reduce(0) { $0 << 8 | UInt64($1) }
    }

    /// In bytes, of what is looked for behind a change, as many as a number has, and of a change.
    private static let shortestPiece = 8
    private static let longestChange = 96

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
