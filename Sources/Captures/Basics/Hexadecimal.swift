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
        let digits = isUppercase ? uppercase : lowercase
        var text: [UInt8] = []
        text.reserveCapacity(bytes.underestimatedCount * 2)
        for byte in bytes {
            text.append(digits[Int(byte >> 4)])
            text.append(digits[Int(byte & 15)])
        }
        return String(decoding: text, as: UTF8.self)
    }

    /// The bytes that pairs of digits of either case spell; nil for all else.
    package static func decode(_ text: some Sequence<UInt8>) -> [UInt8]? {
        // One kind of bytes: key logs have a million of them, and what is generic is looked up for each.
        text.withContiguousStorageIfAvailable(decoded) ?? Array(text).withUnsafeBufferPointer(decoded)
    }

    private static func decoded(_ digits: UnsafeBufferPointer<UInt8>) -> [UInt8]? {
        guard digits.count.isMultiple(of: 2) else { return nil }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(digits.count / 2)
        for index in stride(from: 0, to: digits.count, by: 2) {
            guard let high = digits[index].hexadecimalValue, let low = digits[index + 1].hexadecimalValue
            else {
                return nil
            }
            bytes.append(high << 4 | low)
        }
        return bytes
    }
}
