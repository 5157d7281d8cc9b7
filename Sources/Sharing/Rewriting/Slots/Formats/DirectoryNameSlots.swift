import Captures

/// The people in names of a directory (RFC 4514): `uid=ada,ou=people,dc=mail`, `CN=Ada Lovelace,OU=Users,DC=mail`,
/// `id=ada,ou=user,dc=am` of ForgeRock AM.
///
/// What stands elsewhere in it, groups mostly, is nobody.
enum DirectoryNameSlots {
    static func slots(in text: ArraySlice<UInt8>) -> [Slot] {
        guard text.count <= 1 << 10 else { return [] }
        let parts = parts(of: text)
        return parts.indices.compactMap { index in
            guard let (type, given) = pair(parts[index]), let name = names[type],
                parts[(index + 1)...].contains(where: isOfPeople) || isOfAccount(index, of: parts, in: text)
            else { return nil }
            let value = given.first == 0x22 ? given.dropFirst().prefix { $0 != 0x22 } : bare(given, of: type)
            guard !value.isEmpty else { return nil }
            return Slot(name: name, range: value.startIndex..<value.endIndex)
        }
    }

    /// Whether a part is joined with another one by a plus sign, and an account is named beside somebody: `CN=Ada+UID=ada`
    /// (section 2.3).
    private static func isOfAccount(
        _ index: Int,
        of parts: [ArraySlice<UInt8>],
        in text: ArraySlice<UInt8>
    ) -> Bool {
        func isJoined(_ other: Int) -> Bool {
            parts.indices.contains(other) && text[..<parts[other].startIndex].last { $0 != 0x20 } == plus
        }
        let joined = [isJoined(index) ? index - 1 : nil, isJoined(index + 1) ? index + 1 : nil]
        let types = ([index] + joined.compactMap(\.self)).compactMap { pair(parts[$0])?.type }
        return types.contains("uid") && types.contains { $0 != "uid" && names[$0] != nil }
    }

    private static let plus: UInt8 = 0x2b

    /// An account has no spaces in its name: the last one may stand before more of a text.
    private static func bare(_ given: ArraySlice<UInt8>, of type: String) -> ArraySlice<UInt8> {
        type == "uid" ? given.prefix { $0 > 0x20 && $0 != 0x22 && $0 != 0x27 } : given
    }

    /// What stands between commas, and between the plus signs of a name of several values, but for those that belong to a value:
    /// `CN=Lovelace\, Ada,OU=…` (section 2.4), and as older programs write it, `CN="Lovelace, Ada", OU=…` (RFC 2253, section 4).
    private static func parts(of text: ArraySlice<UInt8>) -> [ArraySlice<UInt8>] {
        var isQuoted = false
        let commas = text.indices.filter { index in
            let before = text[..<index]
            if text[index] == 0x22 {
                isQuoted = !isQuoted && quotable.contains { Bytes.hasSuffix(before, $0) }
            }
            let isEnd = text[index] == 0x2c || text[index] == plus && beginsPair(text[(index + 1)...])
            return isEnd && !isQuoted && before.last != 0x5c
        }
        let starts = [text.startIndex] + commas.map { $0 + 1 }
        return zip(starts, commas + [text.endIndex]).map { start, end in
            text[start..<end].drop { $0 == 0x20 }
        }.filter { !$0.isEmpty }
    }

    /// Whether one of the types that are read stands there, with its value.
    private static func beginsPair(_ text: ArraySlice<UInt8>) -> Bool {
        let type = text.drop { $0 == 0x20 }.prefix(longestType).prefix(while: \.isASCIIAlphanumeric)
        return text[type.endIndex...].first == 0x3d && names[SlotReader.string(type).lowercased()] != nil
    }

    /// In bytes.
    private static let longestType = 16

    /// What an account is called by such a name; nil where it names none.
    static func account(in name: String) -> String? {
        let bytes = Array(name.utf8)
        return slots(in: bytes[...]).first { $0.name == "username" }.map {
            SlotReader.string(bytes[$0.range])
        }
    }

    private static func pair(_ part: ArraySlice<UInt8>) -> (type: String, value: ArraySlice<UInt8>)? {
        guard let equals = part.firstIndex(of: 0x3d) else { return nil }
        // The name may stand in the middle of a text.
        let type = part[..<equals].split { !$0.isASCIIAlphanumeric }.last ?? []
        return (SlotReader.string(type).lowercased(), part[(equals + 1)...])
    }

    private static func isOfPeople(_ part: ArraySlice<UInt8>) -> Bool {
        guard let (type, value) = pair(part), ["ou", "cn"].contains(type) else { return false }
        return units.contains(SlotReader.string(value.prefix { $0 != 0x22 && $0 != 0x27 }).lowercased())
    }

    private static let names = [
        "cn": "display_name", "uid": "username", "id": "username", "sn": "surname", "givenname": "given_name",
    ]
    private static let quotable = ["CN=", "cn=", "SN=", "sn="]
    private static let units: Set<String> = [
        "people", "user", "users", "persons", "employees", "staff", "members", "accounts", "customers",
    ]
}
