import Captures

/// Tells what was drawn by a machine from what somebody chose.
enum Drawn {
    /// Whether a text looks drawn: letters, digits and case change places in it as no word does.
    static func looks(_ text: some Collection<UInt8>, changes least: Int = 3) -> Bool {
        guard text.count >= 8, text.count <= 1 << 16 else { return false }
        var changes = 0
        var digits = 0
        var last: Class?
        for byte in text {
            guard let this = Class(byte) else {
                // Marks that stand between words and inside base64 alike.
                guard
                    [0x2d, 0x5f, 0x2e, 0x7e, 0x2b, 0x2f, 0x3d, 0x25, 0x3a, 0x7c, 0x21, 0x2a, 0x24].contains(
                        byte
                    )
                else {
                    return false
                }
                continue
            }
            if this == .digit { digits += 1 }
            if let last, last != this, !(last == .upper && this == .lower) { changes += 1 }
            last = this
        }
        return changes >= least && (digits >= 2 || changes >= 6) && !isDate(text)
            && (digits > 0 || !isListOfNames(text))
    }

    /// How often letters change their case; words that are written together do seldom.
    static func caseChanges(of text: some Collection<UInt8>) -> Int {
        zip(text, text.dropFirst()).count { ($0 ^ $1) & 0x20 != 0 }
    }

    /// How often letters and digits take turns, or letters change their case.
    static func changes(of text: some Collection<UInt8>) -> Int {
        zip(text, text.dropFirst()).count {
            $0.isASCIIDigit != $1.isASCIIDigit || $0.isASCIILetter && ($0 ^ $1) & 0x20 != 0
        }
    }

    /// Whether four consonants stand in a row, as in no word of most languages.
    static func hasConsonantsInRow(_ text: some Collection<UInt8>) -> Bool {
        text.split { !$0.isASCIIAlphanumeric || isVowel($0) }.contains { $0.count >= 4 }
    }

    static func isVowel(_ byte: UInt8) -> Bool { "aeiouyAEIOUY".utf8.contains(byte) }

    /// Whether a text that nothing explains is long and mixed enough to be a secret all the same.
    static func isUnexplained(_ text: some Collection<UInt8>) -> Bool {
        text.count >= 20 && looks(text, changes: 5) && !isNameOfWords(text)
    }

    /// `urn:oasis:names:tc:SAML:2.0:status:AuthnFailed`: a name (RFC 8141) of which no part was drawn.
    private static func isNameOfWords(_ text: some Collection<UInt8>) -> Bool {
        text.starts(with: "urn:".utf8) && !text.split(separator: 0x3a).contains { looks($0, changes: 5) }
    }

    /// Names in a row, as minified scripts keep their lists: `alert.audioInput.buttonGroup.checkbox`.
    private static func isListOfNames(_ text: some Collection<UInt8>) -> Bool {
        let names = text.split(separator: 0x2e, omittingEmptySubsequences: false)
        guard names.count >= 8,
            names.allSatisfy({ name in
                name.count > 1 && name.first.flatMap(Class.init) == .lower
                    && name.allSatisfy { Class($0) != nil }
            })
        else { return false }
        // Of letters that were drawn every second one is a capital.
        let capitals = text.count { Class($0) == .upper }
        return capitals * 4 <= names.reduce(0) { $0 + $1.count }
    }

    private enum Class {
        case digit, lower, upper

        init?(_ byte: UInt8) {
            switch byte {
            case 0x30...0x39: self = .digit
            case 0x61...0x7a: self = .lower
            case 0x41...0x5a: self = .upper
            default: return nil
            }
        }
    }

    /// `2026-01-31T…`, as so many members have it.
    private static func isDate(_ text: some Collection<UInt8>) -> Bool {
        let head = Array(text.prefix(10))
        return head.count == 10 && head[4] == 0x2d && head[7] == 0x2d
            && [0, 1, 2, 3, 5, 6, 8, 9].allSatisfy { head[$0].isASCIIDigit }
    }
}
