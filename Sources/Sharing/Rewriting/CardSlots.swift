import Captures

/// A contact as address books keep it (RFC 6350): `FN:Ada Lovelace`, `TEL;TYPE=cell:+49 171 …`.
///
/// What a property holds of somebody stands under the name that other documents have for it.
enum CardSlots {
    static func isCard(_ text: ArraySlice<UInt8>) -> Bool {
        let line = TextKind.withoutMark(text).drop { $0 <= 0x20 }.prefix { $0 != 0x0a && $0 != 0x0d }
        return line.endIndex < text.endIndex && line.count == 11
            && SlotReader.string(line).equalsIgnoringASCIICase("BEGIN:VCARD")
    }

    /// What no property of a person says is read as a line of any text: notes hold passwords, too.
    static func slots(in text: ArraySlice<UInt8>) -> [Slot] {
        text.split(whereSeparator: { $0 == 0x0a || $0 == 0x0d || $0 == 0 }).flatMap { line in
            let slots = slots(ofProperty: line)
            return slots.isEmpty ? SlotReader.fields(line) : slots
        }
    }

    private static func slots(ofProperty line: ArraySlice<UInt8>) -> [Slot] {
        guard let colon = line.firstIndex(of: 0x3a) else { return [] }
        // A group in front (`item1.TEL`), parameters behind.
        let property = line[..<colon].prefix { $0 != 0x3b }.split(separator: 0x2e).last ?? []
        guard let names = names[SlotReader.string(property).lowercased()] else { return [] }
        let value = line[(colon + 1)...]
        guard names.count > 1 else { return slot(names[0], value).map { [$0] } ?? [] }
        let parts = value.split(separator: 0x3b, omittingEmptySubsequences: false)
        return parts.enumerated().compactMap { slot($0 < names.count ? names[$0] : "", $1) }
    }

    private static func slot(_ name: String, _ value: ArraySlice<UInt8>) -> Slot? {
        value.isEmpty ? nil : Slot(name: name, range: value.startIndex..<value.endIndex)
    }

    /// By the property, in small letters; several for one that has parts, empty for parts that say nothing of a person.
    private static let names: [String: [String]] = [
        "fn": ["full_name"], "n": ["family_name", "given_name", "middle_name"], "nickname": ["nickname"],
        "email": ["email"], "tel": ["phone_number"], "bday": ["birthdate"], "uid": ["uid"],
        "adr": ["postal_code", "addressline2", "street_address", "", "", "postal_code"],
    ]
}
