/// Text in UTF-16, as Windows programs and PowerShell's redirection write it, made UTF-8.
enum UTF16Text {
    /// Lone surrogates become U+FFFD; a byte order mark is left out.
    static func convert(_ source: CaptureSource, isBigEndian: Bool, into text: ScratchText)
        throws(CaptureError)
    {
        var offset = 0
        var high: UInt16?
        while offset + 1 < source.size {
            let window = source.bytes(at: offset, count: 256 << 10)
            guard window.count > 1 else { break }
            var out: [UInt8] = []
            out.reserveCapacity(window.count)
            func put(_ scalar: UInt32) {
                guard let scalar = Unicode.Scalar(scalar), let bytes = UTF8.encode(scalar) else { return }
                out.append(contentsOf: bytes)
            }
            for (place, unit) in window[...].utf16Units(isBigEndian: isBigEndian).enumerated() {
                if let waiting = high {
                    high = nil
                    if (0xdc00..<0xe000).contains(unit) {
                        put(0x10000 + (UInt32(waiting) - 0xd800) << 10 + (UInt32(unit) - 0xdc00))
                        continue
                    }
                    put(0xfffd)
                }
                switch unit {
                case 0xd800..<0xdc00: high = unit
                case 0xdc00..<0xe000: put(0xfffd)
                case 0xfeff where offset + place == 0: break
                default: put(UInt32(unit))
                }
            }
            try out.withUnsafeBufferPointer { piece throws(CaptureError) in try text.append(piece) }
            offset += window.count & ~1
        }
    }
}
