import Captures

/// Bytes in hexadecimal with something between them: `71:37:5a:…`, `71 37 5A …`, `7137 5a72 …`, `0x71, 0x37, …`.
enum GroupedHexadecimal {
    /// Where the digits of each run stand; shorter runs hide nothing of twelve characters.
    static func runs(in text: [UInt8]) -> [[Int]] {
        var runs: [[Int]] = []
        var index = 0
        while index < text.count {
            guard text[index].isHexadecimalDigit else {
                index += 1
                continue
            }
            let isFree = index == 0 || !text[index - 1].isASCIIAlphanumeric
            let mark = lengthOfMark(at: index, in: text)
            let group = group(at: index + mark, in: text)
            index = group.upperBound
            let separator = separator(at: index, in: text)
            guard isFree, group.count == 2 || group.count == 4, !separator.isEmpty else { continue }
            var places = Array(group)
            while text[index...].starts(with: separator), case let start = index + separator.count,
                start < text.count, lengthOfMark(at: start, in: text) == mark,
                case let next = self.group(at: start + mark, in: text), next.count == group.count,
                next.upperBound == text.count || !text[next.upperBound].isASCIIAlphanumeric
            {
                places += next
                index = next.upperBound
            }
            if places.count >= shortest { runs.append(places) }
        }
        return runs
    }

    /// In digits.
    private static let shortest = 24
    private static let separators: [UInt8] = [0x20, 0x2d, 0x3a, 0x2c]

    /// A mark, or a comma with a space behind it; empty for others.
    private static func separator(at index: Int, in text: [UInt8]) -> ArraySlice<UInt8> {
        guard index < text.count, separators.contains(text[index]) else { return [] }
        return text[index...].prefix(text[index...].starts(with: [0x2c, 0x20]) ? 2 : 1)
    }

    /// Of what says that the digits behind it are hexadecimal.
    private static func lengthOfMark(at index: Int, in text: [UInt8]) -> Int {
        text[index] == 0x30 && index + 1 < text.count && text[index + 1] | 0x20 == 0x78 ? 2 : 0
    }

    /// The digits that begin at a place.
    private static func group(at start: Int, in text: [UInt8]) -> Range<Int> {
        var end = start
        while end < text.count, text[end].isHexadecimalDigit { end += 1 }
        return start..<end
    }

    /// Changes what a run of a text says.
    ///
    /// `places`: of the digits; `changing`: nil leaves them as they are.
    static func change(_ places: [Int], of text: inout [UInt8], _ changing: ([UInt8]) -> [UInt8]?) {
        let digits = places.map { text[$0] }
        let bytes = BinaryCoding.hexadecimal.decoded(digits)
        guard let other = changing(bytes), other.count == bytes.count else { return }
        let isUppercase = digits.contains { (0x41...0x46).contains($0) }
        for (place, digit) in zip(places, Hexadecimal.encode(other, isUppercase: isUppercase).utf8) {
            text[place] = digit
        }
    }
}
