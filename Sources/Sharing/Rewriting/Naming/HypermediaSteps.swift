import Captures

/// The steps of a sign-in that an app shows by itself, as Curity's Hypermedia Authentication API has them: whom a step is about is
/// its `subject`, which in other documents is that of a message or a certificate.
enum HypermediaSteps {
    /// What its subject is called.
    static let subject = "username"

    /// Whether a document says that it is such a step: `{"type": "authentication-step", "actions": […]}`.
    static func describe(_ text: ArraySlice<UInt8>) -> Bool {
        let head = text.prefix(longestHead)
        guard let mark = head.firstRange(of: step), isTold(head[..<mark.lowerBound]) else { return false }
        return members.contains { text.prefix(longest).firstRange(of: $0) != nil }
    }

    /// Whether the type of a document is told before a place, of which its last word is left out: `"type": "authentication`.
    private static func isTold(_ text: ArraySlice<UInt8>) -> Bool {
        let word = text.reversed().prefix { $0.isASCIILetter || $0 == 0x2d }
        return SlotReader.string(text.dropLast(word.count).suffix(16).filter { $0 > 0x20 })
            .hasSuffix(#""type":""#)
    }

    /// The slots, of which the messages are called by what their class says of them:
    /// `{"text": "ada", "classList": ["userName"]}`.
    static func named(_ slots: [Slot], in text: ArraySlice<UInt8>) -> [Slot] {
        var names: [Int: String] = [:]
        for slot in slots where slot.name == "classList" {
            names[slot.object] = names[slot.object] ?? classes[SlotReader.string(text[slot.range])]
        }
        guard !names.isEmpty else { return slots }
        return slots.map { slot in
            guard slot.name == "text", let name = names[slot.object] else { return slot }
            var slot = slot
            slot.name = name
            return slot
        }
    }

    /// Classes of messages, and what is told in these.
    private static let classes = ["userName": "username", "userCode": "user_code"]

    private static let step = Array(#"-step""#.utf8)
    private static let members = [#""actions""#, #""links""#].map { Array($0.utf8) }
    /// In bytes: the type stands in front, behind metadata at most.
    private static let longestHead = 1 << 12
    private static let longest = 1 << 16
}
