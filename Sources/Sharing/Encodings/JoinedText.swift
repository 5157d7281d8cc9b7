import Captures

/// The letters and digits of a text, and where each of them stands, so that a secret is met whose pieces stand in a row: in strings
/// that are put together, in groups, in several `data:` lines of one event (HTML, section 9.2.6), or behind a word each that says
/// which piece it is.
struct JoinedText {
    let bytes: [UInt8]
    /// Where each of them stands in the text; most texts have no such secret, and are not asked.
    private(set) lazy var places = Self.places(in: text, withoutWords: isWithoutWords)

    private let text: [UInt8]
    private let isWithoutWords: Bool

    /// `withoutWords`: what may be a word, with a number perhaps, or is a short number, is none of it.
    init(_ text: [UInt8], withoutWords: Bool) {
        self.text = text
        isWithoutWords = withoutWords
        var bytes: [UInt8] = []
        bytes.reserveCapacity(text.count)
        Self.read(text, withoutWords) { bytes.append(text[$0]) }
        self.bytes = bytes
    }

    private static func places(in text: [UInt8], withoutWords: Bool) -> [Int] {
        var places: [Int] = []
        read(text, withoutWords) { places.append($0) }
        return places
    }

    /// `take`: is told the place of each letter and digit, in order.
    @inline(__always)
    private static func read(_ text: [UInt8], _ withoutWords: Bool, _ take: (Int) -> Void) {
        var index = 0
        while index < text.count {
            let byte = text[index]
            if byte.isASCIIAlphanumeric {
                let end = endOfRun(from: index, in: text)
                if !withoutWords || !isWord(text[index..<end]) { (index..<end).forEach(take) }
                index = end - 1
            } else if byte == 0x0a || byte == 0x0d, text[(index + 1)...].starts(with: field) {
                index += field.count
            }
            index += 1
        }
    }

    private static func endOfRun(from start: Int, in text: [UInt8]) -> Int {
        var end = start + 1
        while end < text.count, text[end].isASCIIAlphanumeric { end += 1 }
        return end
    }

    /// Letters with a number of two digits behind them at most, or a number of three.
    private static func isWord(_ run: ArraySlice<UInt8>) -> Bool {
        let digits = run.drop(while: \.isASCIILetter)
        return digits.count <= (digits.count < run.count ? 2 : 3) && digits.allSatisfy(\.isASCIIDigit)
    }

    private static let field = Array("data:".utf8)

    /// Whether something else stands between letters and digits.
    mutating func hasJoint(in range: Range<Int>) -> Bool {
        places[range.upperBound - 1] - places[range.lowerBound] >= range.count
    }
}
