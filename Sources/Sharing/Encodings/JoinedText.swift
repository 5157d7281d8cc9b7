import Captures

/// The letters and digits of a text, and where each of them stands, so that a secret is met whose pieces stand in a row: in strings
/// that are put together, in groups, or in several `data:` lines of one event (HTML, section 9.2.6).
struct JoinedText {
    private(set) var bytes: [UInt8] = []
    private(set) var places: [Int] = []

    init(_ text: [UInt8]) {
        bytes.reserveCapacity(text.count)
        places.reserveCapacity(text.count)
        var index = 0
        while index < text.count {
            let byte = text[index]
            if byte.isASCIIAlphanumeric {
                bytes.append(byte)
                places.append(index)
            } else if byte == 0x0a || byte == 0x0d, text[(index + 1)...].starts(with: Self.field) {
                index += Self.field.count
            }
            index += 1
        }
    }

    private static let field = Array("data:".utf8)

    /// Whether something else stands between letters and digits.
    func hasJoint(in range: Range<Int>) -> Bool {
        places[range.upperBound - 1] - places[range.lowerBound] >= range.count
    }
}
