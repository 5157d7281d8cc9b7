import Captures
import JOSE

/// Makes values that look like recorded ones: same length, same alphabet, same separators.
package enum FreshValue {
    /// A fresh value of the shape of a recorded one; nil where the recorded one says something (a path, a JSON
    /// document, a word), and is to be sent again.
    ///
    /// `random`: so many random bytes.
    package static func fresh(like recorded: String, random: (Int) -> [UInt8]) -> String? {
        isTelling(recorded) ? nil : scrambled(recorded, random)
    }

    /// Each letter and digit replaced by another of its kind; hexadecimal text stays hexadecimal, the version of a UUID
    /// stays.
    package static func scrambled(_ recorded: String, _ random: (Int) -> [UInt8]) -> String {
        let bytes = Array(recorded.utf8)
        let letters = bytes.filter { ($0 | 0x20) >= 0x61 && ($0 | 0x20) <= 0x7a }
        let isHex =
            letters.allSatisfy { ($0 | 0x20) <= 0x66 } && bytes.contains { $0.isASCIIDigit }
        let isUUID = isHex && bytes.isUUID
        let noise = random(bytes.count)
        let output = bytes.enumerated().map { index, byte -> UInt8 in
            if isUUID, index == 14 || index == 19 { return byte }
            let draw = index < noise.count ? Int(noise[index]) : 0
            switch byte {
            case 0x30...0x39: return 0x30 + UInt8(draw % 10)
            case 0x61...0x7a: return 0x61 + UInt8(draw % (isHex ? 6 : 26))
            case 0x41...0x5a: return 0x41 + UInt8(draw % (isHex ? 6 : 26))
            default: return byte
            }
        }
        return String(decoding: output, as: UTF8.self)
    }

    /// Whether a value carries a meaning: another one in its place would say something else.
    private static func isTelling(_ value: String) -> Bool {
        let bytes = value.utf8
        guard bytes.count >= 4, !bytes.contains(0x2f), !bytes.contains(0x7b), !bytes.contains(0x20),
            RecordedURL(value).scheme == nil, JSONWebToken.parse(value) == nil
        else { return true }
        // A word, and nothing that was drawn.
        if bytes.count < 16, !bytes.contains(where: { $0.isASCIIDigit }) { return true }
        guard bytes.count >= 8, let inner = Base64URL.decode(value) else { return false }
        return inner.first == 0x7b && inner.last == 0x7d
    }
}
