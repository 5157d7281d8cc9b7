/// Standard Base64 (RFC 4648, section 4), as HAR carries bodies that are no text.
package enum Base64 {
    package static func append(_ bytes: some Collection<UInt8>, to output: inout [UInt8]) {
        var iterator = bytes.makeIterator()
        while let first = iterator.next() {
            let second = iterator.next()
            let third = second == nil ? nil : iterator.next()
            output.append(alphabet[Int(first >> 2)])
            output.append(alphabet[Int((first & 3) << 4 | (second ?? 0) >> 4)])
            output.append(second.map { alphabet[Int(($0 & 15) << 2 | (third ?? 0) >> 6)] } ?? 0x3d)
            output.append(third.map { alphabet[Int($0 & 63)] } ?? 0x3d)
        }
    }

    package static func encode(_ bytes: some Collection<UInt8>) -> String {
        var output: [UInt8] = []
        output.reserveCapacity((bytes.count + 2) / 3 * 4)
        append(bytes, to: &output)
        return String(decoding: output, as: UTF8.self)
    }

    /// The bytes that the text spells; characters outside of both alphabets are passed over, as MIME readers
    /// do.
    package static func decode(_ text: String) -> [UInt8] {
        var output: [UInt8] = []
        output.reserveCapacity(text.utf8.count / 4 * 3)
        var bits: UInt32 = 0
        var count = 0
        for byte in text.utf8 {
            let value = values[Int(byte)]
            guard value < 64 else {
                if byte == 0x3d { break }
                continue
            }
            bits = bits << 6 | UInt32(value)
            count += 6
            if count >= 8 {
                count -= 8
                output.append(UInt8(truncatingIfNeeded: bits >> UInt32(count)))
            }
        }
        return output
    }

    private static let alphabet = Array(
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8
    )

    private static let values: [UInt8] = {
        var values = [UInt8](repeating: 255, count: 256)
        for (index, byte) in alphabet.enumerated() { values[Int(byte)] = UInt8(index) }
        values[0x2d] = 62
        values[0x5f] = 63
        return values
    }()
}
