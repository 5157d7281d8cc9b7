import Captures

/// Whom a page lets somebody choose from a list: `<select name="user"><option value="al7">Ada Lovelace</option>…`.
struct ChosenUsers {
    /// The list that is read is one of users.
    private var isOfUsers = false

    /// What an option says.
    ///
    /// `name`: of the element.
    mutating func slots(in element: HTMLAttributes, named name: String?, of text: ArraySlice<UInt8>) -> [Slot]
    {
        if element.tag == "select" || element.tag == "datalist" {
            isOfUsers = name.map { Self.lists.contains(SecretRoles.normalized($0)) } ?? false
        }
        guard isOfUsers, element.tag == "option" else { return [] }
        let value = element.list.first { $0.name == "value" }.map { text[$0.value] }
        let shown = text[element.end...].prefix(Self.longest).prefix { $0 != 0x3c }
        let said = shown.lastIndex { $0 > 0x20 }.map { shown[...$0].drop { $0 <= 0x20 } }
        guard ![value, said].contains(where: { $0.map(Self.isAnybody) ?? false }) else { return [] }
        return [value.flatMap(Self.account), said.flatMap(Self.account), said.flatMap(Self.name)]
            .compactMap(\.self)
    }

    /// Whether an option says what somebody may do or is there for, or asks for a choice: `Existing customer`, `Not assigned`.
    private static func isAnybody(_ text: ArraySlice<UInt8>) -> Bool {
        text.prefix(longest).split(separator: 0x20)
            .contains { words.contains(SlotReader.string($0).lowercased()) }
    }

    private static let words: Set<String> = [
        "all", "another", "any", "anyone", "assigned", "author", "bitte", "choose", "customer", "developer",
        "editor", "employee", "everybody", "everyone", "existing", "manager", "me", "member", "moderator",
        "myself", "new", "nobody", "operator", "other", "others", "owner", "patient", "reader", "select",
        "somebody", "someone", "student", "supervisor", "teacher", "unassigned", "viewer", "writer",
    ]

    private static let lists: Set<String> = [
        "assignee", "assigneeid", "loginid", "loginname", "preferredusername", "reporter", "user", "userid",
        "username",
    ]

    /// In bytes, of what an option says.
    private static let longest = 128

    /// What an account is called, and no word of the page.
    private static func account(_ value: ArraySlice<UInt8>) -> Slot? {
        let own = SlotReader.string(value)
        guard (3...64).contains(value.count),
            value.allSatisfy({ $0.isASCIIAlphanumeric || [0x2b, 0x2d, 0x2e, 0x40, 0x5f].contains($0) }),
            !SureWords.isCommon(own), !AccountNames.isWord(own), !SecretRoles.isWord(own)
        else { return nil }
        return Slot(
            name: "username",
            range: value.startIndex..<value.endIndex,
            coding: .entities,
            kind: .text
        )
    }

    private static func name(_ value: ArraySlice<UInt8>) -> Slot? {
        GreetingSlots.name(in: value, coding: .entities)
    }
}
