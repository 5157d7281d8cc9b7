import Captures

/// The names of people in what programs print of an object, whose type says that it is somebody: `User{name='Ada Quill', age=7}`,
/// `{User:{ID:1 Name:Ada}}`, `#<User id: 1, name: "Ada Quill">`.
enum PrintedPeople {
    /// What a member is called from then on; nil for others.
    ///
    /// `word`: the name of the member.
    static func name(of word: ArraySlice<UInt8>, in text: ArraySlice<UInt8>) -> String? {
        guard word.elementsEqual("name".utf8) || word.elementsEqual("Name".utf8) else { return nil }
        if let type = inspected(before: word.startIndex, in: text) { return saysPerson(type) ? own : nil }
        guard let open = opening(before: word.startIndex, in: text) else { return nil }
        let before = text[..<open].suffix(longestType)
        guard let last = before.lastIndex(where: { $0 != 0x20 && $0 != 0x3a && $0 != 0x3d }) else {
            return nil
        }
        let type = before[...last].reversed().prefix(while: \.isASCIILetter).reversed()
        return saysPerson(SlotReader.string(Array(type))) ? own : nil
    }

    private static let own = "display_name"

    private static func saysPerson(_ type: String) -> Bool {
        types.contains(where: type.lowercased().hasSuffix)
    }

    /// The type of the object that Ruby shows around a place; nil for none.
    private static func inspected(before place: Int, in text: ArraySlice<UInt8>) -> String? {
        let before = text[..<place].suffix(longestGap)
        guard let open = before.lastIndex(of: 0x3c), open > before.startIndex, before[open - 1] == 0x23,
            !before[open...].contains(0x3e)
        else { return nil }
        return SlotReader.string(before[(open + 1)...].prefix { $0.isASCIIWordByte || $0 == 0x3a })
    }

    /// In bytes, with what stands between it and the bracket.
    private static let longestType = 40
    /// In bytes, between a member and the bracket that its object begins with.
    private static let longestGap = 256
    /// In small letters; others may have words before them.
    private static let types = [
        "user", "person", "customer", "member", "userprofile", "employee", "patient", "contact",
    ]

    /// Where the bracket stands that is open at a place; nil where none is near.
    private static func opening(before place: Int, in text: ArraySlice<UInt8>) -> Int? {
        var depth = 0
        for index in text[..<place].suffix(longestGap).indices.reversed() {
            switch text[index] {
            case 0x29, 0x5d, 0x7d: depth += 1
            case 0x28, 0x5b, 0x7b:
                if depth == 0 { return index }
                depth -= 1
            default: break
            }
        }
        return nil
    }
}
