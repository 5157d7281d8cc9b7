import Captures

/// Decodes base64 and hexadecimal text wherever it stands in other text.
///
/// Where encoded text begins cannot be known: a letter before it belongs to the same alphabet. So every run of the
/// alphabet is decoded from each of its first characters on, four for base64, two for hexadecimal, which also covers each
/// of the three places at which a secret can stand inside of what was encoded.
struct AlphabetRuns {
    /// The values of the characters; ``none`` for those that are in no alphabet.
    private let values: [UInt8]
    private let bitsPerCharacter: Int
    /// Shorter runs hold neither twelve characters of a secret nor a claim with its name.
    private let minimum: Int
    /// Whether a run goes on behind a line break.
    private let joinsLines: Bool

    private static let none: UInt8 = 255

    /// Of base64 and base64url, both alphabets at once, line breaks inside as MIME and PEM have them.
    static let base64 = AlphabetRuns(
        Base64Alphabet.values,
        bitsPerCharacter: 6,
        minimum: 12,
        joinsLines: true
    )
    /// In either case.
    static let hexadecimal = AlphabetRuns(
        hexadecimalValues,
        bitsPerCharacter: 4,
        minimum: 24,
        joinsLines: false
    )

    private static let hexadecimalValues: [UInt8] = {
        var values = [UInt8](repeating: none, count: 256)
        for alphabet in ["0123456789abcdef", "0123456789ABCDEF"] {
            for (value, byte) in alphabet.utf8.enumerated() { values[Int(byte)] = UInt8(value) }
        }
        return values
    }()

    private init(_ values: [UInt8], bitsPerCharacter: Int, minimum: Int, joinsLines: Bool) {
        self.values = values
        self.bitsPerCharacter = bitsPerCharacter
        self.minimum = minimum
        self.joinsLines = joinsLines
    }

    /// From how many characters on a run has to be decoded so that it is met at its beginning.
    var phases: Int { bitsPerCharacter == 6 ? 4 : 2 }

    /// What text the runs of a text decode to, each without its first `phase` characters.
    func decode(
        _ text: UnsafeBufferPointer<UInt8>,
        phase: Int,
        into runs: inout TextRuns,
        tracksOrigins: Bool
    ) {
        var index = 0
        while let run = nextRun(in: text, from: index) {
            decode(text, run, phase, into: &runs, tracksOrigins: tracksOrigins)
            index = run.upperBound
        }
    }

    /// What all of a text decodes to, whatever its length; what is not of the alphabet is skipped.
    func decodeWhole(_ text: UnsafeBufferPointer<UInt8>, into runs: inout TextRuns, tracksOrigins: Bool) {
        decode(text, 0..<text.count, 0, into: &runs, tracksOrigins: tracksOrigins)
    }

    // MARK: - Runs

    /// The next run that is long enough.
    private func nextRun(in text: UnsafeBufferPointer<UInt8>, from first: Int) -> Range<Int>? {
        values.withUnsafeBufferPointer { values in
            // A run covers one of any `minimum` bytes in a row: looked at from the last to the first.
            var begin = first
            while begin + minimum <= text.count {
                var start = begin + minimum
                while start > begin, values[Int(text[start - 1])] != Self.none { start -= 1 }
                guard start == begin else {
                    begin = start
                    continue
                }
                var end = begin + minimum
                while let next = continued(text, end, values) { end = next }
                if joinsLines { start = extendedBack(text, start, notBefore: first, values) }
                return start..<end
            }
            return nil
        }
    }

    /// Behind the next character of the run that ends here, with the line break before it; nil where the run is over.
    @inline(__always)
    private func continued(
        _ text: UnsafeBufferPointer<UInt8>,
        _ end: Int,
        _ values: UnsafeBufferPointer<UInt8>
    ) -> Int? {
        guard end < text.count else { return nil }
        if values[Int(text[end])] != Self.none { return end + 1 }
        guard joinsLines, Self.isLineBreak(text[end]) else { return nil }
        var next = end + 1
        while next < text.count, Self.isLineBreak(text[next]) || text[next].isBlank {
            next += 1
        }
        return next < text.count && values[Int(text[next])] != Self.none ? next + 1 : nil
    }

    /// The first character of a run, lines before it that were too short to be found taken in.
    private func extendedBack(
        _ text: UnsafeBufferPointer<UInt8>,
        _ start: Int,
        notBefore first: Int,
        _ values: UnsafeBufferPointer<UInt8>
    ) -> Int {
        var start = start
        while start > first {
            if values[Int(text[start - 1])] != Self.none {
                start -= 1
                continue
            }
            var end = start
            var hasBreak = false
            while end > first,
                Self.isLineBreak(text[end - 1]) || text[end - 1] == 0x20 || text[end - 1] == 0x09
            {
                hasBreak = Self.isLineBreak(text[end - 1])
                end -= 1
            }
            guard hasBreak, end > first, values[Int(text[end - 1])] != Self.none else { break }
            start = end
        }
        return start
    }

    private static func isLineBreak(_ byte: UInt8) -> Bool { byte == 0x0a || byte == 0x0d }

    // MARK: - Decoding

    private func decode(
        _ text: UnsafeBufferPointer<UInt8>,
        _ run: Range<Int>,
        _ phase: Int,
        into runs: inout TextRuns,
        tracksOrigins: Bool
    ) {
        var origins: [UInt32] = []
        let capacity = run.count * bitsPerCharacter / 8
        let bytes = [UInt8](unsafeUninitializedCapacity: capacity) { bytes, written in
            values.withUnsafeBufferPointer { values in
                var bits: UInt32 = 0
                var bitCount = 0
                var toSkip = phase
                // The first character of which the next byte has bits.
                var origin = run.lowerBound
                for index in run {
                    let value = values[Int(text[index])]
                    guard value != Self.none else { continue }
                    guard toSkip == 0 else {
                        toSkip -= 1
                        continue
                    }
                    if bitCount == 0 { origin = index }
                    bits = bits << UInt32(truncatingIfNeeded: bitsPerCharacter) | UInt32(value)
                    bitCount += bitsPerCharacter
                    guard bitCount >= 8 else { continue }
                    bitCount -= 8
                    bytes[written] = UInt8(truncatingIfNeeded: bits >> UInt32(truncatingIfNeeded: bitCount))
                    written += 1
                    if tracksOrigins { origins.append(UInt32(truncatingIfNeeded: origin)) }
                    origin = index
                }
            }
        }
        bytes.withUnsafeBufferPointer { runs.take($0, origins: origins) }
    }
}
