/// Finds secrets in base 85 without any mark around it, by what they begin with in its alphabets.
///
/// Of which bytes five digits are depends on where the encoded text begins: each secret is known as it is from its first, second,
/// third and fourth byte on.
struct Base85Index {
    /// Digits in which a secret may be, with those that its first and its last bytes share with others.
    struct Run {
        /// Where each group of five stands; the last one may be shorter.
        private(set) var groups: [Range<Int>]
        let alphabet: Base85Alphabet

        var end: Int { groups.last?.upperBound ?? 0 }

        /// Takes the digits from a place on up to another one, as far as there are any.
        mutating func extend(from start: Int, to limit: Int, in text: [UInt8]) {
            var end = start
            while end < min(limit, text.count) {
                let group = text[end...].prefix(5).prefix { alphabet.isDigit($0) }
                guard alphabet.decoded(group) != nil else { return }
                groups.append(group.indices)
                end = group.endIndex
                guard group.count == 5 else { return }
            }
        }

        /// Changes what it says.
        ///
        /// `changing`: nil leaves it as it is.
        func change(_ text: inout [UInt8], _ changing: ([UInt8]) -> [UInt8]?) {
            let bytes = groups.map { alphabet.decoded(text[$0]) ?? [] }
            guard !bytes.contains([]), let other = changing(bytes.flatMap(\.self)) else { return }
            guard other.count == bytes.reduce(0, { $0 + $1.count }) else { return }
            var rest = other[...]
            for (group, own) in zip(groups, bytes) {
                let new = rest.prefix(own.count)
                rest = rest.dropFirst(own.count)
                if !new.elementsEqual(own) { text.replaceSubrange(group, with: alphabet.encoded(new)) }
            }
        }
    }

    private static let alphabets = [Base85Alphabet.ascii85, .git, .zeroMQ]
    /// In bytes: of the beginning that a secret is known by, and of what is looked at behind it.
    private static let longestBeginning = 32
    private static let longestSecret = 1 << 13
    private static let spellingCount = 12

    private let index: FragmentIndex
    /// Of each secret, in bytes.
    private let lengths: [Int]

    init(_ secrets: [String]) {
        lengths = secrets.map { min($0.utf8.count, Self.longestSecret) }
        index = FragmentIndex(
            secrets.flatMap { Self.spellings(of: Array($0.utf8.prefix(Self.longestBeginning))) }
        )
    }

    private static func spellings(of bytes: [UInt8]) -> [[UInt8]] {
        alphabets.flatMap { alphabet in
            (0..<4).map { first in
                stride(from: first, to: bytes.count - 3, by: 4).flatMap { start in
                    alphabet.encoded(bytes[start..<(start + 4)])
                }
            }
        }
    }

    /// The runs of a text in which a secret begins, in its order; one in which another begins goes on to the end of that.
    func runs(in text: [UInt8]) -> [Run] {
        var runs: [Run] = []
        // Of each alphabet and place of the first digit.
        var last: [Int: Int] = [:]
        for match in index.matches(in: text) {
            let alphabet = match.secret % Self.spellingCount / 4
            let start = match.range.lowerBound + (5 - match.offset % 5) % 5
            let limit = start + 5 * (lengths[match.secret / Self.spellingCount] / 4 + 1)
            let key = 5 * alphabet + start % 5
            if let known = last[key], case let end = runs[known].end, start <= end {
                runs[known].extend(from: end, to: limit, in: text)
                continue
            }
            var run = Run(groups: [], alphabet: Self.alphabets[alphabet])
            if start >= 5 { run.extend(from: start - 5, to: start, in: text) }
            // Digits in front that are fewer, or no number, belong to something else.
            if run.end != start { run = Run(groups: [], alphabet: run.alphabet) }
            run.extend(from: start, to: limit, in: text)
            guard !run.groups.isEmpty else { continue }
            last[key] = runs.count
            runs.append(run)
        }
        return runs
    }
}
