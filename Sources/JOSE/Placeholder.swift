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
        if isOne(value) { return true }
        // Nearly no token is one, and reading it takes a while.
        let parts = value.utf8.split(separator: 0x2e, maxSplits: 2, omittingEmptySubsequences: false)
        return parts.count == 3 && isOne(String(Substring(parts[2])))
            && JSONWebToken.parse(value)?.isSignatureTakenOut ?? false
    }

    private static let longest = 120

    private static func isOne(_ bytes: [UInt8]) -> Bool {
        // A script's own mishap, nobody's mark.
        if bytes.starts(with: object) { return false }
        if isOfOneSign(bytes) || isInBrackets(bytes[...]) { return true }
        // An address says where something is, whatever it is called.
        guard !contains(bytes, address) else { return false }
        if contains(bytes, redacted, asLowercase: 0x20) { return true }
        // Sentences end in dots.
        return !bytes.contains(0x20) && (signs.contains { contains(bytes, $0) } || isOneWord(bytes))
    }

    private static let object = Array("[object ".utf8)

    private static func isOneWord(_ bytes: [UInt8]) -> Bool {
        guard let start = bytes.firstIndex(where: isLetter), let end = bytes.lastIndex(where: isLetter) else {
            return false
        }
        let word = bytes[start...end]
        return words.contains { other in
            word.count == other.count && zip(word, other).allSatisfy { $0 | 0x20 == $1 }
        }
    }

    private static let address = Array("://".utf8)
    private static let redacted = Array("redacted".utf8)
    /// What stands for what was left out.
    private static let signs = ["***", "…", "•••", "██", "..."].map { Array($0.utf8) }
    /// Of longer texts they are words like others.
    private static let words = [
        "removed", "masked", "hidden", "filtered", "sanitized", "sanitised", "scrubbed", "stripped",
        "anonymized",
        "anonymised", "obfuscated", "censored", "omitted",
    ].map { Array($0.utf8) }

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

    /// `asLowercase`: the bit that tells small letters from large ones, where that does not matter.
    private static func contains(_ bytes: [UInt8], _ other: [UInt8], asLowercase bit: UInt8 = 0) -> Bool {
        guard bytes.count >= other.count else { return false }
        for start in 0...(bytes.count - other.count) where bytes[start] | bit == other[0] {
            if (1..<other.count).allSatisfy({ bytes[start + $0] | bit == other[$0] }) { return true }
        }
        return false
    }
}
