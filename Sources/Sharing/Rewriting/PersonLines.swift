/// The names of somebody in lines where what stands around them says that they are a person's: `name: Ada Quill` beside
/// `email: …`, as YAML and git have it, `cn: Ada Quill` beside `sn: Quill`, as LDIF has it (RFC 2849), `user = ada` beside
/// `password = …`, as files of settings and STOMP have it.
enum PersonLines {
    /// The slots of lines, in their order, with names that say so.
    ///
    /// What only says where somebody's name is found is none: `cn: cn`, `name: display_name`.
    static func named(_ slots: [Slot], in text: ArraySlice<UInt8>) -> [Slot] {
        let keys = slots.map { SecretRoles.normalized($0.name) }
        return slots.indices.map { place in
            var slot = slots[place]
            guard let telling = neighbours[keys[place]] else { return slot }
            let around = max(0, place - reach)..<min(keys.count, place + reach + 1)
            // The texts of a page have a password's name for it.
            let isTold = around.contains {
                telling.contains(keys[$0])
                    && !SecretRoles.saysPassword(SlotReader.string(text[slots[$0].range]))
            }
            let value = text[slot.range]
            if isTold, !SecretRoles.isWord(SlotReader.string(value)),
                !ofAccounts.contains(keys[place]) || isAccount(value)
            {
                slot.name = "display_name"
            }
            return slot
        }
    }

    /// What signs in by a password, and is no address, no switch and no text of a page; behind a domain as well (`SHOP\ada`).
    private static func isAccount(_ value: ArraySlice<UInt8>) -> Bool {
        let own = value.lastIndex(of: 0x5c).map { value[($0 + 1)...] } ?? value
        let word = SlotReader.string(own).lowercased()
        return PairSlots.isAccount(own) && !PairSlots.nothing.contains(word) && !FieldFaults.saysWhether(word)
    }

    private static let ofAccounts: Set<String> = ["user", "login"]
    /// In lines: how far from a name stands what says whose it is.
    private static let reach = 2

    /// By the name of a line, what says that somebody is called so.
    private static let neighbours: [String: Set<String>] = [
        "name": [
            "email", "mail", "emailaddress", "givenname", "familyname", "firstname", "lastname", "phone",
        ],
        "cn": ["sn", "givenname", "mail", "uid"],
        "sn": ["cn", "givenname", "mail"],
        "user": ["password", "passwd", "pass", "pwd"], "login": ["password", "passwd", "pass", "passcode"],
    ]
}
