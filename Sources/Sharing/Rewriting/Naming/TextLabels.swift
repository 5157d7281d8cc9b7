import Captures

/// Follows the text of a page: `Username: <b>carla</b>`, `First name: Carla`, `Your password is <code>Zk9wq</code>`.
///
/// What may as well be words of the page is left out.
struct TextLabels {
    /// What the text before says, behind which nothing stood yet.
    private var label: (name: String, kind: Secret.Kind)?
    /// The text before, where it may be the label of what follows behind a colon: `<b>Last name</b>: Quill`.
    private var caption: ArraySlice<UInt8> = []
    /// The last word of the text before, where that says of a password that somebody is given it.
    private var given: String?
    /// How many words a name has at least behind it, where it greets somebody; nil for others.
    private var greeted: Int?
    /// What is typed may be the name of a setting: a password that is given has a digit.
    private var isTyped = false

    /// The value in a text between two tags.
    mutating func slot(in node: ArraySlice<UInt8>) -> Slot? {
        let text = Self.trimmed(node)
        guard !text.isEmpty else { return nil }
        if let known = label {
            let isOne = isMeant(text, by: known)
            // `Hello,`, and a letter behind it that greets nobody by name.
            let mayGoOn = greeted != nil
            (label, isTyped, greeted) = (nil, false, nil)
            if isOne { return Self.slot(known.name, text) }
            guard mayGoOn else { return nil }
        }
        let before = caption
        caption = text.count <= Self.longestLabel ? text : []
        if text.first == 0x3a, let named = Self.secret(before) {
            return slot(text.dropFirst(), behind: named)
        }
        if let words = GreetingSlots.leastWords(behind: text) {
            (label, greeted) = (("display_name", .personal), words)
            return nil
        }
        let last = text.suffix(Self.longestLabel).split(separator: 0x20).suffix(2).map(SlotReader.string)
        if last.count == 2, Self.verbs.contains(last[1]), SecretRoles.saysPassword(last[0]) {
            label = (last[0], .password)
            return nil
        }
        if let name = Self.romanceName(before: text) {
            label = (name, .password)
            return nil
        }
        if last.count == 2, Self.given.contains(last[0].lowercased()), SecretRoles.saysPassword(last[1]) {
            given = last[1]
        }
        if Self.mayBeBirthDay(text), SecretRoles.isBirthDay(SlotReader.string(text)) {
            (label, isTyped) = ((SlotReader.string(text), .personal), true)
            return nil
        }
        // `{"username":"ada","theme":"dark"}` is read as what it is.
        guard let colon = text.prefix(48).firstIndex(of: 0x3a), colon > text.startIndex,
            !TextKind.opensDocument(text)
        else { return nil }
        return Self.secret(text[..<colon]).flatMap { slot(text[(colon + 1)...], behind: $0) }
    }

    /// What stands behind a label in its own text; where nothing does, it is the label of the next one.
    private mutating func slot(
        _ rest: ArraySlice<UInt8>,
        behind named: (name: String, kind: Secret.Kind)
    ) -> Slot? {
        let value = Self.trimmed(rest)
        guard value.isEmpty else { return Self.isValue(value, named) ? Self.slot(named.name, value) : nil }
        label = named
        return nil
    }

    /// Whether a text is what the one before it announced.
    private func isMeant(_ text: ArraySlice<UInt8>, by known: (name: String, kind: Secret.Kind)) -> Bool {
        let isOne =
            Self.isValue(text, known) && (!isTyped || text.contains(where: \.isASCIIDigit))
            || isTyped && known.kind == .personal && Self.isDay(text)
        let isName =
            greeted ?? 1 < 2
            || GreetingSlots.name(in: text, coding: .entities) != nil
                && !ShownNames.areOfPage(SlotReader.string(text))
        return isOne && isName
    }

    /// What the last words of a label say is told behind it; nil where that is nobody's.
    private static func secret(_ label: ArraySlice<UInt8>) -> (name: String, kind: Secret.Kind)? {
        var words = label.split(separator: 0x20).suffix(2)
        // `Your PIN: 4821`
        if words.count == 2, owners.contains(SlotReader.string(words.first ?? []).lowercased()) {
            words = words.dropFirst()
        }
        let name = SlotReader.string(Array(words.joined(separator: [0x20])))
        guard case .secret(let kind) = SecretRoles.role(of: name, in: .text),
            [.password, .oneTimeCode, .personal].contains(kind)
        else { return nil }
        return (name, kind)
    }

    /// In bytes.
    private static let longestLabel = 48
    private static let verbs = ["is", "was", "is:", "lautet", "lautet:", "ist", "ist:"]

    /// The words for a password before a verb, of which the first is not always next to it: `Su contraseña temporal es`,
    /// `Votre mot de passe provisoire est`; nil where there are none.
    private static func romanceName(before text: ArraySlice<UInt8>) -> String? {
        let words = text.suffix(longestLabel).split(separator: 0x20)
        guard let verb = words.last.map(SlotReader.string), romanceVerbs.contains(verb) else { return nil }
        let name = words.dropLast().suffix(4).map(SlotReader.string).joined()
        return SecretRoles.saysPassword(name) ? name : nil
    }

    private static let romanceVerbs: Set<String> = ["es", "es:", "est", "est:", "è", "è:", "é", "é:"]
    private static let owners = ["your", "ihr", "ihre", "dein", "deine"]
    /// Of a password that somebody is given.
    private static let given = ["initial", "temporary", "generated", "default", "initiale", "initiales"]

    /// Takes note of a tag: what stands behind a field or a link is no value, and in `initial password <code>Zk9wq</code>` it
    /// stands in a tag for what is typed.
    mutating func meet(_ tag: String) {
        if let name = given, ["code", "kbd", "samp", "tt"].contains(tag) {
            (label, isTyped) = ((name, .password), true)
        }
        given = nil
        // `Logged in as <a href=…>` is somebody's page.
        let isPage = tag == "a" && greeted == 1
        // Two words with capitals in a paragraph of their own are a heading.
        let isApart = greeted ?? 1 > 1 && Self.paragraphs.contains(tag)
        if isApart || Self.others.contains(tag), !isPage {
            (label, isTyped, greeted, caption) = (nil, false, nil, [])
        }
    }

    private static let paragraphs: Set<String> = ["p", "div", "section", "article", "br", "hr", "li", "td"]
    private static let others: Set<String> = [
        "input", "select", "textarea", "button", "a", "form", "label", "script", "style", "img", "svg", "h1",
        "h2",
        "h3", "h4", "ul", "ol", "table", "th", "dt",
    ]

    /// Whether a text may be a label for a day of birth, which few of a page's end like.
    private static func mayBeBirthDay(_ text: ArraySlice<UInt8>) -> Bool {
        guard (3...longestLabel).contains(text.count) else { return false }
        let end = (text[text.endIndex - 2].asciiLowercased, text[text.endIndex - 1].asciiLowercased)
        return switch end {
        case (0x61, 0x79), (0x6f, 0x62), (0x74, 0x65), (0x74, 0x68), (0x75, 0x6d): true
        default: false
        }
    }

    /// As in `12 March 1990`, of which a word begins with no capital.
    private static func isDay(_ text: ArraySlice<UInt8>) -> Bool {
        text.count <= longestLabel && CalendarDay(SlotReader.string(text)) != nil
    }

    private static func isValue(_ text: ArraySlice<UInt8>, _ label: (name: String, kind: Secret.Kind)) -> Bool
    {
        let words = text.split(separator: 0x20)
        if label.name.lowercased().hasSuffix("address"), isAddress(words) { return true }
        guard text.count <= 64, let first = words.first, !SureWords.isCommon(SlotReader.string(first)) else {
            return false
        }
        guard label.kind == .personal else {
            return words.count == 1 && text.count >= 4 && text.contains { !$0.isASCIILetter }
                && !text.starts(with: "urn:".utf8)
        }
        let isOfNames = words.allSatisfy {
            (0x41...0x5a).contains($0[$0.startIndex]) || $0[$0.startIndex] >= 0x80
        }
        let isAccount =
            words.count == 1 && text.contains { [0x2e, 0x5f].contains($0) || $0.isASCIIDigit }
        return words.count <= 4 && (isOfNames || isAccount) && text.last != 0x2e && text.last != 0x3a
    }

    /// Whether words are where somebody lives: a few, with a number among them, and the others with a capital.
    private static func isAddress(_ words: [ArraySlice<UInt8>]) -> Bool {
        let firsts = words.map { $0[$0.startIndex] }
        return (2...10).contains(words.count) && firsts.contains(where: \.isASCIIDigit)
            && firsts.allSatisfy { $0.isASCIIDigit || (0x41...0x5a).contains($0) || $0 >= 0x80 }
            && !firsts.allSatisfy(\.isASCIIDigit)
    }

    private static func slot(_ name: String, _ value: ArraySlice<UInt8>) -> Slot {
        Slot(name: name, range: value.startIndex..<value.endIndex, coding: .entities)
    }

    private static func trimmed(_ text: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        guard let last = text.lastIndex(where: { $0 > 0x20 }) else { return text.prefix(0) }
        return text[...last].drop { $0 <= 0x20 }
    }
}
