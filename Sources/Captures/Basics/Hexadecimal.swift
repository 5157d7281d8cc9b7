/// Bytes as hexadecimal digits, two for each (RFC 4648, section 8).
package enum Hexadecimal {
    private static let lowercase = Array("0123456789abcdef".utf8)
    private static let uppercase = Array("0123456789ABCDEF".utf8)

    /// The two digits of a byte, in lower case unless said otherwise.
    package static func digits(of byte: UInt8, isUppercase: Bool = false) -> [UInt8] {
        let digits = isUppercase ? uppercase : lowercase
        return [digits[Int(byte >> 4)], digits[Int(byte & 15)]]
    }

    /// The digits of bytes, in lower case unless said otherwise.
    package static func encode(_ bytes: some Sequence<UInt8>, isUppercase: Bool = false) -> String {
        String(decoding: bytes.flatMap { digits(of: $0, isUppercase: isUppercase) }, as: UTF8.self)
    }

    /// The bytes that pairs of digits of either case spell; nil for all else.
    @inlinable
    package static func decode(_ text: some Sequence<UInt8>) -> [UInt8]? {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(text.underestimatedCount / 2)
        var high: UInt8?
        for digit in text {
            guard let value = digit.hexadecimalValue else { return nil }
            if let first = high {
                bytes.append(first << 4 | value)
                high = nil
            } else {
                high = value
            }
        }
        return high == nil ? bytes : nil
    }
}
