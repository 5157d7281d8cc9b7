import Captures

/// What functions of a filter compare, what a search is for, and keys in addresses, in OData: `startswith(displayName,'Ada')`,
/// `contains(tolower(surname),'quill')`, `displayName:Ada`, `users(userPrincipalName='ada')`; what a filter of LDAP asks for
/// (RFC 4515): `(&(objectClass=person)(mail=ada@…))`.
enum FilterSlots {
    static func slots(in text: ArraySlice<UInt8>) -> [Slot] {
        guard text.count <= SentenceSlots.longest else { return [] }
        return compared(in: text) + searched(in: text) + ofDirectory(in: text)
    }

    private static func compared(in text: ArraySlice<UInt8>) -> [Slot] {
        text.indices.compactMap { place in
            guard text[place] == 0x27, let name = name(before: place, in: text) else { return nil }
            let value = BindingSlots.beforeApostrophe(text[(place + 1)...].prefix(longestValue))
            guard value.count > 1, text[value.endIndex...].dropFirst().first == 0x29 else { return nil }
            return Slot(name: name, range: value.startIndex..<value.endIndex)
        }
    }

    /// `displayName:Ada Quill`, a term of `$search` as a whole; `email:read` is a scope.
    private static func searched(in text: ArraySlice<UInt8>) -> [Slot] {
        let name = text.prefix(longestName).prefix(while: \.isASCIILetter)
        let value = text[name.endIndex...].dropFirst()
        guard name.dropFirst().contains(where: { $0 & 0x20 == 0 }), text[name.endIndex...].first == 0x3a,
            isMeant(value, of: name),
            value.first.map({ $0.isASCIILetter || $0 >= 0x80 }) ?? false,
            !value.contains(where: { [0x0a, 0x2c, 0x3a, 0x3b, 0x3d, 0x7b].contains($0) }),
            isTelling(SlotReader.string(name))
        else { return [] }
        return [Slot(name: SlotReader.string(name), range: value.startIndex..<value.endIndex, kind: .text)]
    }

    /// What attributes are compared with between brackets.
    private static func ofDirectory(in text: ArraySlice<UInt8>) -> [Slot] {
        guard text.first == 0x28, text.last == 0x29 else { return [] }
        return text.split(separator: 0x28).compactMap { item in
            guard let mark = item.firstIndex(of: 0x3d), let end = item.firstIndex(of: 0x29), end > mark
            else { return nil }
            let name = item[..<mark].prefix(while: \.isASCIIAlphanumeric)
            let value = item[(mark + 1)..<end].drop { $0 == 0x2a }.prefix { $0 != 0x2a }
            guard name.endIndex == mark, isMeant(value, of: name), isTelling(SlotReader.string(name)) else {
                return nil
            }
            return Slot(name: SlotReader.string(name), range: value.startIndex..<value.endIndex, kind: .text)
        }
    }

    /// Not where it is a rule, an order, or what is to be filled in: `displayName:desc`, `(uid=${user})`.
    private static func isMeant(_ value: ArraySlice<UInt8>, of name: ArraySlice<UInt8>) -> Bool {
        value.count <= longestValue && PrintedSlots.isMeant(value, of: SlotReader.string(name))
    }

    private static func isTelling(_ name: String) -> Bool {
        guard case .secret(let kind) = SecretRoles.role(of: name, in: .text) else { return false }
        return kind.isPersonal && kind != .phone
    }

    /// In bytes, of a value and of a name.
    private static let longestValue = 128
    private static let longestName = 64

    /// What a text between quotation marks is compared with, where that says somebody: the first argument of a function, or
    /// what an equals sign is behind.
    private static func name(before quote: Int, in text: ArraySlice<UInt8>) -> String? {
        let head = text[..<quote].suffix(longestName)
        let gap = Bytes.hasSuffix(head, ", ") ? head.dropLast() : head
        guard let mark = gap.last, mark == 0x2c || mark == 0x3d else { return nil }
        let argument = gap.dropLast()
        // `tolower(surname)`
        let inner = argument.last == 0x29 ? argument.dropLast() : argument
        let own = inner.reversed().prefix { $0.isASCIIWordByte || $0 == 0x2f }.reversed()
        let before = inner.dropLast(own.count)
        guard !own.isEmpty, before.last == 0x28 else { return nil }
        let word = before.dropLast().reversed().prefix { $0.isASCIILetter }.reversed()
        let outer = before.dropLast(word.count + 1)
        let callee =
            argument.last == 0x29
            ? outer.dropLast().reversed().prefix { $0.isASCIILetter }.reversed() : word
        guard mark == 0x3d || functions.contains(SlotReader.string(callee).lowercased()) else { return nil }
        let name = SlotReader.string(own.split(separator: 0x2f).last ?? [])
        guard case .secret(let kind) = SecretRoles.role(of: name, in: .text), kind.isPersonal else {
            return nil
        }
        return name
    }

    private static let functions: Set<String> = ["startswith", "endswith", "contains", "indexof"]
}
