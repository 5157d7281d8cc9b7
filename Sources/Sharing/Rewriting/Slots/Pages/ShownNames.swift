import Captures

/// Who is shown in an element of a page that is called by it: `<span class="user-name">Ada Quill</span>`,
/// `<b id="username">al.7</b>`, `<label id="kc-attempted-username">ada</label>`.
///
/// What may as well be words of the page is left out.
enum ShownNames {
    static func slot(in element: HTMLAttributes, of text: ArraySlice<UInt8>) -> Slot? {
        let isAttempt = isAttempt(element, in: text)
        guard isAttempt || tags.contains(element.tag),
            element.list.contains(where: { isTelling($0, in: text) })
        else { return nil }
        let start = start(of: element, in: text)
        guard let close = text[start...].prefix(longest).firstIndex(of: 0x3c) else { return nil }
        let node = text[start..<close]
        guard let first = node.firstIndex(where: { $0 > 0x20 }),
            let last = node.lastIndex(where: { $0 > 0x20 })
        else { return nil }
        let value = node[first...last]
        let words = SlotReader.string(value)
        guard !SecretRoles.isWord(words), !areOfPage(words) else { return nil }
        if let name = GreetingSlots.name(in: value, coding: .entities) { return name }
        guard isAttempt && PairSlots.isAccount(value) || isAccount(value), !SureWords.isCommon(words) else {
            return nil
        }
        return Slot(
            name: "username",
            range: value.startIndex..<value.endIndex,
            coding: .entities,
            kind: .text
        )
    }

    /// Whether one of some words is a page's: `Sign In`, `My Account`.
    static func areOfPage(_ words: String) -> Bool {
        words.lowercased().split { $0 == " " || $0 == "-" }.contains { ofPages.contains(String($0)) }
    }

    /// Where the text of an element begins, or that of the link that is all of it: `<b id="username"><a href=…>`.
    private static func start(of element: HTMLAttributes, in text: ArraySlice<UInt8>) -> Int {
        guard let open = text[element.end...].prefix(longest).firstIndex(where: { $0 > 0x20 }),
            text[open] == 0x3c
        else { return element.end }
        let inner = HTMLAttributes(text, from: open + 1)
        return inner.tag == "a" ? inner.end : element.end
    }

    /// In bytes, of the text of an element.
    private static let longest = 128

    private static let tags: Set<String> = [
        "a", "b", "dd", "div", "em", "h1", "h2", "h3", "h4", "h5", "h6", "i", "li", "output", "p", "small",
        "span", "strong", "td", "text", "tspan",
    ]

    /// Whether it is what Keycloak calls who is about to sign in, in a label.
    private static func isAttempt(_ element: HTMLAttributes, in text: ArraySlice<UInt8>) -> Bool {
        element.tag == "label" && element.value(of: "id", or: "id", in: text) == "kc-attempted-username"
    }

    private static func isTelling(_ attribute: HTMLAttributes.Attribute, in text: ArraySlice<UInt8>) -> Bool {
        guard naming.contains(attribute.name), attribute.value.count <= longestClass else { return false }
        return text[attribute.value].split(separator: 0x20).contains { word in
            let key = SecretRoles.normalized(SlotReader.string(word))
            return ofPeople.contains(where: key.hasSuffix) && !about.contains(where: key.containsBytes)
        }
    }

    /// Parts of what is called by a field for a name, and says something of it: `input-error-lastname`.
    private static let about = ["error", "fehler", "forgot", "help", "hint", "invalid", "label", "required"]

    private static let naming: Set<String> = ["class", "id", "data-testid", "data-test", "data-cy"]
    /// In bytes, of all classes of an element.
    private static let longestClass = 256
    private static let ofPeople = [
        "username", "fullname", "firstname", "lastname", "givenname", "familyname", "surname", "loginname",
    ]

    /// Letters and digits, with a mark or a digit, as no word of a page has them.
    private static func isAccount(_ text: ArraySlice<UInt8>) -> Bool {
        (3...64).contains(text.count)
            && text.allSatisfy { $0.isASCIIAlphanumeric || [0x2d, 0x2e, 0x5f].contains($0) }
            && text.contains { $0.isASCIIDigit || $0 == 0x5f || $0 == 0x2e }
            && text.contains(where: \.isASCIILetter) && text.last != 0x2e
    }

    /// What stands in such places for whoever is not signed in, and what is done there.
    private static let ofPages: Set<String> = [
        "abmelden", "account", "anmelden", "benutzerkonto", "change", "compte", "conta", "conto", "create",
        "cuenta",
        "edit", "enter", "forgot", "gast", "guest", "in", "kennung", "konto", "log", "mein", "menu", "mi",
        "mon",
        "my", "name", "new", "nicht", "not", "out", "perfil", "profil", "register", "settings", "sign",
        "single",
        "up", "user", "username", "view", "your",
    ]
}
