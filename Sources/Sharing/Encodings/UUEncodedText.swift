import Captures

/// Bytes in lines between `begin` and `end`, as `uuencode` writes them (POSIX.1-2017).
struct UUEncodedText {
    private(set) var bytes: [UInt8] = []
    /// Where the digits of each line begin, and how many bytes they are; the mark of that stands before them.
    private var lines: [(start: Int, count: Int)] = []

    /// All of them in a text, in order.
    static func all(in text: [UInt8]) -> [Self] {
        Bytes.places(behind: beginning, in: text).compactMap { place in
            let mode = text[place...].prefix(4).prefix(while: \.isASCIIDigit)
            guard mode.count >= 3, text[mode.endIndex...].first == 0x20,
                let end = text[mode.endIndex...].prefix(longestName).firstIndex(of: 0x0a)
            else { return nil }
            let own = Self(text, from: end + 1)
            return own.bytes.isEmpty ? nil : own
        }
    }

    private static let beginning = Array("begin ".utf8)
    /// In bytes, of what stands behind the rights of a file.
    private static let longestName = 256

    /// Reads lines up to one without bytes, or that is none.
    private init(_ text: [UInt8], from first: Int) {
        var start = first
        while start < text.count, let count = Self.value(of: text[start]), count > 0 {
            // Three bytes are four digits, those that fill up the last group included.
            let digits = text[(start + 1)...].prefix((Int(count) + 2) / 3 * 4)
            let values = digits.compactMap(Self.value)
            guard values.count == (Int(count) + 2) / 3 * 4 else { return }
            let own = values.map { Base64Alphabet.standard[Int($0)] }
            bytes += BinaryCoding.base64.decoded(own).prefix(Int(count))
            lines.append((digits.startIndex, Int(count)))
            guard let end = text[digits.endIndex...].firstIndex(of: 0x0a) else { return }
            start = end + 1
        }
    }

    /// Six bits, of which zeros are a space or a back quote; nil for no digit.
    private static func value(of digit: UInt8) -> UInt8? {
        (0x20...0x60).contains(digit) ? (digit - 0x20) & 63 : nil
    }

    /// For each byte the digit in which it begins.
    var origins: [Int] {
        lines.flatMap { line in (0..<line.count).map { line.start + $0 * 4 / 3 } }
    }

    /// Writes other bytes in the place of these; digits that say the same as before stay, and so does everything where there are
    /// others of them.
    func write(_ other: [UInt8], into text: inout [UInt8]) {
        guard other.count == bytes.count else { return }
        var rest = other[...]
        for line in lines {
            let digits = Base64.encode(rest.prefix(line.count)).utf8.prefix { $0 != 0x3d }
            for (place, digit) in zip(line.start..., digits) {
                let value = Base64Alphabet.values[Int(digit)]
                if Self.value(of: text[place]) != value { text[place] = value == 0 ? 0x60 : value + 0x20 }
            }
            rest = rest.dropFirst(line.count)
        }
    }
}
