/// Hexadecimal digits, both ways.
enum HexadecimalDigit {
    static func value(of byte: UInt8) -> UInt8? {
        switch byte {
        case 0x30...0x39: byte - 0x30
        case 0x41...0x46: byte - 0x41 + 10
        case 0x61...0x66: byte - 0x61 + 10
        default: nil
        }
    }

    static func pair(_ byte: UInt8, isLower: Bool) -> [UInt8] {
        let digits = Array((isLower ? "0123456789abcdef" : "0123456789ABCDEF").utf8)
        return [digits[Int(byte >> 4)], digits[Int(byte & 15)]]
    }
}
