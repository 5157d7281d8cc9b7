/// JSON that was written as a JSON string once more, as scripts do that encode what is text already.
enum QuotedText {
    /// Whether a text begins with a string that begins with an object or a list.
    static func isIt(_ source: CaptureSource) -> Bool {
        let head = source.bytes(at: 0, count: 4096).drop {
            $0 <= 0x20 || $0 == 0xef || $0 == 0xbb || $0 == 0xbf
        }
        guard head.first == UInt8(ascii: "\"") else { return false }
        let inner = head.dropFirst().drop { $0 == 0x20 }
        return inner.starts(with: Array("{\\\"".utf8)) || inner.starts(with: Array("{\\n".utf8))
            || inner.starts(with: Array("[{".utf8))
    }

    /// What the string says; what follows it is left out.
    ///
    /// An escape that JSON has not, and half a pair of surrogates, become U+FFFD.
    static func convert(_ source: CaptureSource, from start: Int = 0, into text: ScratchText)
        throws(CaptureError)
    {
        var reader = Unescaping()
        var offset = start
        while offset < source.size, !reader.isAtEnd {
            let window = source.bytes(at: offset, count: 256 << 10)
            guard !window.isEmpty else { break }
            let out = reader.read(window)
            try out.withUnsafeBufferPointer { piece throws(CaptureError) in try text.append(piece) }
            offset += window.count
        }
    }

    /// Where the reader stands between two windows.
    private struct Unescaping {
        private enum State {
            case before, plain, escape
            /// Hexadecimal digits so far, and what they say.
            case unicode(digits: Int, value: UInt32)
        }

        private var state = State.before
        /// The first of two surrogates, which waits for the second.
        private var high: UInt32?
        private(set) var isAtEnd = false

        private static let simple: [UInt8: UInt8] = [
            0x22: 0x22, 0x5c: 0x5c, 0x2f: 0x2f, 0x62: 0x08, 0x66: 0x0c, 0x6e: 0x0a, 0x72: 0x0d, 0x74: 0x09,
        ]

        mutating func read(_ window: [UInt8]) -> [UInt8] {
            var out: [UInt8] = []
            out.reserveCapacity(window.count)
            for byte in window {
                switch state {
                case .before: if byte == 0x22 { state = .plain }
                case .plain where byte == 0x5c: state = .escape
                case .plain:
                    endPair(&out)
                    if byte == 0x22 {
                        isAtEnd = true
                        return out
                    }
                    out.append(byte)
                case .escape where byte == UInt8(ascii: "u"): state = .unicode(digits: 0, value: 0)
                case .escape:
                    endPair(&out)
                    if let plain = Self.simple[byte] { out.append(plain) } else { put(0xfffd, &out) }
                    state = .plain
                case .unicode(let digits, let value):
                    let digit = byte.hexadecimalValue.map(UInt32.init)
                    let sum = value << 4 | (digit ?? 0)
                    if digits == 3 || digit == nil {
                        unit(digit == nil ? 0xfffd : sum, &out)
                        state = .plain
                    } else {
                        state = .unicode(digits: digits + 1, value: sum)
                    }
                }
            }
            return out
        }

        private mutating func unit(_ unit: UInt32, _ out: inout [UInt8]) {
            if let first = high, (0xdc00..<0xe000).contains(unit) {
                high = nil
                return put(0x10000 + (first - 0xd800) << 10 + (unit - 0xdc00), &out)
            }
            endPair(&out)
            if (0xd800..<0xdc00).contains(unit) { high = unit } else { put(unit, &out) }
        }

        private mutating func endPair(_ out: inout [UInt8]) {
            guard high != nil else { return }
            high = nil
            put(0xfffd, &out)
        }

        private func put(_ value: UInt32, _ out: inout [UInt8]) {
            out += Array(String(Unicode.Scalar(value) ?? "\u{fffd}").utf8)
        }
    }
}
