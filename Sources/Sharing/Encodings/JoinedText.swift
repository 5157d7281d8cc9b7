import Captures

/// The letters and digits of a text, and where each of them stands, so that a secret is met whose pieces stand in a row: in strings
/// that are put together, in groups, or in several `data:` lines of one event (HTML, section 9.2.6).
struct JoinedText {
    let bytes: [UInt8]
    /// Where each of them stands in the text; most texts have no such secret, and are not asked.
    private(set) lazy var places = Self.places(in: text)

    private let text: [UInt8]

    init(_ text: [UInt8]) {
        self.text = text
        var bytes: [UInt8] = []
        bytes.reserveCapacity(text.count)
        Self.read(text) { bytes.append(text[$0]) }
        self.bytes = bytes
    }

    private static func places(in text: [UInt8]) -> [Int] {
        var places: [Int] = []
        read(text) { places.append($0) }
        return places
    }

    /// `take`: is told the place of each letter and digit, in order.
    @inline(__always)
    private static func read(_ text: [UInt8], _ take: (Int) -> Void) {
        var index = 0
        while index < text.count {
            let byte = text[index]
            if byte.isASCIIAlphanumeric {
                take(index)
            } else if byte == 0x0a || byte == 0x0d, text[(index + 1)...].starts(with: field) {
                index += field.count
            }
            index += 1
        }
    }

    private static let field = Array("data:".utf8)

    /// Whether something else stands between letters and digits.
    mutating func hasJoint(in range: Range<Int>) -> Bool {
        places[range.upperBound - 1] - places[range.lowerBound] >= range.count
    }
}
