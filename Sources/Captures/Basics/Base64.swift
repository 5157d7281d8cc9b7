/// Standard Base64 (RFC 4648, section 4), as HAR carries bodies that are no text.
package enum Base64 {
    /// Writes bytes behind what is there, with padding, without line breaks.
    package static func append(_ bytes: some Collection<UInt8>, to output: inout [UInt8]) {
        if bytes.withContiguousStorageIfAvailable({ append($0, to: &output) }) == nil {
            Array(bytes).withUnsafeBufferPointer { append($0, to: &output) }
        }
    }

    /// Three bytes at a time, two characters for each twelve bits.
    private static func append(_ bytes: UnsafeBufferPointer<UInt8>, to output: inout [UInt8]) {
        let count = (bytes.count + 2) / 3 * 4
        let text = [UInt8](unsafeUninitializedCapacity: count) { text, filled in
            guard let base = text.baseAddress, count > 0 else { return }
            var index = 0
            pairs.withUnsafeBufferPointer { pairs in
                var target = UnsafeMutableRawPointer(base)
                while index + 3 <= bytes.count {
                    let bits = Int(bytes[index]) << 16 | Int(bytes[index + 1]) << 8 | Int(bytes[index + 2])
                    target.storeBytes(of: pairs[bits >> 12], as: UInt16.self)
                    target.storeBytes(of: pairs[bits & 0xfff], toByteOffset: 2, as: UInt16.self)
                    target += 4
                    index += 3
                }
            }
            if index < bytes.count {
                let bits =
                    UInt32(bytes[index]) << 16
                    | (index + 1 < bytes.count ? UInt32(bytes[index + 1]) << 8 : 0)
                text[count - 4] = alphabet[Int(bits >> 18)]
                text[count - 3] = alphabet[Int(bits >> 12 & 63)]
                text[count - 2] = index + 1 < bytes.count ? alphabet[Int(bits >> 6 & 63)] : 0x3d
                text[count - 1] = 0x3d
            }
            filled = count
        }
        output.append(contentsOf: text)
    }

    package static func encode(_ bytes: some Collection<UInt8>) -> String {
        var output: [UInt8] = []
        output.reserveCapacity((bytes.count + 2) / 3 * 4)
        append(bytes, to: &output)
        return String(decoding: output, as: UTF8.self)
    }

    /// In the alphabet for URLs and without padding (section 5).
    package static func encodeForURLs(_ bytes: some Collection<UInt8>) -> String {
        let text = encode(bytes).utf8.filter { $0 != 0x3d }
        return String(decoding: text.map { $0 == 0x2b ? 0x2d : $0 == 0x2f ? 0x5f : $0 }, as: UTF8.self)
    }

    /// What bytes come to in the Base64 of any text that they stand in, for each of their three places in a group of bytes: the
    /// characters that neighbours have no part in, in both alphabets.
    package static func cores(of bytes: some Collection<UInt8>) -> Set<String> {
        var cores: Set<String> = []
        for lead in 0..<3 {
            let padded = [UInt8](repeating: 0, count: lead) + bytes
            let (first, end) = ((8 * lead + 5) / 6, 8 * padded.count / 6)
            guard end > first else { continue }
            for text in [encode(padded), encodeForURLs(padded)] {
                cores.insert(String(decoding: Array(text.utf8)[first..<end], as: UTF8.self))
            }
        }
        return cores
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

    /// The bytes of a text that is exactly as an encoder writes it; nil for every other.
    ///
    /// Refused are characters outside of the alphabet, line ends among them, `=` where they do not belong, lengths that no
    /// bytes give, and bits set behind the last byte (RFC 4648, section 3.5): there is one text only for any bytes.
    /// - Parameters:
    ///   - text: in ASCII.
    ///   - isPadded: whether the last four characters are filled up with `=`, or `=` are left out.
    /// - Returns: the bytes.
    package static func decodeStrictly(_ text: ArraySlice<UInt8>, isPadded: Bool) -> [UInt8]? {
        var digits = text
        if isPadded {
            guard text.count % 4 == 0 else { return nil }
            for _ in 0..<2 where digits.last == 0x3d { digits.removeLast() }
        }
        guard digits.count % 4 != 1 else { return nil }
        var output: [UInt8] = []
        output.reserveCapacity(digits.count / 4 * 3 + 2)
        var bits: UInt32 = 0
        var count: UInt32 = 0
        for byte in digits {
            let value = values[Int(byte)]
            // The URL alphabet's characters are in the table, for lenient reading.
            guard value < 64, byte != 0x2d, byte != 0x5f else { return nil }
            bits = bits << 6 | UInt32(value)
            count += 6
            if count >= 8 {
                count -= 8
                output.append(UInt8(truncatingIfNeeded: bits >> count))
            }
        }
        return bits & ((1 << count) - 1) == 0 ? output : nil
    }

    private static let alphabet = Base64Alphabet.standard

    /// The two characters of each twelve bits, as they lie in memory.
    private static let pairs: [UInt16] = (0..<4096).map { bits in
        UInt16(littleEndian: UInt16(alphabet[bits >> 6]) | UInt16(alphabet[bits & 63]) << 8)
    }

    private static let values = Base64Alphabet.values
}
