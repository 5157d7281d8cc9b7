import Captures

/// A contact as address books keep it (RFC 6350): `FN:Ada Lovelace`, `TEL;TYPE=cell:+49 171 …`; and who comes to an appointment
/// (RFC 5545): `ATTENDEE;CN="Ada Lovelace":mailto:…`.
///
/// What a property holds of somebody stands under the name that other documents have for it.
enum CardSlots {
    static func isCard(_ text: ArraySlice<UInt8>) -> Bool {
        let line = TextKind.withoutMark(text).drop { $0 <= 0x20 }.prefix { $0 != 0x0a && $0 != 0x0d }
        guard line.endIndex < text.endIndex, line.count <= 15 else { return false }
        let first = SlotReader.string(line)
        return first.equalsIgnoringASCIICase("BEGIN:VCARD")
            || first.equalsIgnoringASCIICase("BEGIN:VCALENDAR")
    }

    /// What no property of a person says is read as a line of any text: notes hold passwords, too.
    static func slots(in text: ArraySlice<UInt8>) -> [Slot] {
        lines(of: text).flatMap { line in
            let slots = slots(ofProperty: line)
            return slots.isEmpty ? others(line) : slots
        }
    }

    /// Each with the lines that continue it: those that begin with white space, unless the first one does as well.
    private static func lines(of text: ArraySlice<UInt8>) -> [ArraySlice<UInt8>] {
        var lines: [ArraySlice<UInt8>] = []
        let isIndented = TextKind.withoutMark(text).first { $0 != 0x0a && $0 != 0x0d }.map(\.isBlank) ?? false
        for line in text.split(whereSeparator: { isBreak($0) || $0 == 0 }) {
            if let last = lines.last, !isIndented, line[line.startIndex].isBlank,
                isBreak(text[line.startIndex - 1])
            {
                lines[lines.count - 1] = text[last.startIndex..<line.endIndex]
            } else {
                lines.append(line)
            }
        }
        return lines
    }

    private static func slots(ofProperty line: ArraySlice<UInt8>) -> [Slot] {
        if let guest = commonName(in: line) { return [guest] }
        guard let colon = line.firstIndex(of: 0x3a) else { return [] }
        // A group in front (`item1.TEL`), parameters behind.
        let head = TextCoding.folds.decoded(line[..<colon]).bytes.drop(while: \.isBlank)
        let property = head.prefix { $0 != 0x3b }.split(separator: 0x2e).last ?? []
        guard let names = names[SlotReader.string(property).lowercased()] else { return [] }
        let value = line[(colon + 1)...]
        guard names.count > 1 else { return slot(names[0], value).map { [$0] } ?? [] }
        let parts = value.split(separator: 0x3b, omittingEmptySubsequences: false)
        return parts.enumerated().compactMap { slot($0 < names.count ? names[$0] : "", $1) }
    }

    /// What somebody is called, among the parameters of a property (RFC 5545, section 3.2.2).
    private static func commonName(in line: ArraySlice<UInt8>) -> Slot? {
        guard let mark = line.firstRange(of: Array(";CN=".utf8))?.upperBound, mark < line.endIndex else {
            return nil
        }
        let value = line[mark...]
        let inner =
            value.first == 0x22
            ? value.dropFirst().prefix { $0 != 0x22 }
            : value.prefix { $0 != 0x3b && $0 != 0x3a && $0 != 0x2c }
        guard !inner.isEmpty else { return nil }
        let isFolded = inner.contains(where: isBreak)
        return Slot(
            name: "display_name",
            range: inner.startIndex..<inner.endIndex,
            coding: isFolded ? .folds : nil,
            kind: .text
        )
    }

    private static func others(_ line: ArraySlice<UInt8>) -> [Slot] {
        guard line.contains(where: isBreak) else { return SlotReader.fields(line) }
        guard let mark = line.firstIndex(where: { $0 == 0x3d || $0 == 0x3a }) else { return [] }
        let name = SlotReader.string(TextCoding.folds.decoded(line[..<mark]).bytes)
        return slot(name, line[(mark + 1)...]).map { [$0] } ?? []
    }

    private static func slot(_ name: String, _ value: ArraySlice<UInt8>) -> Slot? {
        guard value.contains(where: isBreak) else {
            return value.isEmpty ? nil : Slot(name: name, range: value.startIndex..<value.endIndex)
        }
        // The line may be broken right behind the colon or the part before.
        let rest = value.drop { $0 <= 0x20 }
        return rest.isEmpty
            ? nil : Slot(name: name, range: rest.startIndex..<rest.endIndex, coding: .folds)
    }

    private static func isBreak(_ byte: UInt8) -> Bool { byte == 0x0a || byte == 0x0d }

    /// By the property, in small letters; several for one that has parts, empty for parts that say nothing of a person.
    static let names: [String: [String]] = [
        "fn": ["full_name"], "n": ["family_name", "given_name", "middle_name"], "nickname": ["nickname"],
        "email": ["email"], "tel": ["phone_number"], "bday": ["birthdate"], "uid": ["uid"],
        "adr": ["postal_code", "addressline2", "street_address", "", "", "postal_code"],
    ]
}
