import Captures

/// What is given to a name that says a password or a key, in whatever way people and programs write that: `password: Zk9!wq`,
/// `[password] => Zk9!wq`, `{:password "Zk9!wq"}`, `('password', 'Zk9!wq')`, `**Password:** Zk9!wq`.
///
/// A word of letters alone is one of the sentence.
enum PairSlots {
    /// `isCode`: only what stands between quotation marks is a value; the rest are expressions.
    static func slots(in text: ArraySlice<UInt8>, isCode: Bool = false) -> [Slot] {
        var slots: [Slot] = []
        var accounts: [Slot] = []
        var tellsPassword = false
        var names = PasswordNames(where: saysPassword)
        var index = text.startIndex
        while let start = text[index...].firstIndex(where: isOfName) {
            let word = text[start...].prefix(while: isOfName)
            index = word.endIndex
            guard let given = given(to: word, in: text, isCode: isCode) else { continue }
            let name = name(endingWith: word, in: text, isCode: isCode)
            guard name.utf8.contains(where: { $0.isASCIILetter || $0 >= 0x80 }) else { continue }
            let slot = Slot(name: name, range: given.value.startIndex..<given.value.endIndex)
            if isSecret(given, of: name, &names)
                || !isCode && isPrintedWord(given.value, of: name, word, in: text, &names)
            {
                tellsPassword = tellsPassword || names.contain(name)
                slots.append(slot)
                index = given.value.endIndex
            } else if SecretRoles.namesAccount(name) || isUserID(word, given.value, in: text),
                isAccount(given.value)
            {
                accounts.append(whole(slot, in: text))
            }
        }
        return tellsPassword ? slots + accounts.map(named) : slots
    }

    /// All that stands between quotation marks where an account is called by several words: `user="Ada Quill"`.
    private static func whole(_ account: Slot, in text: ArraySlice<UInt8>) -> Slot {
        let start = account.range.lowerBound
        guard let mark = text[..<start].last, isQuote(mark),
            let end = text[start...].prefix(longestAccount).firstIndex(of: mark),
            text[start..<end].allSatisfy({
                $0.isASCIILetter || $0 >= 0x80 || [0x20, 0x2d, 0x2e].contains($0)
            })
        else { return account }
        var slot = account
        slot.range = start..<end
        return slot
    }

    /// In bytes, of words that somebody is called by.
    private static let longestAccount = 64

    /// Whether a value beside a password may be who signs in with it, and no word of the text.
    static func isAccount(_ value: ArraySlice<UInt8>) -> Bool {
        (3...64).contains(value.count)
            && value.allSatisfy { $0.isASCIIAlphanumeric || [0x2b, 0x2d, 0x2e, 0x40, 0x5f].contains($0) }
            && !SureWords.isCommon(SlotReader.string(value))
            && !SecretRoles.isWord(SlotReader.string(value))
    }

    /// Whether it is who a program signs in as, as connections to databases are described: `User ID=bolund;Password=…`.
    ///
    /// `word`: the last one of the name.
    private static func isUserID(
        _ word: ArraySlice<UInt8>,
        _ value: ArraySlice<UInt8>,
        in text: ArraySlice<UInt8>
    ) -> Bool {
        guard word.count == 2, value.count >= 4, value.contains(where: \.isASCIILetter),
            text[value.endIndex...].first.map({ $0 == 0x3b || isQuote($0) }) ?? true
        else { return false }
        return SlotReader.string(text[..<word.endIndex].suffix(7)).lowercased() == "user id"
    }

    private static func named(_ account: Slot) -> Slot {
        var slot = account
        slot.name = "username"
        return slot
    }

    /// In bytes, of a name.
    private static let longestName = 32
    /// In bytes, between a name and its value.
    private static let longestGap = 48
    /// In bytes, of a type with the bracket behind it.
    private static let longestType = 17
    /// In bytes, of a value between quotation marks.
    private static let longestValue = 128
    /// In bytes, of one without: what is longer was drawn, and looks like that.
    private static let longestBare = 512

    private struct Given {
        var value: ArraySlice<UInt8>
        /// Whether a colon, an equals sign or an arrow gives it; of what only stands beside a name less is sure.
        var isAssigned: Bool
    }

    /// What is given something: of a long name its end, which says enough; with what it is a member of, but for code, in which
    /// `password.className` is one thing and `password` another.
    private static func name(
        endingWith word: ArraySlice<UInt8>,
        in text: ArraySlice<UInt8>,
        isCode: Bool
    ) -> String {
        let whole = text[..<word.endIndex].suffix(longestName)
        let before = whole.lastIndex { !isOfName($0) && ($0 != 0x2e || isCode) }
        return SlotReader.string(before.map { whole[($0 + 1)...] } ?? whole)
    }

    private static func isSecret(_ given: Given, of name: String, _ names: inout PasswordNames) -> Bool {
        let mayBePassword = given.value.count >= 4 && given.value.contains { !$0.isASCIILetter }
        guard mayBePassword || Drawn.looks(given.value) else { return false }
        // `password: urn:ietf:params:oauth:grant-type:…` tells of grants.
        guard !given.value.starts(with: "urn:".utf8),
            given.isAssigned || SignInCall.mayBeSecret(given.value)
        else { return false }
        // `Forgot your password: https://…`; what was drawn may begin with a slash.
        if SignInCall.isAddress(given.value), !given.isAssigned || given.value.first != 0x2f { return false }
        if names.contain(name) { return mayBePassword }
        return Drawn.looks(given.value) && namesSecret(name)
            || given.value.contains(where: \.isASCIIDigit) && namesClientSecret(name)
                && PrintedSlots.isMeant(given.value, of: name)
    }

    /// Whether a password of letters alone is what a program printed of a map, in which no sentence goes on:
    /// `{username=bo, password=kestrel}`, `"password"=>"kestrel"`.
    ///
    /// `word`: the end of the name, as it stands.
    private static func isPrintedWord(
        _ value: ArraySlice<UInt8>,
        of name: String,
        _ word: ArraySlice<UInt8>,
        in text: ArraySlice<UInt8>,
        _ names: inout PasswordNames
    ) -> Bool {
        guard value.count >= 4, value.allSatisfy(\.isASCIILetter), isPrinted(value, behind: word, in: text),
            names.contain(name)
        else { return false }
        let own = SlotReader.string(value)
        return !names.contain(own) && !nothing.contains(own.lowercased()) && !SureWords.isCommon(own)
            && !SecretRoles.isWord(own) && !FieldFaults.saysWhether(own.lowercased())
    }

    /// Whether a value stands as a program prints it.
    private static func isPrinted(
        _ value: ArraySlice<UInt8>,
        behind word: ArraySlice<UInt8>,
        in text: ArraySlice<UInt8>
    ) -> Bool {
        let between = text[word.endIndex..<value.startIndex]
        if let first = between.first, let last = between.last, isQuote(first), isQuote(last) {
            return between.firstRange(of: Array("=>".utf8)) != nil
        }
        guard between.elementsEqual("=".utf8) || between.elementsEqual("=[".utf8) else { return false }
        let before = text[..<word.startIndex].suffix(2).last { $0 != 0x20 }
        let after = text[value.endIndex...].first
        // `Server=db;User Id=app;Password=kestrel;`, in the middle of a sentence.
        if before == 0x3b { return after == 0x3b }
        return before.map { [0x28, 0x2c, 0x7b].contains($0) } ?? false
            && after.map { [0x29, 0x2c, 0x5d, 0x7d].contains($0) } ?? false
    }

    /// What programs print for no value, for one that they do not show, and of what a value is to be.
    static let nothing: Set<String> = [
        "null", "none", "true", "false", "masked", "protected", "filtered", "provided", "removed", "omitted",
        "sensitive", "empty", "blank", "unset", "text", "varchar", "hashed", "encrypted", "confirmed",
        "nullable",
    ]

    private static func saysPassword(_ name: String) -> Bool {
        if case .secret(.password) = SecretRoles.role(of: name, in: .text) { return true }
        return SecretRoles.saysPassword(name)
    }

    /// Whether a name is that of what a client proves itself by, which somebody may have chosen as a password is.
    private static func namesClientSecret(_ name: String) -> Bool {
        if case .secret(.clientSecret) = SecretRoles.role(of: name, in: .text) { return true }
        return false
    }

    /// Whether a name is that of a token or a key: `const apiKey = "…"`.
    private static func namesSecret(_ name: String) -> Bool {
        switch SecretRoles.role(of: name, in: .text) {
        case .secret(let kind): SureWords.isSure(kind) && kind != .authorizationCode
        case .drawn(let kind): kind == .token || kind == .apiKey || kind == .credentials
        default: false
        }
    }

    // MARK: - Between the name and the value

    /// `isCode`: see ``slots(in:isCode:)``.
    private static func given(to name: ArraySlice<UInt8>, in text: ArraySlice<UInt8>, isCode: Bool) -> Given?
    {
        let gap = text[name.endIndex...].prefix(longestGap)
        let named = gap.drop(while: isCloser)
        if let value = serialized(behind: named, in: text) { return Given(value: value, isAssigned: true) }
        let closed = (isCode ? named : behindRemark(named)).drop(while: \.isBlank)
        // The next word, but where it is a type, or says that a value may be missing: `string(6) "…"`, `Some("…")`.
        let isWord = closed.first?.isASCIIAlphanumeric ?? false
        guard !isWord || closed.prefix(longestType).contains(0x28) else { return nil }
        let mark = mark(opening: closed)
        let isArrow = mark.elementsEqual("=>".utf8)
        let typed = closed[mark.endIndex...].drop { $0.isBlank || $0 == 0x2a || isArrow && $0 == 0x0a }
        let opened = behindType(typed)
        let brackets = opened.prefix(while: isOpener)
        guard let first = opened[brackets.endIndex...].first else { return nil }
        guard isQuote(first) else {
            // `<…>` is a tag, or stands for what somebody is to fill in.
            guard !isCode, !brackets.contains(0x3c), isAssignment(mark, in: text) else { return nil }
            return bare(text[brackets.endIndex...], behind: brackets.last).map {
                Given(value: $0, isAssigned: true)
            }
        }
        let inner = text[(brackets.endIndex + 1)...]
        guard let value = quoted(by: first, in: inner) else {
            // One that is cut has no second mark; of one with spaces in it the first word is taken, as without marks.
            guard !isCode, isAssignment(mark, in: text) else { return nil }
            return bare(inner, behind: nil).map { Given(value: $0, isAssigned: true) }
        }
        if isAssignment(mark, in: text) { return Given(value: value, isAssigned: true) }
        let isBeside = mark.isEmpty && text[name.endIndex..<brackets.startIndex].contains(where: \.isBlank)
        guard isBeside || isTuple(name, mark, value, in: text) else { return nil }
        return Given(value: value, isAssigned: false)
    }

    private static func mark(opening text: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        switch text.first {
        case 0x2c, 0x2d, 0x2e, 0x3a, 0x3d: text.prefix(marks.first { text.starts(with: $0) }?.count ?? 0)
        default: text.prefix(0)
        }
    }

    private static func isAssignment(_ mark: ArraySlice<UInt8>, in text: ArraySlice<UInt8>) -> Bool {
        switch mark.first {
        case 0x3d: true
        case 0x3a: !mark.elementsEqual("::".utf8)
        // Without a space behind it, an arrow leads to a member.
        case 0x2d: mark.endIndex < text.endIndex && text[mark.endIndex].isBlank
        default: false
        }
    }

    /// Without what stands between brackets behind a name that is given something: `password[0]=`, `Password (again):`.
    private static func behindRemark(_ gap: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        let open = gap.drop(while: \.isBlank)
        guard let bracket = open.first, bracket == 0x28 || bracket == 0x5b else { return gap }
        let rest = open.dropFirst().drop(while: isOfName)
        guard rest.first == brackets[bracket] else { return gap }
        let next = rest.dropFirst().first { !$0.isBlank }
        return next == 0x3a || next == 0x3d ? rest.dropFirst() : gap
    }

    /// `('password', 'Zk9!wq')`, `{password,<<"Zk9!wq">>}`, `("password" . "Zk9!wq")`, and no call of a function.
    private static func isTuple(
        _ name: ArraySlice<UInt8>,
        _ mark: ArraySlice<UInt8>,
        _ value: ArraySlice<UInt8>,
        in text: ArraySlice<UInt8>
    ) -> Bool {
        guard mark.elementsEqual([0x2c]) || mark.elementsEqual([0x2e]) else { return false }
        let before = text[..<name.startIndex].suffix(8).reversed().drop { isQuote($0) || $0 == 0x5c }
        let after = text[value.endIndex...].prefix(8).first {
            !isQuote($0) && $0 != 0x5c && $0 != 0x3e
        }
        guard let open = before.first, open == 0x28 || open == 0x7b else { return false }
        return after == open + (open == 0x28 ? 1 : 2)
            && before.dropFirst().first.map { !isOfName($0) } ?? true
    }

    /// `s:8:"password";s:6:"Zk9!wq"`, as PHP keeps sessions.
    private static func serialized(behind named: ArraySlice<UInt8>, in text: ArraySlice<UInt8>) -> ArraySlice<
        UInt8
    >? {
        guard named.starts(with: ";s:".utf8) else { return nil }
        let length = named.dropFirst(3).prefix(while: \.isASCIIDigit)
        guard !length.isEmpty, text[length.endIndex...].starts(with: ":\"".utf8) else { return nil }
        return quoted(by: 0x22, in: text[(length.endIndex + 2)...])
    }

    /// What stands in a value that may be missing, as Swift, Rust and Scala print it: `Optional("…")`, `Some("…")`; nil for others.
    static func insideOption(_ text: ArraySlice<UInt8>) -> ArraySlice<UInt8>? {
        for mark in ["Optional(", "Some("] where text.starts(with: mark.utf8) {
            let inner = text.dropFirst(mark.utf8.count)
            return inner.first == 0x22 ? inner : nil
        }
        return nil
    }

    /// Without the type that some write before a value, with its length: `string(6) "…"`.
    private static func behindType(_ text: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        if let inner = insideOption(text) { return inner }
        let type = text.prefix(longestType - 1).prefix(while: \.isASCIILetter)
        guard !type.isEmpty, text[type.endIndex...].first == 0x28 else { return text }
        let count = text[(type.endIndex + 1)...].prefix(while: \.isASCIIDigit)
        guard !count.isEmpty, text[count.endIndex...].first == 0x29 else { return text }
        return text[(count.endIndex + 1)...].drop(while: \.isBlank)
    }

    // MARK: - Values

    /// One without a space up to the second quotation mark, which may be escaped as the first one is.
    private static func quoted(by mark: UInt8, in text: ArraySlice<UInt8>) -> ArraySlice<UInt8>? {
        let inner = text.prefix(longestValue)
        guard let end = inner.firstIndex(of: mark) else { return nil }
        let value = inner[..<end].last == 0x5c ? inner[..<(end - 1)] : inner[..<end]
        return value.isEmpty || value.contains { $0 <= 0x20 } ? nil : value
    }

    /// One up to a space, or to the bracket that closes the one before it.
    private static func bare(_ text: ArraySlice<UInt8>, behind open: UInt8?) -> ArraySlice<UInt8>? {
        var value = beforeParameter(text.prefix(longestBare).prefix { $0 > 0x20 && !isEnd($0) })
        guard value.count < longestBare else { return nil }
        if let close = open.flatMap({ brackets[$0] }) {
            value = value.prefix { $0 != close }
        } else if !value.contains(where: isOpener) {
            // `Login(password=Zk9!wq)`
            let last = value.lastIndex { ![0x29, 0x5d, 0x7d].contains($0) }
            value = last.map { value[...$0] } ?? value.prefix(0)
        }
        // A word that ends a sentence, or with the mark of what has to be filled in, is one all the same.
        let word = value.prefix(while: \.isASCIILetter)
        if value[word.endIndex...].allSatisfy({ $0 == 0x2e || $0 == 0x2a }) { value = word }
        // What names the next one, and a call.
        let isOther = value.last == 0x3a || value.last == 0x28 || value.last == 0x5b
        return value.isEmpty || isOther || isExpression(value) ? nil : value
    }

    /// Without the parameters behind it, as a form has them: `Zk9!wq&remember=1`.
    private static func beforeParameter(_ value: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        var rest = value
        while let mark = rest.firstIndex(of: 0x26) {
            rest = rest[(mark + 1)...]
            let name = rest.prefix { isOfName($0) || [0x24, 0x2e, 0x5b, 0x5d].contains($0) }
            if !name.isEmpty, rest[name.endIndex...].first == 0x3d { return value[..<mark] }
        }
        return value
    }

    /// Whether it is a variable, or a call without arguments, and no password with the marks of one: `$PASSWORD`, `readPassword()`.
    private static func isExpression(_ value: ArraySlice<UInt8>) -> Bool {
        let isCall = value.firstRange(of: Array("()".utf8)) != nil
        guard isCall || value.first == 0x24 else { return false }
        let isMixed = value.contains(where: \.isASCIIDigit) && value.contains { (0x61...0x7a).contains($0) }
        let words = value.first == 0x24 ? value.dropFirst() : value
        return (isCall || !isMixed) && words.allSatisfy { $0.isASCIIWordByte || joints.contains($0) }
    }

    /// What ends a value without quotation marks.
    private static func isEnd(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x22, 0x27, 0x2c, 0x3b, 0x3c: true
        default: false
        }
    }

    private static func isQuote(_ byte: UInt8) -> Bool { byte == 0x22 || byte == 0x27 || byte == 0x60 }

    /// What may stand behind a name that is given something.
    private static func isCloser(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x22, 0x27, 0x60, 0x5c, 0x5d, 0x29, 0x2a: true
        default: false
        }
    }

    private static func isOpener(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x5c, 0x5b, 0x28, 0x7b, 0x3c: true
        default: false
        }
    }

    /// What may stand between a name and its value, each before those that it begins with; `::` gives nothing to a name.
    private static let marks = ["===", "==", "=>", "::", ":=", "->", ":", "=", ",", "."].map {
        Array($0.utf8)
    }
    /// What joins the words of an expression.
    private static let joints = Set(".:->()[]{}".utf8)
    private static let brackets: [UInt8: UInt8] = [0x28: 0x29, 0x5b: 0x5d, 0x7b: 0x7d]

    private static func isOfName(_ byte: UInt8) -> Bool {
        byte.isASCIIWordByte || byte == 0x2d || byte >= 0x80
    }
}
