import Captures
import Flows

/// What the addresses in a page carry on: those of a link, of a frame, of a refresh (`<meta http-equiv="refresh">`), of a script that
/// opens one, and of the JSON that a script is answered.
///
/// Found as parameters, `?name=value`, `&name=value` and `;name=value`, and as segments of a path behind one that is a word,
/// `/next/value`, whatever stands around them; takes time linear in the page.
enum AddressValues {
    /// The values that look drawn at random, each once and with its name, in order.
    static func ofAnswer(_ body: Body?) -> [(name: String, value: String)] {
        guard let bytes = ScriptTokens.text(of: body) else { return [] }
        return parameters(in: bytes) + segments(in: bytes)
    }

    private static func parameters(in bytes: [UInt8]) -> [(name: String, value: String)] {
        var found: [(String, String)] = []
        var seen: Set<[String]> = []
        var position = 0
        while position < bytes.count, found.count < most {
            let place = position
            position += 1
            guard bytes[place] == equals, let name = name(before: place, in: bytes) else { continue }
            while position < bytes.count, isOfValue(bytes[position]) { position += 1 }
            guard lengths.contains(position - place - 1) else { continue }
            let value = PercentEncoding.decode(
                String(decoding: bytes[(place + 1)..<position], as: UTF8.self)
            )
            guard ValueShape.looksRandom(value), seen.insert([name, value]).inserted else { continue }
            found.append((name, value))
        }
        return found
    }

    /// The segments of paths that look drawn at random, each once and with the word before it.
    private static func segments(in bytes: [UInt8]) -> [(name: String, value: String)] {
        var found: [(String, String)] = []
        var seen: Set<[String]> = []
        // Where the segment before this one began, and this one.
        var (previous, start) = (0, 0)
        for position in bytes.indices where !isOfValue(bytes[position]) {
            defer { (previous, start) = (start, position + 1) }
            guard previous > 0, start > previous + 1, bytes[start - 1] == slash, bytes[previous - 1] == slash,
                lengths.contains(position - start), start - previous <= longestName, found.count < most
            else { continue }
            let word = String(decoding: bytes[previous..<(start - 1)], as: UTF8.self)
            let value = String(decoding: bytes[start..<position], as: UTF8.self)
            // Pieces of Base64 follow such pieces.
            guard ValueShape.looksRandom(value), !ValueShape.looksRandom(word),
                seen.insert([word, value]).inserted
            else { continue }
            found.append(("/" + word, value))
        }
        return found
    }

    /// The name of the parameter whose equals sign stands at a place; nil where that is none of an address.
    private static func name(before place: Int, in bytes: [UInt8]) -> String? {
        var start = place
        while start > 0, place - start < longestName, isOfName(bytes[start - 1]) { start -= 1 }
        // The last one is that of `&amp;` as well.
        guard start < place, start > 0, [0x3f, 0x26, 0x3b].contains(bytes[start - 1]) else { return nil }
        return String(decoding: bytes[start..<place], as: UTF8.self)
    }

    private static func isOfName(_ byte: UInt8) -> Bool {
        byte.isBase64URLCharacter || byte == 0x2e
    }

    private static func isOfValue(_ byte: UInt8) -> Bool { byte.isUnreserved || byte == 0x25 }

    private static let equals: UInt8 = 0x3d
    private static let slash: UInt8 = 0x2f
    private static let lengths = 16...4096
    private static let longestName = 64
    private static let most = 256
}
