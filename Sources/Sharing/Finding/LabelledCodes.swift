import Captures

/// Codes that a message gives without saying whose they are, as in `Code: 481303`, in a line of its own.
///
/// An error has a code as well: it is one that was sent where the message says what it is for, or says nothing else.
enum LabelledCodes {
    /// In order.
    static func ranges(in text: [UInt8]) -> [Range<Int>] {
        let isDocument = TextKind.opensDocument(text[...])
        return ShownCodes.words("ode:", in: text).compactMap { mark in
            guard mark.lowerBound > 0, text[mark.lowerBound - 1] | 0x20 == 0x63,
                beginsLine(mark.lowerBound - 1, in: text)
            else { return nil }
            let start = text[mark.upperBound...].prefix(longestGap).drop { $0 == 0x20 }.startIndex
            guard let code = SentCodes.digits(at: start, in: text),
                text[code].count(where: \.isASCIIDigit) == 6,
                text[code.upperBound...].first.map(ends.contains) ?? true,
                isOfMessage(mark.lowerBound - 1, code.upperBound, in: text, isDocument: isDocument)
            else { return nil }
            return code
        }
    }

    /// The slots of lines, of which the code behind words of an error is the error's.
    static func named(_ slots: [Slot], in text: ArraySlice<UInt8>) -> [Slot] {
        slots.map { slot in
            guard slot.range.count == 6, text[slot.range].allSatisfy(\.isASCIIDigit),
                slot.name.lowercased() == "code"
            else { return slot }
            let before = ShownCodes.lowercased(text[..<slot.range.lowerBound].suffix(reach))
            let behind = ShownCodes.lowercased(text[slot.range.upperBound...].prefix(reach))
            guard tellFault(before), !purposes.contains(where: (before + "\n" + behind).containsBytes)
            else { return slot }
            var slot = slot
            slot.name = "error_code"
            return slot
        }
    }

    /// Whether a line begins at a place, in a string that is not yet unescaped as well.
    private static func beginsLine(_ place: Int, in text: [UInt8]) -> Bool {
        guard place > 0 else { return true }
        let before = text[place - 1]
        return before == 0x0a || before == 0x22 || before == 0x3e
            || before == 0x6e && place > 1 && text[place - 2] == 0x5c
    }

    /// What stands behind it: the end of a line, of a string, of an element, of a sentence.
    private static let ends: Set<UInt8> = [0x0a, 0x0d, 0x20, 0x22, 0x2e, 0x3c, 0x5c]

    private static func isOfMessage(_ start: Int, _ end: Int, in text: [UInt8], isDocument: Bool) -> Bool {
        var before = text[..<start].suffix(reach)
        var behind = text[end...].prefix(reach)
        var isMessage = !isDocument && text.count <= shortest
        // In a document the string alone says what it is about.
        if isDocument {
            guard let open = before.lastIndex(of: 0x22) else { return false }
            let name = SlotReader.string(text[..<open].suffix(longestName).filter { $0 > 0x20 }).lowercased()
            before = text[(open + 1)..<start]
            behind = behind.prefix { $0 != 0x22 }
            isMessage = before.count + behind.count <= shortest && messages.contains(where: name.hasSuffix)
        }
        let told = ShownCodes.lowercased(before)
        let said = told + "\n" + ShownCodes.lowercased(behind)
        return !tellFault(told) && !faults.contains(where: said.containsBytes)
            && (isMessage || purposes.contains(where: said.containsBytes))
    }

    /// Whether the words before a code say what went wrong; those behind it may only say what would be.
    private static func tellFault(_ before: String) -> Bool {
        (faults + outcomes).contains(where: before.containsBytes)
    }

    /// In bytes, on either side: how far from a code stands what says what it is for.
    private static let reach = 240
    /// In bytes, of a message that says nothing else.
    private static let shortest = 48
    private static let longestGap = 4
    private static let longestName = 24

    /// Members that hold what was sent.
    private static let messages = ["body", "text", "sms", "content", "snippet"].map { "\"\($0)\":" }
    private static let faults = [
        "error", "fail", "denied", "invalid", "exception", "refused", "unauthor", "correlation", "wrong",
    ]
    private static let outcomes = ["expired", "blocked", "rejected"]
    private static let purposes = [
        "expires", "expire in", "expire after", "will expire", "valid for", "minutes", "share", "sign in",
        "sign-in", "log in", "verify", "verification",
        "one-time", "one time", "not request", "n't request",
    ]
}
