import Captures

/// Fields of a form that say in one parameter what the other one is called: `fields[0][name]=password&fields[0][value]=Zk9!wq`,
/// `inputs[1].name=…&inputs[1].value=…`.
enum FieldPairs {
    /// The slots, of which the values of such pairs have the names that say something of them.
    static func named(_ slots: [Slot], in text: ArraySlice<UInt8>) -> [Slot] {
        var told: [String: String] = [:]
        for slot in slots where slot.range.count <= longest {
            guard let stem = stem(of: slot.name, endingWith: "name") else { continue }
            let own = SlotReader.string(TextCoding.form.decoded(text[slot.range]).bytes)
            if case .secret = SecretRoles.role(of: own, in: .form) { told[stem] = own }
        }
        guard !told.isEmpty else { return slots }
        return slots.map { slot in
            var slot = slot
            if let stem = stem(of: slot.name, endingWith: "name"), told[stem] != nil { slot.name = "" }
            if let own = stem(of: slot.name, endingWith: "value").flatMap({ told[$0] }) { slot.name = own }
            return slot
        }
    }

    /// In bytes, of what a field is called.
    private static let longest = 64

    /// What stands before the last part of the name of an element of a list; nil for other names.
    private static func stem(of name: String, endingWith last: String) -> String? {
        for end in ["][\(last)]", "].\(last)"] where name.hasSuffix(end) {
            return String(name.dropLast(end.count))
        }
        return nil
    }
}
