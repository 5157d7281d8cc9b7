import Captures

/// Texts that are short, or look like any word, and are to be found in longer ones all the same.
///
/// Six characters and more are compared without the case of ASCII letters.
package struct WordIndex: Sendable {
    /// What may stand beside such a text.
    package enum Boundary: Sendable, Hashable {
        /// Anything.
        case none
        /// What is no letter, no digit, and joins no words: it is a word of its own.
        case word
        /// Also nothing that is written inside of numbers.
        case number
        /// A number behind a segment of a path, a parameter or a member that names accounts (``AccountNames``).
        case account
        /// A word behind a segment of a path that has people's names behind it.
        case segment
        /// Nothing that is written inside of base64.
        case base64
        /// Nothing that may be part of an escape or of a letter beyond ASCII either: it is what an account is called.
        case name
    }

    /// One of them in a text.
    struct Match {
        var range: Range<Int>
        /// Index of the text.
        var word: Int
    }

    private struct Word {
        var bytes: [UInt8]
        var boundary: Boundary
        var folds: Bool
    }

    private var words: [Word] = []
    /// Indices of the texts in the order of their letters, by their first two bytes in lower case; those of one byte stand under
    /// each.
    private var heads: [[Int]] = []
    /// For each two bytes whether any of the texts begins with them, in either case: most places of a text are passed over.
    private var mayBegin: [Bool] = []
    /// Those of one byte, which may be the last of a text.
    private var singles: [Int] = []
    /// For each text the longest other one that it begins with, or that is the same.
    private var beginnings: [Int?] = []

    /// Empty ones are never found.
    init(_ texts: [(bytes: [UInt8], boundary: Boundary)]) {
        for (bytes, boundary) in texts {
            let folds =
                bytes.count >= NamedValueIndex.foldedLength && boundary != .base64 && boundary != .name
            words.append(
                Word(bytes: folds ? bytes.map(\.asciiLowercased) : bytes, boundary: boundary, folds: folds)
            )
        }
        guard !words.isEmpty else { return }
        heads = Array(repeating: [], count: 1 << 16)
        mayBegin = Array(repeating: false, count: 1 << 16)
        beginnings = Array(repeating: nil, count: words.count)
        var open: [Int] = []
        for index in inOrder() {
            while let last = open.last, !begins(last, index) { open.removeLast() }
            beginnings[index] = open.last
            open.append(index)
            let bytes = words[index].bytes
            guard let first = bytes.first else { continue }
            if bytes.count > 1 {
                insert(index, first, bytes[1])
            } else {
                singles.append(index)
                for second in UInt8.min...UInt8.max where second.asciiLowercased == second {
                    insert(index, first, second)
                }
            }
        }
    }

    private mutating func insert(_ index: Int, _ first: UInt8, _ second: UInt8) {
        heads[Self.head(first, second)].append(index)
        for first in Self.cases(of: first) {
            for second in Self.cases(of: second) { mayBegin[Int(first) << 8 | Int(second)] = true }
        }
    }

    private static func cases(of byte: UInt8) -> [UInt8] {
        byte.isASCIILetter ? [byte | 0x20, byte & 0xdf] : [byte]
    }

    /// Indices of the texts by their letters in lower case; of those that are the same the first comes last.
    private func inOrder() -> [Int] {
        let folded = words.map { $0.bytes.map(\.asciiLowercased) }
        return words.indices.filter { !folded[$0].isEmpty }.sorted { left, right in
            folded[left] == folded[right]
                ? left > right : folded[left].lexicographicallyPrecedes(folded[right])
        }
    }

    /// Whether a text begins another, or is the same.
    private func begins(_ index: Int, _ other: Int) -> Bool {
        let (bytes, others) = (words[index].bytes, words[other].bytes)
        guard bytes.count <= others.count else { return false }
        return bytes.indices.allSatisfy { bytes[$0].asciiLowercased == others[$0].asciiLowercased }
    }

    private static func head(_ first: UInt8, _ second: UInt8) -> Int {
        Int(first.asciiLowercased) << 8 | Int(second.asciiLowercased)
    }

    var isEmpty: Bool { words.isEmpty }

    /// Those that do not overlap, from the left.
    func matches(in text: UnsafeBufferPointer<UInt8>, limit: Int = .max) -> [Match] {
        guard !isEmpty else { return [] }
        var found: [Match] = []
        var start = 0
        mayBegin.withUnsafeBufferPointer { mayBegin in
            while start < text.count, found.count < limit {
                guard start + 1 == text.count || mayBegin[Int(text[start]) << 8 | Int(text[start + 1])] else {
                    start += 1
                    continue
                }
                let head = start + 1 < text.count ? heads[Self.head(text[start], text[start + 1])] : singles
                guard !head.isEmpty, let word = longest(of: head, in: text, at: start) else {
                    start += 1
                    continue
                }
                let end = start + words[word].bytes.count
                found.append(Match(range: start..<end, word: word))
                start = end
            }
        }
        return found
    }

    func boundary(of match: Match) -> Boundary { words[match.word].boundary }

    /// The longest of several that stands at a place.
    ///
    /// All that a text begins with are beginnings of the last one that does not come behind it.
    private func longest(of head: [Int], in text: UnsafeBufferPointer<UInt8>, at start: Int) -> Int? {
        var (low, high) = (0, head.count)
        while low < high {
            let middle = low + (high - low) / 2
            if isBehind(head[middle], text, start) { high = middle } else { low = middle + 1 }
        }
        var candidate = low > 0 ? head[low - 1] : nil
        while let index = candidate, !stands(index, in: text, at: start) { candidate = beginnings[index] }
        return candidate
    }

    /// Whether one comes behind what a text has at a place in the order of the letters.
    private func isBehind(_ index: Int, _ text: UnsafeBufferPointer<UInt8>, _ start: Int) -> Bool {
        var place = start
        for own in words[index].bytes {
            guard place < text.count else { return true }
            let (byte, letter) = (text[place].asciiLowercased, own.asciiLowercased)
            if byte != letter { return letter > byte }
            place += 1
        }
        return false
    }

    private func stands(_ index: Int, in text: UnsafeBufferPointer<UInt8>, at start: Int) -> Bool {
        let word = words[index]
        let end = start + word.bytes.count
        guard end <= text.count else { return false }
        for offset in word.bytes.indices {
            let byte = text[start + offset]
            guard (word.folds ? byte.asciiLowercased : byte) == word.bytes[offset] else { return false }
        }
        if word.boundary == .segment, !AccountNames.standInPath(before: start, in: text) { return false }
        if word.boundary == .account, !AccountNames.stand(before: start, in: text) { return false }
        // What ends a sentence is no part of a number.
        let isStop =
            end < text.count && text[end] == 0x2e
            && (end + 1 == text.count || !Self.isWordByte(text[end + 1]))
        return
            (start == 0 || word.boundary == .account || !joins(text[start - 1], text[start], word.boundary))
            && (end == text.count || isStop || !joins(text[end], text[end - 1], word.boundary))
    }

    /// Whether a byte makes a longer word of the one whose first or last byte is `edge`.
    private func joins(_ byte: UInt8, _ edge: UInt8, _ boundary: Boundary) -> Bool {
        switch boundary {
        case .none: false
        case .word: Self.isWordByte(edge) && Self.isWordByte(byte)
        case .segment: Self.isWordByte(byte) || [0x2d, 0x2e].contains(byte)
        case .number, .account: Self.isWordByte(byte) || [0x2b, 0x2d, 0x2e, 0x3a].contains(byte)
        case .base64: Self.isWordByte(byte) || [0x2b, 0x2d, 0x2f].contains(byte)
        case .name: Self.isWordByte(byte) || byte >= 0x80 || [0x25, 0x2b, 0x5c].contains(byte)
        }
    }

    private static func isWordByte(_ byte: UInt8) -> Bool {
        byte.isASCIIAlphanumeric || byte == 0x5f
            || byte >= 0x80 && byte != WindowIndex.separator
    }

    /// The spellings of a text that no decoding of longer texts reaches.
    static func encoded(_ bytes: [UInt8]) -> [[UInt8]] {
        let plain = Array(Base64.encode(bytes).utf8.filter { $0 != 0x3d })
        let url = plain.map { $0 == 0x2b ? 0x2d : $0 == 0x2f ? 0x5f : $0 }
        return [plain, url]
            + [false, true].map { Array(Hexadecimal.encode(bytes, isUppercase: $0).utf8) }
    }
}
