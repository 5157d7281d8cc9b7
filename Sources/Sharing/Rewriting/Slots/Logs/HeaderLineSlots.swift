import Captures

/// Header fields with a session or a token that a text tells, as logs have them: `> Cookie: sid=…`, `authorization: Bearer …`.
enum HeaderLineSlots {
    static func slots(in text: ArraySlice<UInt8>) -> [Slot] {
        guard text.contains(0x3a) else { return [] }
        let lower = text.map(\.asciiLowercased)
        return names.flatMap { name in
            // Where the line ends in which the last name stands, and the last value.
            var (end, read) = (text.startIndex, text.startIndex)
            return Bytes.places(behind: name.bytes, in: lower).compactMap { place -> Slot? in
                let start = text.startIndex + place
                // `Set-Cookie: ` is another one.
                let before = place - name.bytes.count - 1
                guard start >= read, name.kind != .cookies || before < 0 || lower[before] != 0x2d else {
                    return nil
                }
                if start >= end { end = text[start...].firstIndex(where: ends.contains) ?? text.endIndex }
                guard isValue(text[start..<end], as: name.kind) else { return nil }
                read = end
                return Slot(name: "", range: start..<end, kind: name.kind)
            }
        }
    }

    private static let names: [(bytes: [UInt8], kind: TextKind)] = [
        (Array("cookie: ".utf8), .cookies), (Array("set-cookie: ".utf8), .setCookie),
        (Array("authorization: ".utf8), .authorization),
    ]
    /// The end of the line, or the quotation mark behind it.
    private static let ends: Set<UInt8> = [0x0a, 0x0d, 0x22, 0x27, 0x3c, 0x5c]

    /// Whether it is a value, and no sentence about the field: `Authorization: the header is missing`.
    private static func isValue(_ value: ArraySlice<UInt8>, as kind: TextKind) -> Bool {
        let words = value.split(separator: 0x20, maxSplits: 2)
        guard let first = words.first else { return false }
        if kind != .authorization { return first.dropFirst().dropLast().contains(0x3d) }
        // Of Basic a sentence tells name and password.
        return words.count == 2 && SlotReader.string(first).lowercased() != "basic" && words[1].count >= 6
            && words[1].contains(where: \.isASCIIDigit)
    }
}
