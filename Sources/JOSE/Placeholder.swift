/// Marks that exporters, sanitizers and people leave where a secret was: nothing can be concluded from them.
///
/// `[state redacted]`, `REDACTED`, `***`, `xxxx`, `<code>`, `{{verifier}}`, `eyJh…`.
package enum Placeholder {
    /// Whether a value is a mark, or a part of what was there with a mark for the rest.
    package static func isOne(_ value: String) -> Bool {
        guard value.utf8.count <= longest else { return false }
        return isOne(Array(value.utf8))
    }

    /// Whether a value is a mark, or a token whose signature is one: claims may be read from it, and nothing be verified.
    package static func isTakenOut(_ value: String) -> Bool {
        isOne(value) || JSONWebToken.parse(value)?.isSignatureTakenOut ?? false
    }

    private static let longest = 120

    private static func isOne(_ bytes: [UInt8]) -> Bool {
        if isOfOneSign(bytes) || isInBrackets(bytes[...]) { return true }
        // An address says where something is, whatever it is called.
        guard !contains(bytes, "://".utf8) else { return false }
        if signs.contains(where: { contains(bytes, $0.utf8) }) { return true }
        let letters = bytes.map { isLetter($0) ? $0 | 0x20 : 0x20 }
        guard !contains(letters, "redacted".utf8) else { return true }
        let words = letters.split(separator: 0x20)
        return words.count == 1 && self.words.contains { words[0].elementsEqual($0.utf8) }
    }

    /// What stands for what was left out.
    private static let signs = ["***", "…", "•••", "..."]
    /// Of longer texts they are words like others.
    private static let words = [
        "removed", "masked", "hidden", "filtered", "sanitized", "sanitised", "scrubbed", "stripped",
        "anonymized",
        "anonymised", "obfuscated", "censored", "omitted",
    ]

    private static func isOfOneSign(_ bytes: [UInt8]) -> Bool {
        guard bytes.count >= 3, let first = bytes.first, [0x58, 0x78, 0x2a, 0x23].contains(first) else {
            return false
        }
        return bytes.allSatisfy { $0 == first }
    }

    /// One or a few words in brackets, no JSON and no list.
    private static func isInBrackets(_ bytes: ArraySlice<UInt8>) -> Bool {
        var inner = bytes
        // `${NAME}`
        if inner.first == 0x24 { inner.removeFirst() }
        var depth = 0
        while let first = inner.first, let last = inner.last, brackets[first] == last, inner.count > 2 {
            inner = inner.dropFirst().dropLast()
            depth += 1
        }
        return depth > 0 && inner.contains(where: isLetter)
            && inner.allSatisfy {
                isLetter($0) || (0x30...0x39).contains($0) || [0x20, 0x2d, 0x2e, 0x5f].contains($0)
            }
    }

    /// Round ones are set by people who write.
    private static let brackets: [UInt8: UInt8] = [0x5b: 0x5d, 0x3c: 0x3e, 0x7b: 0x7d]

    private static func isLetter(_ byte: UInt8) -> Bool { (0x61...0x7a).contains(byte | 0x20) && byte < 0x80 }

    private static func contains(_ bytes: [UInt8], _ other: some Collection<UInt8>) -> Bool {
        guard let first = other.first, bytes.count >= other.count else { return false }
        return (0...(bytes.count - other.count)).contains { start in
            bytes[start] == first && bytes[start...].starts(with: other)
        }
    }
}
