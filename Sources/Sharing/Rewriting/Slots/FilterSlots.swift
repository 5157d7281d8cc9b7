import Captures

/// What functions of a filter compare, and keys in addresses, in OData: `startswith(displayName,'Ada')`,
/// `contains(tolower(surname),'quill')`, `users(userPrincipalName='ada')`.
enum FilterSlots {
    static func slots(in text: ArraySlice<UInt8>) -> [Slot] {
        guard text.count <= SentenceSlots.longest else { return [] }
        return text.indices.compactMap { place in
            guard text[place] == 0x27, let name = name(before: place, in: text) else { return nil }
            let value = text[(place + 1)...].prefix(longestValue).prefix { $0 != 0x27 }
            guard value.count > 1, text[value.endIndex...].dropFirst().first == 0x29 else { return nil }
            return Slot(name: name, range: value.startIndex..<value.endIndex)
        }
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
