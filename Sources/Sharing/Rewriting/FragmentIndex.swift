import Captures

/// Finds secrets, and pieces of them, inside longer texts.
///
/// Linear in the text: a window of every secret at each seventh byte is known by its six bytes, so that any twelve
/// bytes of a secret hold one of them; what is found is then compared and grown to both sides.
struct FragmentIndex {
    /// A secret, or a piece of one, in a text.
    struct Match {
        var range: Range<Int>
        /// Index of the secret.
        var secret: Int
        /// Where in the secret the piece begins.
        var offset: Int
    }

    /// Shorter pieces stand for nothing.
    static let shortestPiece = 12
    /// Shorter secrets are looked for at the places where they are named only.
    static let shortestWord = 8

    private static let window = 6
    private static let stride = 7
    /// Of the secrets that have a window in common; the others are found by what they have alone.
    private static let mostAlike = 12

    private struct Entry {
        var secret: Int32
        var offset: Int32
        /// Of the same window; -1 ends the list.
        var next: Int32
    }

    private var secrets: [[UInt8]] = []
    private var entries: [Entry] = []
    private var heads: [UInt64: (first: Int32, count: Int32)] = [:]
    private var filter = [UInt64](repeating: 0, count: 1 << 12)
    /// Indices of the secrets, by their bytes.
    private var sorted: [Int] = []
    /// For each of ``sorted`` the place of the longest other one that it begins with, or that is the same; -1 for none.
    private var beginnings: [Int32] = []

    /// `secrets`: at least ``shortestWord`` bytes each; those of less than ``shortestPiece`` match as whole words only.
    init(_ secrets: [[UInt8]]) {
        self.secrets = secrets
        let windows = secrets.reduce(0) { $0 + $1.count / Self.stride + 1 }
        var size = 1 << 12
        while size * 8 < windows, size < 1 << 20 { size *= 2 }
        filter = [UInt64](repeating: 0, count: size)
        heads.reserveCapacity(windows)
        for (index, secret) in secrets.enumerated() where secret.count >= Self.shortestWord {
            let isWord = secret.count < Self.shortestPiece
            for offset in Swift.stride(
                from: 0,
                through: isWord ? 0 : secret.count - Self.window,
                by: Self.stride
            ) {
                insert(Self.key(secret, offset), secret: index, offset: offset)
            }
        }
        sorted = secrets.indices.sorted { secrets[$0].lexicographicallyPrecedes(secrets[$1]) }
        beginnings = Self.beginnings(of: sorted.map { secrets[$0] })
    }

    private static func beginnings(of sorted: [[UInt8]]) -> [Int32] {
        var open: [Int] = []
        return sorted.indices.map { place in
            while let last = open.last, !sorted[place].starts(with: sorted[last]) { open.removeLast() }
            defer { open.append(place) }
            return open.last.map { Int32($0) } ?? -1
        }
    }

    var isEmpty: Bool { entries.isEmpty }

    private mutating func insert(_ key: UInt64, secret: Int, offset: Int) {
        let head = heads[key] ?? (-1, 0)
        guard head.count < Self.mostAlike else { return }
        entries.append(Entry(secret: Int32(secret), offset: Int32(offset), next: head.first))
        heads[key] = (Int32(entries.count - 1), head.count + 1)
        let bit = Self.bit(key, filter.count)
        filter[bit >> 6] |= 1 << UInt64(bit & 63)
    }

    private static func key(_ bytes: [UInt8], _ start: Int) -> UInt64 {
        (start..<(start + window)).reduce(0) { $0 << 8 | UInt64(bytes[$1]) }
    }

    private static func bit(_ key: UInt64, _ words: Int) -> Int {
        Int(truncatingIfNeeded: (key &* 0x9e37_79b9_7f4a_7c15) >> 20) & (words * 64 - 1)
    }

    /// The matches of a text, not overlapping, in its order.
    ///
    /// Where several overlap, the longest wins, and what it leaves of the others is theirs still.
    func matches(in text: [UInt8]) -> [Match] {
        guard text.count >= Self.window, !isEmpty else { return [] }
        var found: [Match] = []
        text.withUnsafeBufferPointer { text in
            var key: UInt64 = 0
            /// Until here nothing longer can begin that is not found by a later window.
            var position = 0
            var filled = 0
            while position < text.count {
                key = (key << 8 | UInt64(text[position])) & 0xffff_ffff_ffff
                filled += 1
                position += 1
                guard filled >= Self.window else { continue }
                let bit = Self.bit(key, filter.count)
                guard filter[bit >> 6] >> UInt64(bit & 63) & 1 == 1, let head = heads[key] else { continue }
                let start = position - Self.window
                guard let best = longest(head, at: start, in: text) else { continue }
                found.append(best)
                let resumed = best.range.upperBound - (Self.shortestPiece - 1)
                if resumed > position {
                    position = resumed
                    filled = 0
                }
            }
        }
        return Self.disjoint(found)
    }

    private func longest(
        _ head: (first: Int32, count: Int32),
        at start: Int,
        in text: UnsafeBufferPointer<UInt8>
    ) -> Match? {
        var best: Match?
        var next = head.first
        while next >= 0 {
            let entry = entries[Int(next)]
            next = entry.next
            guard let match = grown(Int(entry.secret), Int(entry.offset), at: start, in: text) else {
                continue
            }
            if best.map({ $0.range.count < match.range.count }) ?? true { best = match }
        }
        // Many secrets begin like this one: is another of them here as a whole?
        guard let best else { return head.count < Self.mostAlike ? nil : whole(at: start, in: text) }
        guard best.offset == 0 else { return best }
        return whole(at: best.range.lowerBound, in: text).flatMap {
            $0.range.count >= best.range.count ? $0 : nil
        } ?? best
    }

    private func grown(_ index: Int, _ offset: Int, at start: Int, in text: UnsafeBufferPointer<UInt8>)
        -> Match?
    {
        let secret = secrets[index]
        return secret.withUnsafeBufferPointer { secret -> Match? in
            var (lower, from) = (start, offset)
            while lower > 0, from > 0, text[lower - 1] == secret[from - 1] {
                lower -= 1
                from -= 1
            }
            var (upper, to) = (start, offset)
            while upper < text.count, to < secret.count, text[upper] == secret[to] {
                upper += 1
                to += 1
            }
            guard to > offset else { return nil }
            let isWhole = from == 0 && to == secret.count
            if secret.count < Self.shortestPiece {
                guard isWhole, Self.isWord(lower..<upper, in: text) else { return nil }
            } else {
                guard upper - lower >= Self.shortestPiece else { return nil }
            }
            return Match(range: lower..<upper, secret: index, offset: from)
        }
    }

    private static func isWord(_ range: Range<Int>, in text: UnsafeBufferPointer<UInt8>) -> Bool {
        (range.lowerBound == 0 || !text[range.lowerBound - 1].isBase64URLCharacter)
            && (range.upperBound == text.count || !text[range.upperBound].isBase64URLCharacter)
    }

    /// The longest secret that stands at a place from its first to its last byte.
    ///
    /// All that a text begins with are beginnings of the last one that does not come behind it.
    private func whole(at start: Int, in text: UnsafeBufferPointer<UInt8>) -> Match? {
        let rest = UnsafeBufferPointer(rebasing: text[start...])
        var place = sorted.partitionPoint { rest.lexicographicallyPrecedes(secrets[$0]) } - 1
        while place >= 0 {
            let secret = secrets[sorted[place]]
            let range = start..<(start + secret.count)
            if secret.count >= Self.shortestWord, rest.starts(with: secret),
                secret.count >= Self.shortestPiece || Self.isWord(range, in: text)
            {
                return Match(range: range, secret: sorted[place], offset: 0)
            }
            place = Int(beginnings[place])
        }
        return nil
    }

    private static func disjoint(_ found: [Match]) -> [Match] {
        guard found.count > 1 else { return found }
        var output: [Match] = []
        var group: [Match] = []
        var end = 0
        for match in found.sorted(by: { $0.range.lowerBound < $1.range.lowerBound }) {
            if match.range.lowerBound >= end {
                output += longestFirst(group)
                group = []
            }
            group.append(match)
            end = max(end, match.range.upperBound)
        }
        return output + longestFirst(group)
    }

    /// Of matches that overlap one another.
    private static func longestFirst(_ group: [Match]) -> [Match] {
        guard group.count > 1 else { return group }
        var taken: [Match] = []
        for match in group.sorted(by: { $0.range.count > $1.range.count }) {
            var free = [match.range]
            for other in taken {
                free = free.flatMap { piece -> [Range<Int>] in
                    guard piece.overlaps(other.range) else { return [piece] }
                    return [
                        piece.lowerBound..<max(piece.lowerBound, other.range.lowerBound),
                        min(piece.upperBound, other.range.upperBound)..<piece.upperBound,
                    ].filter { !$0.isEmpty }
                }
            }
            for piece in free {
                let offset = match.offset + piece.lowerBound - match.range.lowerBound
                taken.append(Match(range: piece, secret: match.secret, offset: offset))
            }
        }
        return taken.sorted { $0.range.lowerBound < $1.range.lowerBound }
    }
}
