import Captures

/// Texts of a program's pages under the names of what they ask for: `"password": "Password"`, `login.username=Benutzername`.
enum LabelTexts {
    /// The slots, without the names of those whose values only say them once more, where a document has several of these; of
    /// what else it says of passwords, too.
    static func unnamed(_ slots: [Slot], in text: ArraySlice<UInt8>) -> [Slot] {
        let places = slots.indices.filter { saysItsName(slots[$0], in: text) }
        guard areSeveral(places.map { slots[$0] }, in: text) else { return slots }
        // Where attributes are mapped nothing is said of a password.
        let isPage = areSeveral(slots.filter { !$0.isNumber && says(text[$0.range], $0.name) }, in: text)
        var slots = slots
        for place in places { slots[place].name = "" }
        guard isPage else { return slots }
        for place in slots.indices where tellsOfPassword(slots[place], in: text) { slots[place].name = "" }
        return slots
    }

    private static func areSeveral(_ slots: [Slot], in text: ArraySlice<UInt8>) -> Bool {
        let names = Set(slots.map(\.name))
        // `{"password": {"old": "Old password", "new": "New password"}}`; one word may be what somebody chose.
        let texts = Set(slots.map { text[$0.range] }.filter { $0.contains(0x20) })
        return max(names.count, texts.count) >= leastLabels
    }

    static let leastLabels = 2
    /// Of a sentence.
    private static let leastWords = 3

    /// Whether a page says something of a password by this: a sentence, or what its name ends with, as
    /// `"password-algorithm": "Algorithm"`.
    private static func tellsOfPassword(_ slot: Slot, in text: ArraySlice<UInt8>) -> Bool {
        let value = text[slot.range]
        guard !slot.name.isEmpty, !slot.isNumber, let first = value.first,
            kind(of: slot.name)?.isChosen ?? false
        else { return false }
        // Somebody's pass phrase is of words alone.
        if (0x41...0x5a).contains(first) || first >= 0x80, value.split(separator: 0x20).count >= leastWords,
            value.contains(where: { $0 != 0x20 && $0 < 0x80 && !$0.isASCIIAlphanumeric })
        {
            return true
        }
        let (name, said) = (slot.name.lowercased(), SlotReader.string(value).lowercased())
        return kind(of: said) == nil && ["-", "_", "."].contains { name.hasSuffix($0 + said) }
    }

    private static func saysItsName(_ slot: Slot, in text: ArraySlice<UInt8>) -> Bool {
        !slot.isNumber && (says(text[slot.range], slot.name) || isMapped(text[slot.range], by: slot.name))
    }

    /// Whether it is what the same is called elsewhere, as where attributes are mapped: `"given_name": "givenName"`.
    private static func isMapped(_ value: ArraySlice<UInt8>, by name: String) -> Bool {
        guard (6...40).contains(value.count), value.allSatisfy(\.isASCIIWordByte),
            value.dropFirst().contains(where: { $0 == 0x5f || (0x41...0x5a).contains($0) }),
            !value.contains(where: \.isASCIIDigit), kind(of: name)?.isPersonal ?? false
        else { return false }
        return SecretRoles.isWord(SlotReader.string(value))
    }

    /// Whether a value only says its name once more, as `Benutzername` does under `username`.
    static func says(_ value: ArraySlice<UInt8>, _ name: String) -> Bool {
        guard !name.isEmpty, isOfWords(value), let kind = kind(of: name) else { return false }
        if kind == self.kind(of: SlotReader.string(value)) { return true }
        // `Wrong password`; `Mexico City` is where somebody lives.
        guard kind.isChosen else { return false }
        return value.split { $0 == 0x20 }.contains { kind == self.kind(of: SlotReader.string($0)) }
    }

    /// A few words that begin with a capital, or are of another script than Latin.
    static func isOfWords(_ value: ArraySlice<UInt8>) -> Bool {
        guard (4...64).contains(value.count), let first = value.first,
            (0x41...0x5a).contains(first) || first >= 0x80
        else { return false }
        return value.allSatisfy {
            $0.isASCIILetter || $0 >= 0x80 || [0x20, 0x2d, 0x27, 0x2a, 0x3a, 0x3f].contains($0)
        }
    }

    /// What a name says of a person or of a password; nil for others.
    private static func kind(of name: String) -> Secret.Kind? {
        guard case .secret(let kind) = SecretRoles.role(of: name, in: .claims),
            kind.isPersonal || kind.isChosen
        else { return nil }
        return kind
    }
}
