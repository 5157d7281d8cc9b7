/// Base64url without padding (RFC 4648, section 5; RFC 7515, section 2).
package enum Base64URL {
    /// How a text differs from what RFC 7515 wants; all of them occur in the field.
    package enum Deviation: String, Sendable, Hashable, CaseIterable {
        case padded = "padded with ="
        case standardAlphabet = "standard Base64 alphabet (+ and /)"
        case whiteSpace = "white space inside"
        case strayBits = "bits set behind the last byte"
        case impossibleLength = "a length that no bytes give"
        case foreignCharacters = "characters outside of the alphabet"
    }

    /// Without padding.
    package static func encode(_ bytes: some Collection<UInt8>) -> String {
        var output: [UInt8] = []
        output.reserveCapacity((bytes.count * 4 + 2) / 3)
        var bits: UInt32 = 0
        var count: UInt32 = 0
        for byte in bytes {
            bits = bits << 8 | UInt32(byte)
            count += 8
            while count >= 6 {
                count -= 6
                output.append(alphabet[Int(bits >> count & 63)])
            }
        }
        if count > 0 { output.append(alphabet[Int(bits << (6 - count) & 63)]) }
        return String(decoding: output, as: UTF8.self)
    }

    /// The bytes that the text spells; nil where it is not strictly base64url without padding.
    package static func decode(_ text: some StringProtocol) -> [UInt8]? {
        var text = String(text)
        var output: [UInt8] = []
        return text.withUTF8 { decodeStrictly($0[...], into: &output) } ? output : nil
    }

    /// The bytes that the text spells if one is kind, and everything that was wrong with it.
    package static func decodeLeniently(_ text: some StringProtocol) -> (
        bytes: [UInt8], deviations: Set<Deviation>
    ) {
        var output: [UInt8] = []
        output.reserveCapacity(text.utf8.count / 4 * 3 + 2)
        var deviations: Set<Deviation> = []
        var bits: UInt32 = 0
        var count: UInt32 = 0
        var digits = 0
        for byte in text.utf8 {
            let value = values[Int(byte)]
            guard value < 64 else {
                deviations.insert(byte == 0x3d ? .padded : byte <= 0x20 ? .whiteSpace : .foreignCharacters)
                continue
            }
            if byte == 0x2b || byte == 0x2f { deviations.insert(.standardAlphabet) }
            bits = bits << 6 | UInt32(value)
            count += 6
            digits += 1
            if count >= 8 {
                count -= 8
                output.append(UInt8(truncatingIfNeeded: bits >> count))
            }
        }
        if digits % 4 == 1 { deviations.insert(.impossibleLength) }
        if count > 0, count < 6, bits & ((1 << count) - 1) != 0 { deviations.insert(.strayBits) }
        return (output, deviations)
    }

    /// Decodes into a buffer that is used again; false where ``decode(_:)`` would say nil.
    static func decodeStrictly(_ text: Slice<UnsafeBufferPointer<UInt8>>, into output: inout [UInt8]) -> Bool
    {
        output.removeAll(keepingCapacity: true)
        guard text.count % 4 != 1 else { return false }
        output.reserveCapacity(text.count / 4 * 3 + 2)
        var bits: UInt32 = 0
        var count: UInt32 = 0
        for byte in text {
            // The standard alphabet's characters are in the table, for lenient reading.
            let value = values[Int(byte)]
            guard value < 64, byte != 0x2b, byte != 0x2f else { return false }
            bits = bits << 6 | UInt32(value)
            count += 6
            if count >= 8 {
                count -= 8
                output.append(UInt8(truncatingIfNeeded: bits >> count))
            }
        }
        return count == 0 || bits & ((1 << count) - 1) == 0
    }

    private static let alphabet = Array(
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8
    )

    private static let values: [UInt8] = {
        var values = [UInt8](repeating: 255, count: 256)
        for (index, byte) in alphabet.enumerated() { values[Int(byte)] = UInt8(index) }
        values[0x2b] = 62
        values[0x2f] = 63
        return values
    }()
}
