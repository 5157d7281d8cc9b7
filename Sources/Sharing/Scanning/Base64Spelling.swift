import Captures

/// Writes base64, to know how lawful text and short values look in it.
enum Base64Spelling {
    private static let alphabet = Base64Alphabet.url

    /// The characters of base64url that bytes alone determine when `before` bytes (0...2) stand before them, and the
    /// last one, which takes in the bits left over; nil where none are.
    static func characters(of bytes: UnsafeBufferPointer<UInt8>, before: Int) -> (
        whole: [UInt8], last: UInt8?
    ) {
        var whole: [UInt8] = []
        whole.reserveCapacity(bytes.count * 4 / 3 + 1)
        var bits: UInt32 = 0
        // Of a character that the bytes before share, the rest of the bits does not count.
        var bitCount = [0, -4, -2][before]
        for byte in bytes {
            bits = bits << 8 | UInt32(byte)
            bitCount += 8
            while bitCount >= 6 {
                bitCount -= 6
                whole.append(alphabet[Int(bits >> UInt32(bitCount) & 63)])
            }
        }
        guard bitCount > 0 else { return (whole, nil) }
        return (whole, alphabet[Int(bits << UInt32(6 - bitCount) & 63)])
    }

    /// The same in the other alphabet; nil where there is no difference.
    static func standard(_ characters: [UInt8]) -> [UInt8]? {
        guard characters.contains(where: { $0 == 0x2d || $0 == 0x5f }) else { return nil }
        return characters.map { $0 == 0x2d ? 0x2b : $0 == 0x5f ? 0x2f : $0 }
    }
}
