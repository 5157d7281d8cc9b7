/// The digits of an encoding of four bytes in five characters, the most significant one first.
struct Base85Alphabet {
    private let digits: [UInt8]
    /// Of each byte; nil for one that is no digit.
    private let values: [UInt8?]

    /// Of PostScript and PDF (PostScript Language Reference, section 3.2.2).
    static let ascii85 = Self(Array(0x21...0x75))
    private static let letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
    /// Of Git's binary patches and of Python's `b85encode`; the digits are those of RFC 1924, section 4.2.
    static let git = Self(Array("0123456789\(letters)\(letters.lowercased())!#$%&()*+-;<=>?@^_`{|}~".utf8))
    /// Of ZeroMQ (RFC 32, Z85).
    static let zeroMQ = Self(Array("0123456789\(letters.lowercased())\(letters).-:+=^!/*?&<>()[]{}@%$#".utf8))

    private init(_ digits: [UInt8]) {
        self.digits = digits
        var values = [UInt8?](repeating: nil, count: 256)
        for (value, digit) in digits.enumerated() { values[Int(digit)] = UInt8(value) }
        self.values = values
    }

    func isDigit(_ byte: UInt8) -> Bool { values[Int(byte)] != nil }

    /// As many bytes as there are digits but for one, two digits at least; nil where they are too large a number, or none.
    func decoded(_ group: some Collection<UInt8>) -> [UInt8]? {
        guard group.count > 1 else { return nil }
        var number: UInt64 = 0
        for digit in group {
            guard let value = values[Int(digit)] else { return nil }
            number = number * 85 + UInt64(value)
        }
        for _ in group.count..<5 { number = number * 85 + 84 }
        guard number <= UInt64(UInt32.max) else { return nil }
        return (0..<(group.count - 1)).map { UInt8(truncatingIfNeeded: number >> UInt64(24 - 8 * $0)) }
    }

    /// One digit more than there are bytes, of which there are four at most.
    func encoded(_ bytes: some Collection<UInt8>) -> [UInt8] {
        var number = bytes.reduce(UInt64(0)) { $0 << 8 | UInt64($1) } << UInt64(8 * (4 - bytes.count))
        var output: [UInt8] = []
        for _ in 0..<5 {
            output.append(digits[Int(number % 85)])
            number /= 85
        }
        return Array(output.reversed().prefix(bytes.count + 1))
    }
}
