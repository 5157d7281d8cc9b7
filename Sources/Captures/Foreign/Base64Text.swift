/// A text in Base64 that stands in other text, decoded window by window.
enum Base64Text {
    /// Decodes what begins at an offset, over line ends, up to the first byte that is none of it.
    static func convert(_ source: CaptureSource, from start: Int, into text: ScratchText) throws(CaptureError)
    {
        var digits: [UInt8] = []
        var offset = start
        var isAtEnd = false
        while offset < source.size, !isAtEnd {
            let window = source.bytes(at: offset, count: 256 << 10)
            guard !window.isEmpty else { break }
            offset += window.count
            let own = window.prefix { $0 <= 0x20 || Base64Alphabet.values[Int($0)] < 64 }
            isAtEnd = own.count < window.count
            digits += own.filter { $0 > 0x20 }
            // Four digits are three bytes; fewer stand at the end only.
            let whole = digits.count / 4 * 4
            try write(digits[..<whole], to: text)
            digits.removeFirst(whole)
        }
        try write(digits[...], to: text)
    }

    private static func write(_ digits: ArraySlice<UInt8>, to text: ScratchText) throws(CaptureError) {
        let bytes = Base64.decode(String(decoding: digits, as: UTF8.self))
        try bytes.withUnsafeBufferPointer { piece throws(CaptureError) in try text.append(piece) }
    }
}
