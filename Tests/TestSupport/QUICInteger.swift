/// Writes integers as QUIC and HTTP/3 do: one, two, four or eight bytes, whose first two bits say how many (RFC 9000, section 16).
package enum QUICInteger {
    /// As few bytes as it takes; of `value` less than 2^62, and not below zero.
    package static func bytes(of value: Int) -> [UInt8] {
        let (size, mark): (Int, UInt8) =
            value < 1 << 6 ? (1, 0) : value < 1 << 14 ? (2, 0x40) : value < 1 << 30 ? (4, 0x80) : (8, 0xc0)
        var bytes = (0..<size).map { UInt8(truncatingIfNeeded: value >> (8 * (size - 1 - $0))) }
        bytes[0] |= mark
        return bytes
    }
}
