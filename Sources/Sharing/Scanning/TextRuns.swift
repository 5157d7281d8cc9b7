/// Keeps, of bytes that were decoded from somewhere, the runs that are text long enough to hold a secret.
///
/// Most of what decodes as base64 was never base64: its bytes are noise, in which runs of valid text are short.
struct TextRuns {
    private(set) var view: ScannedView
    private let textBytes: [Bool]
    /// In bytes.
    private let minimum: Int

    /// Noise has few runs of this length, and no claim with its name is shorter: `{"a":"b"}`.
    static let minimum = 9

    /// Runs as they are wanted.
    ///
    /// `textBytes`: for each ASCII byte, whether text may have it.
    /// `minimum`: of bytes; shorter runs are dropped.
    init(textBytes: [Bool], minimum: Int = minimum, tracksOrigins: Bool) {
        self.textBytes = textBytes
        self.minimum = minimum
        view = ScannedView(tracksOrigins: tracksOrigins)
    }

    /// Takes what was decoded: the runs of UTF-8 in it, and those of UTF-16 in either order of bytes.
    ///
    /// `origins`: for each byte where it comes from; may be empty where nobody asks.
    mutating func take(_ bytes: UnsafeBufferPointer<UInt8>, origins: [UInt32]) {
        takeUTF8(bytes, origins)
        for first in 0...1 { takeUTF16(bytes, origins, firstHigh: first) }
    }

    // MARK: - UTF-8

    private mutating func takeUTF8(_ bytes: UnsafeBufferPointer<UInt8>, _ origins: [UInt32]) {
        textBytes.withUnsafeBufferPointer { isText in
            var begin = 0
            while begin + minimum <= bytes.count {
                // A run that is long enough covers these bytes: looked at from the last to the first, for noise ends soon.
                var start = begin + minimum
                while start > begin, Self.mayBeText(start - 1, in: bytes, isText) { start -= 1 }
                guard start == begin else {
                    begin = start
                    continue
                }
                let end = Self.end(ofTextAt: begin, in: bytes, isText)
                if end - begin >= minimum {
                    view.append(bytes, begin..<end, origins: origins)
                    view.append(WindowIndex.separator, from: 0)
                }
                begin = end + 1
            }
        }
    }

    /// Whether a byte can be part of text as far as its neighbours show.
    @inline(__always)
    private static func mayBeText(
        _ index: Int,
        in bytes: UnsafeBufferPointer<UInt8>,
        _ isText: UnsafeBufferPointer<Bool>
    ) -> Bool {
        let byte = bytes[index]
        if byte < 0x80 { return isText[Int(byte)] }
        if byte < 0xc0 { return index > 0 && bytes[index - 1] >= 0x80 }
        return index + 1 < bytes.count && bytes[index + 1] & 0xc0 == 0x80
    }

    /// Where the text that begins here ends.
    private static func end(
        ofTextAt start: Int,
        in bytes: UnsafeBufferPointer<UInt8>,
        _ isText: UnsafeBufferPointer<Bool>
    ) -> Int {
        var index = start
        while index < bytes.count {
            let byte = bytes[index]
            if byte < 0x80 {
                guard isText[Int(byte)] else { break }
                index += 1
            } else {
                let length = length(ofCharacterAt: index, in: bytes)
                guard length > 0 else { break }
                index += length
            }
        }
        return index
    }

    /// The length of a UTF-8 sequence of two and more bytes; 0 where there is none.
    private static func length(ofCharacterAt index: Int, in bytes: UnsafeBufferPointer<UInt8>) -> Int {
        let length: Int
        switch bytes[index] {
        case 0xc2...0xdf: length = 2
        case 0xe0...0xef: length = 3
        case 0xf0...0xf4: length = 4
        default: return 0
        }
        guard index + length <= bytes.count else { return 0 }
        for offset in 1..<length where bytes[index + offset] & 0xc0 != 0x80 { return 0 }
        return length
    }

    // MARK: - UTF-16

    /// The runs of UTF-16 of which every other byte, from one of the first two on, is the upper half of a character.
    ///
    /// Only characters below U+0800 count as text: of the others noise is full.
    private mutating func takeUTF16(_ bytes: UnsafeBufferPointer<UInt8>, _ origins: [UInt32], firstHigh: Int)
    {
        var begin = firstHigh
        while begin + 2 * (WindowIndex.length - 1) < bytes.count {
            var high = begin + 2 * (WindowIndex.length - 1)
            while high >= begin, bytes[high] < 8 { high -= 2 }
            guard high < begin else {
                begin = high + 2
                continue
            }
            var end = begin + 2 * WindowIndex.length
            while end < bytes.count, bytes[end] < 8 { end += 2 }
            for toLow in [-1, 1] { takeUTF16(bytes, origins, stride(from: begin, to: end, by: 2), toLow) }
            begin = end
        }
    }

    /// Takes what was decoded as UTF-16 in one order of bytes.
    ///
    /// `highs`: where the upper halves stand.
    /// `toLow`: from there to the lower half.
    private mutating func takeUTF16(
        _ bytes: UnsafeBufferPointer<UInt8>,
        _ origins: [UInt32],
        _ highs: StrideTo<Int>,
        _ toLow: Int
    ) {
        var text: [UInt8] = []
        var textOrigins: [UInt32] = []
        func endRun(_ view: inout ScannedView) {
            guard !text.isEmpty else { return }
            if text.count >= minimum {
                text.withUnsafeBufferPointer { view.append($0, 0..<$0.count, origins: textOrigins) }
                view.append(WindowIndex.separator, from: 0)
            }
            text.removeAll(keepingCapacity: true)
            textOrigins.removeAll(keepingCapacity: true)
        }
        for high in highs where bytes.indices.contains(high + toLow) {
            let low = bytes[high + toLow]
            if bytes[high] == 0, low < 0x80 {
                guard textBytes[Int(low)] else {
                    endRun(&view)
                    continue
                }
                text.append(low)
            } else {
                text.append(0xc0 | bytes[high] << 2 | low >> 6)
                text.append(0x80 | low & 0x3f)
            }
            if !origins.isEmpty {
                let origin = origins[min(high, high + toLow)]
                textOrigins.append(contentsOf: repeatElement(origin, count: text.count - textOrigins.count))
            }
        }
        endRun(&view)
    }
}
