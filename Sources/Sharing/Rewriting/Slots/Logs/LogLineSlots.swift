import Captures

/// The pairs of a log's line: `level=info user=ada name="Ada Lovelace" token=…`.
enum LogLineSlots {
    /// None where a line has fewer than three of them.
    static func slots(in line: ArraySlice<UInt8>) -> [Slot] {
        guard line.count <= longest, line.contains(0x20), line.contains(0x3d) else { return [] }
        var slots: [Slot] = []
        var index = line.startIndex
        while index < line.endIndex {
            guard let (slot, end) = pair(in: line[index...]) else {
                index = line[index...].firstIndex(of: 0x20).map { $0 + 1 } ?? line.endIndex
                continue
            }
            slots.append(slot)
            index = end + 1
        }
        return slots.count >= 3 ? named(slots, in: line) : []
    }

    private static let longest = 1 << 14

    /// A pair at the beginning of a text, and where it ends.
    private static func pair(in text: ArraySlice<UInt8>) -> (slot: Slot, end: Int)? {
        let name = text.prefix(40).prefix { $0.isASCIIAlphanumeric || [0x2d, 0x2e, 0x5f].contains($0) }
        guard !name.isEmpty, name.endIndex + 1 < text.endIndex, text[name.endIndex] == 0x3d else {
            return nil
        }
        let value = text[(name.endIndex + 1)...]
        let quote = value[value.startIndex]
        if quote == 0x22 || quote == 0x27 {
            guard let close = end(ofQuoted: value.dropFirst(), by: quote) else { return nil }
            let range = (value.startIndex + 1)..<close
            let isEscaped = text[range].contains(quote)
            let coding: TextCoding? = isEscaped ? .escapes : nil
            return (Slot(name: SlotReader.string(name), range: range, coding: coding), close + 1)
        }
        let end = value.firstIndex { $0 <= 0x20 } ?? text.endIndex
        // Parameters of an address are parted otherwise.
        guard end > value.startIndex, !text[value.startIndex..<end].contains(0x26) else { return nil }
        return (Slot(name: SlotReader.string(name), range: value.startIndex..<end), end)
    }

    /// Where a value ends behind a quotation mark; one behind a backslash belongs to it: `"Ada \"Al\" Quill"`.
    ///
    /// Not where the one that ends it would begin the value of another pair: of `dir="C:\" name="Ada Quill"` nothing is escaped.
    private static func end(ofQuoted value: ArraySlice<UInt8>, by quote: UInt8) -> Int? {
        var index = value.startIndex
        while index < value.endIndex, value[index] != quote { index += value[index] == 0x5c ? 2 : 1 }
        guard index < value.endIndex else { return nil }
        let isOfNext = value[..<index].last == 0x3d && value[(index + 1)...].first.map { $0 > 0x20 } ?? false
        return isOfNext ? value.firstIndex(of: quote) : index
    }

    /// Where a line says which user it is about, its names are the user's.
    private static func named(_ slots: [Slot], in line: ArraySlice<UInt8>) -> [Slot] {
        let keys = slots.map { SecretRoles.normalized($0.name) }
        guard keys.contains(where: users.contains) else {
            return keys.contains(where: addresses.contains) ? called(slots, in: line) : slots
        }
        return slots.map { slot in
            var slot = slot
            switch SecretRoles.normalized(slot.name) {
            case "name": slot.name = "display_name"
            case let key where users.contains(key): slot.name = "username"
            default: break
            }
            return slot
        }
    }

    /// A name of several words beside an address for mail is its owner's, `email="…" name="Ada Quill"`, unless one of them is a
    /// word of the protocol: `name="Token Exchange"`.
    private static func called(_ slots: [Slot], in line: ArraySlice<UInt8>) -> [Slot] {
        slots.map { slot in
            let words = line[slot.range].split(separator: 0x20, omittingEmptySubsequences: false)
            guard SecretRoles.normalized(slot.name) == "name", (2...4).contains(words.count),
                words.allSatisfy({ word in
                    word.first.map { (0x41...0x5a).contains($0) || $0 >= 0x80 } ?? false
                }), !words.contains(where: { SecretRoles.isWord(SlotReader.string($0)) })
            else { return slot }
            var slot = slot
            slot.name = "display_name"
            return slot
        }
    }

    private static let addresses: Set<String> = ["email", "mail", "emailaddress", "useremail"]
    private static let users: Set<String> = [
        "user", "usr", "usrname", "usrid", "account", "login", "principal",
    ]
}
