import Captures

/// The names before addresses, as mail has them: `Ada Lovelace <ada@mail.example>`, `"Lovelace, Ada" <…>` (RFC 5322, section 3.4).
enum MailboxSlots {
    static func slots(in text: ArraySlice<UInt8>) -> [Slot] {
        var slots: [Slot] = []
        var rest = text
        while let open = rest.firstIndex(of: 0x3c) {
            rest = text[(open + 1)...]
            let address = rest.prefix(longestAddress).prefix { $0 != 0x3e && $0 > 0x20 }
            guard let at = address.firstIndex(of: 0x40), address.endIndex < text.endIndex,
                text[address.endIndex] == 0x3e
            else { continue }
            rest = text[address.endIndex...]
            guard !isOfNobody(address[..<at]) else { continue }
            let encoded = encodedName(before: open, in: text)
            slots += encoded
            guard encoded.isEmpty else { continue }
            guard let name = name(before: open, in: text) else { continue }
            slots.append(Slot(name: "display_name", range: name.startIndex..<name.endIndex))
        }
        return slots
    }

    private static let longestAddress = 254
    private static let longestName = 64

    /// The texts of encoded words, into several of which a long name is divided.
    private static func encodedName(before open: Int, in text: ArraySlice<UInt8>) -> [Slot] {
        var slots: [Slot] = []
        var end = open
        while slots.count < mostEncoded, let word = encodedWord(before: end, in: text) {
            slots.insert(word.slot, at: 0)
            end = word.start
        }
        return slots
    }

    /// The text of an encoded word (RFC 2047, section 2), and where that begins: `=?UTF-8?B?QWRh?= <…>`,
    /// `=?ISO-8859-1?Q?Ad=E1?= <…>`.
    private static func encodedWord(
        before end: Int,
        in text: ArraySlice<UInt8>
    ) -> (slot: Slot, start: Int)? {
        let before = text[..<end].suffix(longestEncoded)
        guard let last = before.lastIndex(where: { $0 > 0x20 && $0 != 0x22 }), before[last] == 0x3d,
            last > before.startIndex, before[last - 1] == 0x3f,
            let start = before[..<(last - 1)].lastIndex(of: 0x3f), start > before.startIndex + 1
        else { return nil }
        let (encoding, range) = (before[start - 1] | 0x20, (start + 1)..<(last - 1))
        guard !range.isEmpty, before[start - 2] == 0x3f, encoding == 0x62 || encoding == 0x71,
            let mark = before[..<(start - 2)].lastIndex(of: 0x3f), mark > before.startIndex,
            before[mark - 1] == 0x3d
        else { return nil }
        let slot = Slot(name: "display_name", range: range, kind: .text, isBase64: encoding == 0x62)
        return (slot, mark - 1)
    }

    private static let mostEncoded = 8
    /// In bytes, of an encoded word with what stands around it.
    private static let longestEncoded = 80

    private static func name(before open: Int, in text: ArraySlice<UInt8>) -> ArraySlice<UInt8>? {
        let before = text[..<open].suffix(longestName + 2)
        guard let last = before.lastIndex(where: { $0 > 0x20 }) else { return nil }
        if before[last] == 0x22 {
            guard let first = before[..<last].lastIndex(of: 0x22), first + 1 < last else { return nil }
            return before[(first + 1)..<last]
        }
        let start = before[...last].lastIndex { marks.contains($0) }.map { $0 + 1 } ?? before.startIndex
        // None where a mark stands right before the address: `To: <…>`.
        let words = before[start..<(last + 1)].split(separator: 0x20)
        // A sentence may end with an address.
        guard let first = words.first, (1...5).contains(words.count),
            words.allSatisfy({ isOfName($0) }), !isSmall(first)
        else { return nil }
        let family = words.count <= 2 ? self.family(before: start, in: before) : nil
        return before[(family ?? first.startIndex)...last]
    }

    /// Where a family's name begins that stands before the others, as programs for mail show it: `From: Quill, Ada <ada@…>`; nil
    /// where what stands before the comma may be something else.
    private static func family(before start: Int, in text: ArraySlice<UInt8>) -> Int? {
        let head = text[..<start].dropLast()
        guard text[..<start].last == 0x2c, let mark = head.lastIndex(where: { marks.contains($0) }) else {
            return nil
        }
        let words = head[(mark + 1)...].split(separator: 0x20)
        guard words.count == 1, !isSmall(words[0]) else { return nil }
        let field = head[..<mark].reversed().prefix(while: \.isASCIILetter).reversed()
        let isListed = head[mark] == 0x3b || fields.contains(SlotReader.string(field).lowercased())
        return isListed ? words[0].startIndex : nil
    }

    private static let fields: Set<String> = [
        "from", "to", "cc", "bcc", "sender", "von", "an", "de", "para", "van", "aan",
    ]
    private static let marks = Set(",;:<>\n\r\"=()[]".utf8)

    /// A word with a capital, or one of those between names (`van`, `de`).
    private static func isOfName(_ word: ArraySlice<UInt8>) -> Bool { !isSmall(word) || word.count <= 3 }

    private static func isSmall(_ word: ArraySlice<UInt8>) -> Bool {
        word.first.map { !(0x41...0x5a).contains($0) && $0 < 0x80 } ?? true
    }

    /// Whether an account for mail is that of a service: `noreply`, `support`.
    static func isOfNobody(_ account: ArraySlice<UInt8>) -> Bool {
        let key = SecretRoles.normalized(SlotReader.string(account))
        return PersonNames.isCommon(key)
            || ["notification", "mailer", "automat"].contains(where: key.hasPrefix)
    }
}
