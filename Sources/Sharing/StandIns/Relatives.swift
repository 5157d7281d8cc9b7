import Captures

/// Finds what a value was before it was changed on its way: cut off, a character another one, something before it.
///
/// Of values that have parts, whose stand-ins are made of those of their parts: what is left of one has none.
struct Relatives {
    /// Another value, and how many bytes the two have in common at each end.
    struct Relative {
        var value: String
        var prefix: Int
        var suffix: Int
    }

    /// Less in common is chance.
    private static let least = 8

    private let forward: [[UInt8]]
    private let backward: [[UInt8]]

    init(_ values: [String]) {
        let bytes = values.map { Array($0.utf8) }
        forward = bytes.sorted { $0.lexicographicallyPrecedes($1) }
        backward = bytes.map { $0.reversed() }.sorted { $0.lexicographicallyPrecedes($1) }
    }

    /// The value that has the most in common with a text, half of the shorter one at least.
    ///
    /// One that is this very text behind a percent-encoding is none: its stand-in is made of the text's.
    func nearest(to text: [UInt8]) -> Relative? {
        let candidates =
            Self.neighbours(of: text, in: forward)
            + Self.neighbours(of: text.reversed(), in: backward).map { $0.reversed() }
        var best: Relative?
        for candidate in candidates where candidate != text {
            let prefix = zip(text, candidate).prefix { $0 == $1 }.count
            let most = min(text.count, candidate.count) - prefix
            let suffix = zip(text.reversed(), candidate.reversed()).prefix(most).prefix { $0 == $1 }.count
            guard prefix + suffix >= Self.least, 2 * (prefix + suffix) >= min(text.count, candidate.count),
                best.map({ $0.prefix + $0.suffix < prefix + suffix }) ?? true,
                !Self.encodes(candidate, text)
            else { continue }
            best = Relative(value: String(decoding: candidate, as: UTF8.self), prefix: prefix, suffix: suffix)
        }
        return best
    }

    private static func encodes(_ candidate: [UInt8], _ text: [UInt8]) -> Bool {
        var decoded = candidate
        for _ in 0..<mostEncodings where decoded.count > text.count && decoded.contains(0x25) {
            decoded = TextCoding.percent.decoded(decoded[...]).bytes
            if decoded == text { return true }
        }
        return false
    }

    private static let mostEncodings = 3

    /// Values beside the place at which a text would stand: those that begin like it.
    private static func neighbours(of text: [UInt8], in sorted: [[UInt8]]) -> [[UInt8]] {
        let place = sorted.partitionPoint { !$0.lexicographicallyPrecedes(text) }
        return Array(sorted[max(0, place - 2)..<min(sorted.count, place + 3)])
    }
}
