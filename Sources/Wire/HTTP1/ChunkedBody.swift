/// Undoes the chunked coding (RFC 9112, section 7.1), byte for byte, with its extensions and up to its
/// trailers.
struct ChunkedBody {
    /// What the next bytes are.
    enum Output: Equatable {
        /// That many bytes of data stand at this place of the input.
        case data(Range<Int>)
        /// The last chunk is over; trailers follow at this index.
        case trailers(Int)
        case needsMore
        /// Not chunks: what was found, at this index.
        case broken(Int, String)
    }

    private enum State: Equatable {
        case size
        /// Behind the CR of a size line.
        case sizeEnd
        case extension_
        case data
        case dataEnd
    }

    private var state: State = .size
    private var remaining = 0
    private var digits = 0
    private var lineBytes = 0
    /// Longer size lines are not read; no honest sender has them.
    private static let maximumLine = 16 << 10

    /// The next output of the input from `index` on; moves `index` behind what it took.
    mutating func next(_ input: UnsafeBufferPointer<UInt8>, _ index: inout Int) -> Output {
        while index < input.count {
            let byte = input[index]
            switch state {
            case .size:
                if let digit = Self.digit(byte) {
                    guard digits < 15 else { return .broken(index, "a chunk size of more than 15 digits") }
                    remaining = remaining << 4 | digit
                    digits += 1
                } else if digits == 0 {
                    return .broken(index, "no chunk size")
                } else if byte == 0x0a {
                    if let end = endOfSizeLine(behind: index + 1) {
                        index += 1
                        return end
                    }
                } else if byte == 0x3b || byte == 0x20 || byte == 0x09 {
                    state = .extension_
                } else if byte == 0x0d {
                    state = .sizeEnd
                } else {
                    return .broken(index, "a chunk size with a character that is no digit")
                }
                lineBytes += 1
                index += 1
            case .sizeEnd:
                // Readers differ on what a CR alone means.
                guard byte == 0x0a else { return .broken(index, "a CR alone behind a chunk size") }
                index += 1
                if let end = endOfSizeLine(behind: index) { return end }
            case .extension_:
                lineBytes += 1
                guard lineBytes < Self.maximumLine else {
                    return .broken(index, "a chunk extension of more than 16 KiB")
                }
                index += 1
                if byte == 0x0a, let end = endOfSizeLine(behind: index) { return end }
            case .data:
                let count = min(remaining, input.count - index)
                let range = index..<(index + count)
                remaining -= count
                index += count
                if remaining == 0 { state = .dataEnd }
                return .data(range)
            case .dataEnd:
                guard byte == 0x0d || byte == 0x0a else {
                    return .broken(index, "a chunk longer than its size")
                }
                index += 1
                if byte == 0x0a {
                    state = .size
                    digits = 0
                    lineBytes = 0
                    remaining = 0
                }
            }
        }
        return .needsMore
    }

    private mutating func endOfSizeLine(behind index: Int) -> Output? {
        if remaining == 0 { return .trailers(index) }
        state = .data
        return nil
    }

    private static func digit(_ byte: UInt8) -> Int? {
        switch byte {
        case 0x30...0x39: Int(byte) - 0x30
        case 0x41...0x46: Int(byte) - 0x41 + 10
        case 0x61...0x66: Int(byte) - 0x61 + 10
        default: nil
        }
    }
}
