/// Where the address ends that a text begins with, and what stands behind it: lists of addresses, logs and files of settings go on.
enum AddressEnd {
    /// The index behind the address.
    ///
    /// White space ends it, but for marks of a sanitizer (`state=[state redacted]&code=…`), and for values that are written with
    /// their spaces (`error_description=not found&state=…`): their line belongs to it.
    static func index(in text: ArraySlice<UInt8>) -> Int {
        let end = firstBlank(in: text)
        guard text[..<end].contains(0x3f) else { return end }
        let line = text[end...].prefix { $0 != 0x0a && $0 != 0x0d }
        guard let mark = line.firstIndex(of: 0x26), !line[..<mark].contains(0x3d) else { return end }
        let name = line[(mark + 1)...].prefix(while: TextKind.isNameByte)
        let goesOn = !name.isEmpty && name.endIndex < line.endIndex && line[name.endIndex] == 0x3d
        return goesOn ? line.endIndex : end
    }

    private static func firstBlank(in text: ArraySlice<UInt8>) -> Int {
        var end = text.startIndex
        while true {
            end = text[end...].firstIndex { $0 <= 0x20 } ?? text.endIndex
            guard text[end...].starts(with: SecretFinder.endOfMark.utf8) else { return end }
            end += SecretFinder.endOfMark.utf8.count
        }
    }

    /// What stands behind an address, a text by itself; none where nothing does.
    static func slots(behind end: Int, in text: ArraySlice<UInt8>) -> [Slot] {
        let rest = text[end...].drop { $0 <= 0x20 }
        guard let last = rest.lastIndex(where: { $0 > 0x20 }) else { return [] }
        let range = rest.startIndex..<(last + 1)
        return [Slot(name: "", range: range, kind: kind(of: text[range]))]
    }

    /// Addresses of a list are read beside each other, and not each within the one before.
    private static func kind(of text: ArraySlice<UInt8>) -> TextKind {
        let kind = TextKind.guessed(text)
        guard kind == .url else { return kind }
        return TextKind.isLines(text) ? .lines : .text
    }
}
