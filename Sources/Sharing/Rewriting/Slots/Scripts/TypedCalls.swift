import Captures

/// What programs that drive a browser type into its fields, by what the field is found with: `page.fill('#password', 'Zk9!wq')`,
/// `cy.get('[name=username]').type('ada')`, `driver.find_element(By.ID, "password").send_keys("Zk9!wq")`.
enum TypedCalls {
    /// In order.
    static func slots(in text: ArraySlice<UInt8>) -> [Slot] {
        var slots: [Slot] = []
        var rest = text
        while let open = rest.firstIndex(of: 0x28) {
            rest = text[(open + 1)...]
            let word = text[..<open].suffix(longestName).reversed().prefix(while: \.isASCIIWordByte)
            let method = SlotReader.string(word.reversed().filter { $0 != 0x5f }).lowercased()
            guard typing.contains(method) else { continue }
            let given = arguments(from: open + 1, in: text)
            guard let first = given.first else { continue }
            let field =
                given.count > 1 && !ofModels.contains(method) ? name(ofField: text[first]) : nil
            let typed = field == nil ? first : given[1]
            guard let name = field ?? name(before: open - word.count, in: text),
                case let value = withoutKeys(text[typed]), isValue(value, of: name)
            else { continue }
            slots.append(
                Slot(name: name, range: value.startIndex..<value.endIndex, coding: .escapes, kind: .text)
            )
        }
        return slots
    }

    /// Methods that type, in small letters and without underscores: of Playwright, Puppeteer, Cypress, Selenium, WebdriverIO, TestCafe,
    /// CodeceptJS, Capybara, Detox.
    private static let typing: Set<String> = [
        "addvalue", "entertext", "fill", "fillfield", "fillin", "inserttext", "presssequentially",
        "replacetext", "sendkeys", "setvalue", "type", "typetext",
    ]
    /// Of these what forms of an app have as well, with the name of a field before its value.
    private static let ofModels: Set<String> = ["setvalue"]
    /// In bytes.
    private static let longestName = 24
    private static let longestList = 512
    private static let longestReceiver = 240
    private static let longestField = 80

    /// What stands between quotation marks in the brackets of a call, also in those inside of them; none of a call that does not end.
    private static func arguments(from start: Int, in text: ArraySlice<UInt8>) -> [Range<Int>] {
        let list = text[start...].prefix(longestList)
        var arguments: [Range<Int>] = []
        var depth = 0
        var index = start
        while index < list.endIndex {
            switch list[index] {
            case 0x28: depth += 1
            case 0x29:
                if depth == 0 { return arguments }
                depth -= 1
            case let mark where isQuote(mark):
                guard let end = end(ofQuoted: index, in: list) else { return [] }
                if end > index + 1 { arguments.append((index + 1)..<end) }
                index = end
            default: break
            }
            index += 1
        }
        return []
    }

    private static func isQuote(_ byte: UInt8) -> Bool { byte == 0x22 || byte == 0x27 || byte == 0x60 }

    /// Where the mark stands that ends what the one at a place begins.
    private static func end(ofQuoted start: Int, in text: ArraySlice<UInt8>) -> Int? {
        var index = start + 1
        while index < text.endIndex, text[index] != text[start] { index += text[index] == 0x5c ? 2 : 1 }
        return index < text.endIndex ? index : nil
    }

    // MARK: - Fields

    /// What the field is called that a method is called of: by the last text that it is found with, or by its variable.
    ///
    /// `place`: of the method.
    private static func name(before place: Int, in text: ArraySlice<UInt8>) -> String? {
        let before = text[..<place]
        guard before.last == 0x2e else { return nil }
        let receiver = receiver(in: before.dropLast().suffix(longestReceiver))
        var found: [ArraySlice<UInt8>] = []
        var index = receiver.startIndex
        while let open = receiver[index...].firstIndex(where: isQuote) {
            guard let end = end(ofQuoted: open, in: receiver) else { break }
            found.append(receiver[(open + 1)..<end])
            index = end + 1
        }
        guard found.isEmpty else { return found.reversed().lazy.compactMap(name(ofField:)).first }
        let variable = receiver.reversed().prefix(while: \.isASCIIWordByte)
        return name(ofField: receiver.suffix(variable.count))
    }

    /// The last statement of a text, with the lines before it where it goes on in some that begin with a dot.
    private static func receiver(in text: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        var start = text.startIndex
        for line in text.split(separator: 0x0a, omittingEmptySubsequences: false).reversed() {
            start = line.startIndex
            if let first = line.first(where: { $0 > 0x20 }), first != 0x2e { break }
        }
        let own = text[start...]
        return own.lastIndex(of: 0x3b).map { own[($0 + 1)...] } ?? own
    }

    /// What the last word says that is one for a password, an account or something else of somebody; nil for none.
    private static func name(ofField text: ArraySlice<UInt8>) -> String? {
        guard text.count <= longestField else { return nil }
        let words = text.split { !$0.isASCIIWordByte && $0 != 0x2d }.reversed()
        return words.lazy.compactMap { word in
            let own = SlotReader.string(word)
            if SecretRoles.saysPassword(own) { return "password" }
            let key = SecretRoles.normalized(own)
            let bare = parts.first { key.hasSuffix($0) }.map { String(key.dropLast($0.count)) } ?? key
            if SecretRoles.namesAccount(bare) { return "username" }
            guard case .secret(let kind) = SecretRoles.role(of: own, in: .form),
                kind.isChosen || kind.isPersonal
            else { return nil }
            return own
        }.first
    }

    /// What a part of a page is called behind what it is for.
    private static let parts = ["input", "field", "box", "element"]

    // MARK: - Values

    /// Without the keys that Cypress presses behind it: `Zk9!wq{enter}`.
    private static func withoutKeys(_ value: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        guard value.last == 0x7d, let open = value.lastIndex(of: 0x7b),
            value[(open + 1)...].dropLast().allSatisfy(\.isASCIILetter)
        else { return value }
        return value[..<open]
    }

    /// Whether a text may be what is typed, and no variable that is put in, `${PASSWORD}`, nor a word for it.
    private static func isValue(_ value: ArraySlice<UInt8>, of name: String) -> Bool {
        guard let first = value.first, ![0x24, 0x25, 0x3c, 0x7b].contains(first), value.count <= 128,
            value.firstRange(of: [0x24, 0x7b]) == nil
        else { return false }
        guard name != "username" else { return PairSlots.isAccount(value) }
        return value.count >= (name == "password" ? 4 : 2) && !SecretRoles.isWord(SlotReader.string(value))
    }
}
