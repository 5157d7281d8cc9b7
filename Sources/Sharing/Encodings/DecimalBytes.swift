import Captures

/// Bytes by their numbers, one behind the other: `113,55,90,…`, `String.fromCharCode(113, 55, 90, …)`.
struct DecimalBytes {
    /// Where each number stands.
    private(set) var places: [Range<Int>] = []
    private(set) var bytes: [UInt8] = []

    /// Fewer say nothing of twelve characters.
    private static let shortest = 12

    /// All lists of them in a text, in order.
    static func all(in text: [UInt8]) -> [Self] {
        var found: [Self] = []
        var index = 0
        while index < text.count {
            guard text[index].isASCIIDigit else {
                index += 1
                continue
            }
            let isFree = index == 0 || !text[index - 1].isASCIIWordByte && text[index - 1] != 0x2e
            let list = isFree ? Self(text, from: index) : Self()
            if list.places.count >= shortest { found.append(list) }
            index = list.places.last?.upperBound ?? index
            while index < text.count, text[index].isASCIIDigit { index += 1 }
        }
        return found
    }

    private init() {}

    /// Reads numbers as long as there are any, with the same between them.
    private init(_ text: [UInt8], from start: Int) {
        var index = start
        var gap: ArraySlice<UInt8>?
        while let number = Self.number(at: index, in: text) {
            places.append(index..<number.end)
            bytes.append(number.byte)
            let own = gap ?? Self.gap(at: number.end, in: text)
            guard !own.isEmpty, text[number.end...].starts(with: own) else { return }
            gap = own
            index = number.end + own.count
        }
    }

    /// A comma, with a space behind it or not, or a space alone; empty for others.
    private static func gap(at index: Int, in text: [UInt8]) -> ArraySlice<UInt8> {
        let rest = text[index...].prefix(2)
        return rest.elementsEqual([0x2c, 0x20])
            ? rest : rest.prefix(1).filter { $0 == 0x2c || $0 == 0x20 }[...]
    }

    /// A number of a byte, and where it ends.
    private static func number(at start: Int, in text: [UInt8]) -> (byte: UInt8, end: Int)? {
        guard start < text.count else { return nil }
        let digits = text[start...].prefix(4).prefix(while: \.isASCIIDigit)
        guard (1...3).contains(digits.count), digits.count == 1 || digits.first != 0x30 else { return nil }
        let value = digits.reduce(0) { $0 * 10 + Int($1 - 0x30) }
        return UInt8(exactly: value).map { ($0, digits.endIndex) }
    }
}
