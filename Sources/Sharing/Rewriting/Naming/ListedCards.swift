import Captures

/// Contacts as lists in JSON (RFC 7095), as registries and address books give them out: of each property its name, its
/// parameters, the type of its value, and the value: `["vcard", [["fn", {}, "text", "Ada Quill"], …]]`.
enum ListedCards {
    /// The slots, of which the values are called as ``CardSlots`` calls those of the same property.
    static func named(_ slots: [Slot], in text: ArraySlice<UInt8>) -> [Slot] {
        guard text.firstRange(of: card) != nil,
            let own = slots.first(where: { text[$0.range].elementsEqual("vcard".utf8) })?.name
        else { return slots }
        var slots = slots
        var names: [String] = []
        // Of those behind the name: the type is the first one.
        var count = 0
        for place in slots.indices where slots[place].name == own && !slots[place].isNumber {
            if isProperty(slots[place].range, in: text) {
                names = CardSlots.names[SlotReader.string(text[slots[place].range]).lowercased()] ?? []
                count = 0
                continue
            }
            defer { count += 1 }
            guard count > 0, !names.isEmpty else { continue }
            slots[place].name = names.count == 1 ? names[0] : count <= names.count ? names[count - 1] : ""
        }
        return slots
    }

    private static let card = Array(#""vcard""#.utf8)
    /// In bytes, of the name of a property.
    private static let longest = 16

    /// Whether a string is the first of a list, with an object behind it.
    private static func isProperty(_ range: Range<Int>, in text: ArraySlice<UInt8>) -> Bool {
        guard range.count <= longest, range.lowerBound >= text.startIndex + 2 else { return false }
        let before = text[..<(range.lowerBound - 1)].suffix(4).last { $0 > 0x20 }
        let behind = text[range.upperBound...].dropFirst().prefix(8).filter { $0 > 0x20 }
        return before == 0x5b && behind.starts(with: [0x2c, 0x7b])
    }
}
