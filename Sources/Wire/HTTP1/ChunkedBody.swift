internal import Captures

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
        /// What chunks may not be though they can be read, at this index; said once of a body.
        case named(Int, String)
        /// Not chunks: what was found, at this index.
        case broken(Int, String)
    }

    private enum State: Equatable {
        case size
        /// Blanks behind the size, which an extension may follow.
        case blanks
        case extension_
        /// The LF of a size line whose CR was there.
        case sizeEnd
        case data
        case dataEnd
        /// The LF behind the CR behind the data.
        case dataLineFeed
        /// The last chunk is over, which remains to be said.
        case last
    }

    private var state: State = .size
    private var named: Set<String> = []
    private var remaining = 0
    private var digits = 0
    private var lineBytes = 0
    /// Longer size lines are not read; no honest sender has them.
    private static let maximumLine = 16 << 10

    /// The next output of the input from `index` on; moves `index` behind what it took.
    mutating func next(_ input: UnsafeBufferPointer<UInt8>, _ index: inout Int) -> Output {
        if state == .last { return .trailers(index) }
        while index < input.count {
            let byte = input[index]
            switch state {
            case .size:
                if let output = size(byte, &index) { return output }
            case .blanks, .extension_:
                if let output = sizeLine(byte, &index) { return output }
            case .sizeEnd:
                // Where such a line ends, readers do not agree.
                guard byte == 0x0a else { return .broken(index, "a CR within the line of a chunk size") }
                index += 1
                if endSizeLine() { return .trailers(index) }
            case .data:
                let count = min(remaining, input.count - index)
                let range = index..<(index + count)
                remaining -= count
                index += count
                if remaining == 0 { state = .dataEnd }
                return .data(range)
            case .dataEnd, .dataLineFeed:
                if let output = dataEnd(byte, &index) { return output }
            case .last: return .trailers(index)
            }
        }
        return .needsMore
    }

    /// Takes a digit of a size, or what stands behind the digits.
    private mutating func size(_ byte: UInt8, _ index: inout Int) -> Output? {
        if let digit = byte.hexadecimalValue.map(Int.init) {
            guard digits < 15 else { return .broken(index, "a chunk size of more than 15 digits") }
            remaining = remaining << 4 | digit
            digits += 1
            index += 1
            return nil
        }
        guard digits > 0 else { return .broken(index, "no chunk size") }
        switch byte {
        case 0x0a, 0x0d, 0x3b, 0x20, 0x09: return sizeLine(byte, &index)
        default: return .broken(index, "a chunk size with a character that is no digit")
        }
    }

    /// Takes a byte of the line end behind the data of a chunk.
    private mutating func dataEnd(_ byte: UInt8, _ index: inout Int) -> Output? {
        guard byte == 0x0a || byte == 0x0d && state == .dataEnd else {
            return .broken(index, "a chunk longer than its size")
        }
        let isAlone = byte == 0x0a && state == .dataEnd
        index += 1
        if byte == 0x0d {
            state = .dataLineFeed
            return nil
        }
        state = .size
        digits = 0
        lineBytes = 0
        remaining = 0
        return isAlone ? name("a chunk that ends in LF alone", at: index - 1) : nil
    }

    /// Takes a byte behind the digits of a size.
    private mutating func sizeLine(_ byte: UInt8, _ index: inout Int) -> Output? {
        lineBytes += 1
        guard lineBytes < Self.maximumLine else {
            return .broken(index, "a chunk extension of more than 16 KiB")
        }
        let place = index
        let wasBlank = state == .blanks
        index += 1
        switch byte {
        case 0x0d: state = .sizeEnd
        case 0x0a:
            if endSizeLine() { state = .last }
            return name("a chunk size line that ends in LF alone", at: place)
                ?? (state == .last ? .trailers(index) : nil)
        case 0x20, 0x09:
            if state == .size { state = .blanks }
            return nil
        default:
            state = .extension_
            if byte < 0x20 || byte == 0x7f {
                return name("a control character in a chunk extension", at: place)
            }
        }
        // Blanks may stand before an extension (RFC 9112, section 7.1.1), not before anything else.
        guard wasBlank, byte != 0x3b else { return nil }
        return name("white space behind a chunk size", at: place)
    }

    /// Whether that was the last chunk.
    private mutating func endSizeLine() -> Bool {
        if remaining > 0 { state = .data }
        return remaining == 0
    }

    private mutating func name(_ reason: String, at index: Int) -> Output? {
        named.insert(reason).inserted ? .named(index, reason) : nil
    }
}
