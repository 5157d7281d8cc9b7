/// Bech32 (BIP 173) of any length: how age spells its keys, with a checksum against slips.
package enum Bech32 {
    /// What is wrong with a text; worded to follow "it".
    package enum Fault: Error, Equatable, CustomStringConvertible {
        case mixedCase
        case noSeparator
        case foreignCharacter
        case wrongChecksum
        case strayBits
        case tooLong

        package var description: String {
            switch self {
            case .mixedCase: "mixes capital and small letters"
            case .noSeparator: "has no key behind its beginning"
            case .foreignCharacter: "has a character that no key has"
            case .wrongChecksum: "has a wrong checksum: a character is missing or not as it was"
            case .strayBits: "has bits behind its last byte"
            case .tooLong: "is longer than any key"
            }
        }
    }

    /// Characters; the longest keys of today have some two thousand.
    private static let longest = 8192

    /// A text in small letters, of a beginning in small letters.
    package static func encode(_ bytes: [UInt8], prefix: String) -> String {
        var digits: [UInt8] = []
        var bits: UInt32 = 0
        var count: UInt32 = 0
        for byte in bytes {
            bits = bits << 8 | UInt32(byte)
            count += 8
            while count >= 5 {
                count -= 5
                digits.append(UInt8(truncatingIfNeeded: bits >> count & 31))
            }
        }
        if count > 0 { digits.append(UInt8(truncatingIfNeeded: bits << (5 - count) & 31)) }
        let sum = checksum(expanded(Array(prefix.utf8)) + digits + [UInt8](repeating: 0, count: 6)) ^ 1
        digits += (0..<6).map { UInt8(sum >> (5 * (5 - $0)) & 31) }
        return prefix + "1" + String(decoding: digits.map { alphabet[Int($0)] }, as: UTF8.self)
    }

    /// The beginning, in the letters that it has, and the bytes of a text.
    package static func decode(_ text: String) throws(Fault) -> (prefix: String, bytes: [UInt8]) {
        let characters = Array(text.utf8)
        guard characters.count <= longest else { throw .tooLong }
        guard characters.allSatisfy({ (33...126).contains($0) }) else { throw .foreignCharacter }
        let hasCapitals = characters.contains { (0x41...0x5a).contains($0) }
        guard !hasCapitals || !characters.contains(where: { (0x61...0x7a).contains($0) }) else {
            throw .mixedCase
        }
        let small = hasCapitals ? characters.map { (0x41...0x5a).contains($0) ? $0 | 0x20 : $0 } : characters
        guard let separator = small.lastIndex(of: 0x31), separator > 0, small.count - separator > 6 else {
            throw .noSeparator
        }
        var digits: [UInt8] = []
        for character in small[(separator + 1)...] {
            guard let digit = alphabet.firstIndex(of: character) else { throw .foreignCharacter }
            digits.append(UInt8(digit))
        }
        guard checksum(expanded(Array(small[..<separator])) + digits) == 1 else { throw .wrongChecksum }
        var bytes: [UInt8] = []
        var bits: UInt32 = 0
        var count: UInt32 = 0
        for digit in digits.dropLast(6) {
            bits = bits << 5 | UInt32(digit)
            count += 5
            if count >= 8 {
                count -= 8
                bytes.append(UInt8(truncatingIfNeeded: bits >> count))
            }
        }
        guard count < 5, bits & ((1 << count) - 1) == 0 else { throw .strayBits }
        return (String(decoding: characters[..<separator], as: UTF8.self), bytes)
    }

    private static let alphabet = Array("qpzry9x8gf2tvdw0s3jn54khce6mua7l".utf8)

    private static func expanded(_ prefix: [UInt8]) -> [UInt8] {
        prefix.map { $0 >> 5 } + [0] + prefix.map { $0 & 31 }
    }

    private static func checksum(_ values: [UInt8]) -> UInt32 {
        let generator: [UInt32] = [0x3b6a_57b2, 0x2650_8e6d, 0x1ea1_19fa, 0x3d42_33dd, 0x2a14_62b3]
        var sum: UInt32 = 1
        for value in values {
            let top = sum >> 25
            sum = (sum & 0x1ff_ffff) << 5 ^ UInt32(value)
            for index in 0..<5 where top >> UInt32(index) & 1 == 1 { sum ^= generator[index] }
        }
        return sum
    }
}
