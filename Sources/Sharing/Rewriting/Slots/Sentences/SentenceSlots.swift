import Captures

/// What sentences, commands and filters tell: `the password is Zk9!wq`, `curl -u max:Zk9!wq`, `userName eq "max"`.
enum SentenceSlots {
    /// In bytes: longer texts are no sentence.
    static let longest = 1 << 14

    /// Of a longer text, a log mostly, what each of its pieces tells.
    static func slots(in text: ArraySlice<UInt8>) -> [Slot] {
        guard text.count > longest else { return slots(inPiece: text) }
        var slots: [Slot] = []
        var rest = text
        while !rest.isEmpty {
            let piece = rest.prefix(longest)
            let end =
                piece.count < longest ? nil : piece.lastIndex(of: 0x0a) ?? piece.lastIndex { $0 <= 0x20 }
            let own = end.map { piece[...$0] } ?? piece
            slots += self.slots(inPiece: own)
            rest = rest[own.endIndex...]
        }
        return slots
    }

    private static func slots(inPiece text: ArraySlice<UInt8>) -> [Slot] {
        guard text.contains(0x20) else { return slots(inWord: text) }
        let words = words(of: text)
        var slots = PairSlots.slots(in: text) + AddressSlots.slots(in: text) + MailboxSlots.slots(in: text)
        slots += PrintedSlots.slots(in: text) + HeaderLineSlots.slots(in: text)
        slots += GreetingSlots.slots(in: text) + LogLineSlots.slots(in: text) + AccessLogSlots.slots(in: text)
        slots +=
            refused(in: text) + rejected(in: text) + SignInCall.slots(in: text)
            + CommandSlots.slots(words, in: text) + DatabaseSlots.slots(in: text)
        slots += words.compactMap { word in
            let plain = ByteLiterals.inner(of: bare(word))
            return isDocument(plain) || isForm(plain) ? slot("", plain) : nil
        }
        var names = PasswordNames(where: SecretRoles.saysPassword)
        for place in words.indices.dropLast() {
            slots += told(
                words[place],
                words[(place + 1)...].prefix(2),
                behind: words[..<place].suffix(2),
                in: text,
                &names
            )
        }
        return slots
    }

    /// What a text without a space tells, with marks around it: `'password=Zk9!wq'`, `b'client_id=shop&client_secret=…'`.
    private static func slots(inWord text: ArraySlice<UInt8>) -> [Slot] {
        guard text.contains(0x3d) else { return [] }
        let inner = ByteLiterals.inner(of: bare(text))
        return inner.count < text.count && isForm(inner) ? [slot("", inner)] : PairSlots.slots(in: text)
    }

    /// `Variable "$password" got invalid value "Zk9!wq"`: what servers of GraphQL say of a variable that has not its type.
    private static func refused(in text: ArraySlice<UInt8>) -> [Slot] {
        var slots: [Slot] = []
        var rest = text
        while let phrase = rest.firstRange(of: Array("\" got invalid value ".utf8)) {
            rest = text[phrase.upperBound...]
            let name = text[..<phrase.lowerBound].suffix(64).reversed().prefix { $0.isASCIIWordByte }
            guard !rest.isEmpty, let value = quoted(from: rest.startIndex, in: text) else { continue }
            // `at "in.password"`: which member of the variable it is.
            let place = text[(value.endIndex + 1)...]
            let path =
                place.starts(with: " at \"".utf8)
                ? quoted(from: place.startIndex + 4, in: text)?.split(separator: 0x2e).last : nil
            slots.append(slot(SlotReader.string(path ?? ArraySlice(name.reversed())), value))
        }
        return slots
    }

    /// `on field 'password': rejected value [Zk9!wq]`: what Spring says of a form that it does not take.
    private static func rejected(in text: ArraySlice<UInt8>) -> [Slot] {
        var slots: [Slot] = []
        var rest = text
        while let phrase = rest.firstRange(of: Array("': rejected value [".utf8)) {
            let name = text[..<phrase.lowerBound].suffix(64).reversed().prefix { $0.isASCIIWordByte }
            let value = text[phrase.upperBound...].prefix { $0 != 0x5d }
            rest = text[value.endIndex...]
            slots.append(slot(SlotReader.string(name.reversed()), value))
        }
        return slots
    }

    /// What a word says of the one behind it.
    ///
    /// `next`, `before`: two words at most.
    private static func told(
        _ word: ArraySlice<UInt8>,
        _ next: ArraySlice<ArraySlice<UInt8>>,
        behind before: ArraySlice<ArraySlice<UInt8>>,
        in text: ArraySlice<UInt8>,
        _ names: inout PasswordNames
    ) -> [Slot] {
        guard (2...24).contains(word.count), let value = next.first else { return [] }
        let plain = bare(word)
        let mayName = mayNamePassword(plain, value, next.dropFirst().first)
        guard mayName || shapes.match(plain) || value.contains(0x5c) else { return [] }
        let name = SlotReader.string(plain).lowercased()
        switch name {
        case "basic":
            let run = bare(value)
            guard Base64Text(Array(run), where: { $0.contains(0x3a) }) != nil else { return [] }
            return [slot(SlotReader.basicCredentials, run, kind: .userPassword, isBase64: true)]
        case "bearer", "dpop": return drawn("access_token", bare(value))
        case "code", "token", "ticket", "session": return drawn(name, bare(value))
        case "-d", "-f", "--data", "--data-raw", "--data-urlencode", "--form", "--form-string":
            return TextKind.guessed(bare(value)) == .form ? [slot("", bare(value))] : []
        case "-h", "--header": return field(bare(value), next.dropFirst().first)
        case "-u", "--user":
            let pair = bare(value)
            guard let colon = pair.firstIndex(of: 0x3a) else { return [] }
            return [slot("username", pair[..<colon]), slot("password", pair[(colon + 1)...])]
        case "user", "username", "account", "login":
            // `(`username`, `password`)` lists names.
            guard word.last != 0x2c else { return [] }
            let own = quoted(from: value.startIndex, in: text) ?? accountOfDomain(bare(value))
            return (own ?? signedIn(value, next.dropFirst().first) ?? meant(by: next, behind: before))
                .map { [slot("username", $0)] } ?? []
        case "username:": return given(value, in: text).map { [slot("username", $0)] } ?? []
        case "passe", "passe:": return french(next, behind: before)
        // `CREATE USER … IDENTIFIED BY '…'`
        case "by" where before.last.map { SlotReader.string($0).lowercased() } == "identified":
            return quoted(from: value.startIndex, in: text).map { [slot("password", $0)] } ?? []
        case "as", "by", "for", "from", "identity", "principal", "welcome", "hello":
            return accountOfDomain(bare(value)).map { [slot("username", $0)] } ?? []
        case "eq", "co", "sw", "ew":
            guard let before = before.last, let inner = quoted(from: value.startIndex, in: text) else {
                return []
            }
            return [slot(SlotReader.string(bare(before)), inner)]
        default: return mayName ? password(name, next, behind: before, &names) : []
        }
    }

    /// The account in `Username: ada, result: ok`, behind which its part of the text ends; nil for others.
    private static func given(_ word: ArraySlice<UInt8>, in text: ArraySlice<UInt8>) -> ArraySlice<UInt8>? {
        let own = bare(word)
        let name = own.last == 0x2e ? own.dropLast() : own
        let isEnd =
            name.endIndex < word.endIndex
            || text[word.endIndex...].first.map { $0 == 0x0a || $0 == 0x0d } ?? true
        guard isEnd, (3...64).contains(name.count), name.contains(where: \.isASCIILetter),
            name.allSatisfy({ $0.isASCIIAlphanumeric || [0x2b, 0x2d, 0x2e, 0x40, 0x5f].contains($0) }),
            !SureWords.isCommon(SlotReader.string(name)), !SecretRoles.isWord(SlotReader.string(name))
        else { return nil }
        return name
    }

    /// The password in `Mot de passe : Zk9!wq`, `votre mot de passe est Zk9!wq`.
    private static func french(
        _ next: ArraySlice<ArraySlice<UInt8>>,
        behind before: ArraySlice<ArraySlice<UInt8>>
    ) -> [Slot] {
        guard before.map({ SlotReader.string($0).lowercased() }).elementsEqual(["mot", "de"]),
            let given = next.first(where: { !$0.elementsEqual([0x3a]) && !isVerb($0) }).map(bare),
            given.count >= 4, given.contains(where: \.isASCIIDigit)
        else { return [] }
        return [slot("password", given)]
    }

    /// Between white space, of which is also what keeps two words on a line.
    private static func words(of text: ArraySlice<UInt8>) -> [ArraySlice<UInt8>] {
        guard text.contains(0xa0) else { return text.split { $0 <= 0x20 } }
        var words: [ArraySlice<UInt8>] = []
        var start = text.startIndex
        var last: UInt8 = 0
        for (index, byte) in zip(text.indices, text) {
            let isWide = byte == 0xa0 && last == 0xc2
            last = byte
            guard isWide || byte <= 0x20 else { continue }
            let end = isWide ? index - 1 : index
            if end > start { words.append(text[start..<end]) }
            start = index + 1
        }
        return start < text.endIndex ? words + [text[start...]] : words
    }

    /// The account in `user ada.quill logged in`, which has a mark or a digit in it as few words have; nil for others.
    private static func signedIn(_ word: ArraySlice<UInt8>, _ next: ArraySlice<UInt8>?) -> ArraySlice<UInt8>?
    {
        guard let next, isAny(of: ["authenticated", "logged", "signed"], next), (3...64).contains(word.count),
            word.allSatisfy({ $0.isASCIIWordByte || $0 == 0x2d || $0 == 0x2e }),
            word.contains(where: { !$0.isASCIILetter }), word.contains(where: \.isASCIILetter)
        else { return nil }
        return word
    }

    /// The account in `Cannot find user ada.q7`, `invalid password for user ada.q7`, `user ada.q7 does not exist`,
    /// `my login is ada.q7`, which has a digit in it as no word of a sentence has; nil for others.
    ///
    /// `next`: the words behind what says that it is one; `before`: those before that.
    private static func meant(
        by next: ArraySlice<ArraySlice<UInt8>>,
        behind before: ArraySlice<ArraySlice<UInt8>>
    ) -> ArraySlice<UInt8>? {
        guard let first = next.first else { return nil }
        let second = next.dropFirst().first ?? []
        let last = before.last.map { SlotReader.string(bare($0).prefix(8)).lowercased() } ?? ""
        let isOwn = ["my", "mein", "meine"].contains(last) && isVerb(first)
        guard
            isOwn || ["find", "for", "invalid", "such", "unknown"].contains(last)
                || isAny(of: ["not", "does", "is", "was", "has"], second)
        else { return nil }
        let word = bare(isOwn ? second : first)
        let name = word.last == 0x2e ? word.dropLast() : word
        guard (5...64).contains(name.count), name.first.map(\.isASCIILetter) ?? false,
            name.allSatisfy({ $0.isASCIIWordByte || $0 == 0x2d || $0 == 0x2e }),
            name.contains(where: \.isASCIIDigit), name.prefix(3).allSatisfy(\.isASCIILetter),
            case let text = SlotReader.string(name).lowercased(),
            !algorithms.contains(text), !isNumberedThing(text), !isErrorCode(name)
        else { return nil }
        return name
    }

    /// Whether a word is one of pages and protocols, or one of several such things: `step2`, `realm1`.
    private static func isNumberedThing(_ word: String) -> Bool {
        let thing = String(word.prefix { $0.isLetter })
        let number = word.dropFirst(thing.count)
        // An account may be called `user48213`.
        let isNumbered = number.count <= 3 && number.allSatisfy { $0.isNumber || "-_.".contains($0) }
        return (isNumbered ? [word, thing] : [word]).contains {
            SureWords.isCommon($0) || SecretRoles.isWord($0) || AccountNames.isWord($0) || things.contains($0)
        }
    }

    private static let things: Set<String> = [
        "group", "level", "node", "oauth", "phase", "pool", "realm", "saml", "stage", "step", "tenant",
    ]

    /// Whether a word is what a program calls an error: `AADSTS50034`, `ORA-01017`.
    private static func isErrorCode(_ word: ArraySlice<UInt8>) -> Bool {
        let letters = word.prefix { (0x41...0x5a).contains($0) }
        let digits = word[letters.endIndex...].drop { $0 == 0x2d || $0 == 0x5f }
        return letters.count >= 3 && digits.count >= 4 && digits.allSatisfy(\.isASCIIDigit)
    }

    /// The account in `CORP\ada`, as Windows has it with the domain before it; nil for others.
    private static func accountOfDomain(_ word: ArraySlice<UInt8>) -> ArraySlice<UInt8>? {
        guard word.count <= 80, let mark = word.firstIndex(of: 0x5c) else { return nil }
        let domain = word[..<mark]
        let name = word[(mark + 1)...].prefix { $0.isASCIIWordByte || $0 == 0x2d || $0 == 0x2e }
        let own = name.last == 0x2e ? name.dropLast() : name
        guard (2...15).contains(domain.count), !isAny(of: noDomains, domain),
            domain.allSatisfy({ (0x41...0x5a).contains($0) || $0.isASCIIDigit || $0 == 0x2d }),
            own.count >= 3, own.contains(where: { (0x61...0x7a).contains($0) }),
            // `\nNext`, a line's end with an escape.
            !(Self.lineEnds.contains(own[own.startIndex]) && (0x41...0x5a).contains(own[own.startIndex + 1])),
            word[name.endIndex...].allSatisfy({ !$0.isASCIIWordByte && $0 != 0x5c }),
            !SureWords.isCommon(SlotReader.string(own))
        else { return nil }
        return own
    }

    /// Of every computer, of its registry, and of lines that are cut.
    private static let noDomains = ["BUILTIN", "HKCR", "HKCU", "HKLM", "HKU", "ID", "OK"]
    private static let lineEnds = Array("nrt".utf8)

    /// Whether a text says of an account between quotation marks that it did not sign in, as in `Login failed for user 'ada'`.
    static func refuseAccount(_ text: ArraySlice<UInt8>) -> Bool {
        guard text.contains(0x27) || text.contains(0x22) else { return false }
        let words = SlotReader.string(text).lowercased()
        return accounts.contains(where: words.containsBytes) && refusals.contains(where: words.containsBytes)
    }

    private static let accounts = ["user", "username", "account", "login"].flatMap {
        ["\($0) '", "\($0) \""]
    }
    private static let refusals = [
        "denied", "disabled", "does not exist", "expired", "failed", "invalid", "locked", "not found",
        "unknown",
    ]

    /// Whether a text says what a password or a short code is: `Your PIN is 4821`.
    static func tellPassword(_ text: ArraySlice<UInt8>) -> Bool {
        guard text.contains(0x20), text.contains(where: \.isASCIIDigit) else { return false }
        let words = words(of: text)
        var names = PasswordNames(where: SecretRoles.saysPassword)
        return words.indices.dropLast().contains { place in
            let name = bare(words[place])
            let next = words[(place + 1)...].prefix(2)
            guard (2...24).contains(words[place].count), let value = next.first,
                mayNamePassword(name, value, next.dropFirst().first)
            else { return false }
            let own = SlotReader.string(name).lowercased()
            return !password(own, next, behind: words[..<place].suffix(2), &names).isEmpty
        }
    }

    /// Of the words that say something of the one behind them, whatever that is.
    private static let shapes = WordShapes(
        [
            "basic", "bearer", "dpop", "code", "token", "ticket", "session", "-d", "-f", "--data",
            "--data-raw",
            "--data-urlencode", "--form", "--form-string", "-h", "--header", "-u", "--user", "user",
            "username",
            "username:", "account", "login", "by", "eq", "co", "sw", "ew", "passe", "passe:",
        ],
        ignoringCase: true
    )

    /// Whether the words behind one may be what a password is said to be: each that is told has a digit, as few words of a text
    /// have.
    private static func mayNamePassword(
        _ name: ArraySlice<UInt8>,
        _ value: ArraySlice<UInt8>,
        _ after: ArraySlice<UInt8>?
    ) -> Bool {
        guard let said = isVerb(value) ? after : value, said.contains(where: \.isASCIIDigit) else {
            return false
        }
        return !name.contains(0x3a) && !name.contains(0x3d)
    }

    private static func isVerb(_ word: ArraySlice<UInt8>) -> Bool {
        switch word.first {
        case 0x49, 0x65, 0x69, 0x6c, 0x77: isAny(of: verbs, word.last == 0x3a ? word.dropLast() : word)
        default: false
        }
    }

    private static let verbs = ["is", "was", "IS", "Is", "lautet", "ist", "es", "est"]

    /// What a name of a password is said to be: `password is Zk9!wq`, `password Zk9!wq`.
    ///
    /// `next`: the words behind the name; `before`: those before it; two at most.
    private static func password(
        _ name: String,
        _ next: ArraySlice<ArraySlice<UInt8>>,
        behind before: ArraySlice<ArraySlice<UInt8>>,
        _ names: inout PasswordNames
    ) -> [Slot] {
        guard let value = next.first, names.contain(name) else { return [] }
        let after = next.dropFirst().first
        let isVerb = isVerb(value)
        if isVerb || isGiven(behind: before),
            let code = (isVerb ? after : value).flatMap({ shortCode($0, of: name) })
        {
            return [slot(name, code)]
        }
        // `Password ab12 is too short` has no other subject.
        let isShort = !isVerb && isAny(of: ["does", "has", "is", "was"], after ?? [])
        guard let said = isVerb ? after : value, said.count >= (isShort ? 4 : 6),
            said.contains(where: \.isASCIILetter)
        else { return [] }
        let own = bare(said)
        let isOther = isMeasure(own) || algorithms.contains(SlotReader.string(own).lowercased())
        return isOther ? [] : [slot(name, own)]
    }

    /// Whether a word says how long something is: `8-digit`, `4-stellig`.
    private static func isMeasure(_ word: ArraySlice<UInt8>) -> Bool {
        let digits = word.prefix(while: \.isASCIIDigit)
        let unit = word[digits.endIndex...]
        return (1...2).contains(digits.count) && unit.first == 0x2d && unit.count > 1
            && unit.dropFirst().allSatisfy { $0.isASCIILetter || $0 == 0x2e }
    }

    /// Whether what stands behind the words before a name is theirs who read it: `Use the PIN 66120`, `your PIN 66120`.
    private static func isGiven(behind before: ArraySlice<ArraySlice<UInt8>>) -> Bool {
        let words = before.map { SlotReader.string(bare($0).prefix(8)).lowercased() }
        guard let last = words.last else { return false }
        let isAsked = ["use", "enter", "type"].contains(["the", "this"].contains(last) ? words[0] : last)
        return isAsked || ["your", "ihre", "deine"].contains(last)
    }

    /// What a password is hashed by, or written in: `password sha256 is used`.
    private static let algorithms: Set<String> = [
        "argon2", "argon2d", "argon2i", "argon2id", "base64", "blake2b", "hs256", "pbkdf2", "rs256", "sha1",
        "sha-1", "sha224", "sha-224", "sha256", "sha-256", "sha384", "sha-384", "sha512", "sha-512",
        "sha3-256",
        "sha3-512", "sha512crypt", "sha256crypt",
    ]

    private static func isAny(of words: [String], _ word: ArraySlice<UInt8>) -> Bool {
        words.contains { word.elementsEqual($0.utf8) }
    }

    /// `Your one-time PIN is 4821.`, `Your one-time password is 482113`: fewer digits than the codes have that are looked for everywhere; nil for others.
    private static func shortCode(_ word: ArraySlice<UInt8>, of name: String) -> ArraySlice<UInt8>? {
        let digits = bare(word).prefix(while: \.isASCIIDigit)
        let isShort = ["otp", "pin"].contains(where: name.hasSuffix)
        guard isShort || name == "password", ((isShort ? 4 : 6)...8).contains(digits.count),
            word[digits.endIndex...].allSatisfy({ !$0.isASCIIWordByte })
        else { return nil }
        return digits
    }

    /// What a command sends in a header field; of one that has parts they are told where they stand.
    private static func field(_ name: ArraySlice<UInt8>, _ value: ArraySlice<UInt8>?) -> [Slot] {
        let own = SlotReader.string(name.dropLast())
        guard name.last == 0x3a, TextKind.ofHeader(own) == nil, let value else { return [] }
        return [slot(own, bare(value))]
    }

    /// Whether a word is a document in base64.
    private static func isDocument(_ word: ArraySlice<UInt8>) -> Bool {
        guard word.count >= 48, let inner = Base64Text(Array(word))?.text else { return false }
        return TextKind.opensDocument(inner[...]) || TextKind.guessed(inner[...]) == .html
    }

    /// Whether a word has several parameters: `client_id=shop&client_secret=…`.
    private static func isForm(_ word: ArraySlice<UInt8>) -> Bool {
        word.contains(0x26) && word.contains(0x3d) && TextKind.guessed(word) == .form
    }

    private static func drawn(_ name: String, _ value: ArraySlice<UInt8>) -> [Slot] {
        value.count >= 10 && Drawn.looks(value) ? [slot(name, value)] : []
    }

    /// What stands between quotation marks, of which the first is at a place; nil without them.
    private static func quoted(from start: Int, in text: ArraySlice<UInt8>) -> ArraySlice<UInt8>? {
        let mark = text[start]
        guard mark == 0x22 || mark == 0x27 || mark == 0x60 else { return nil }
        let inner = text[(start + 1)...].prefix(64)
        return inner.firstIndex(of: mark).flatMap { $0 > inner.startIndex ? inner[..<$0] : nil }
    }

    private static func slot(
        _ name: String,
        _ value: ArraySlice<UInt8>,
        kind: TextKind? = nil,
        isBase64: Bool = false
    ) -> Slot {
        Slot(name: name, range: value.startIndex..<value.endIndex, kind: kind, isBase64: isBase64)
    }

    /// Without quotation marks, brackets and what ends a sentence.
    static func bare(_ word: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        let rest = word.drop(while: isMark)
        return rest.lastIndex { !isMark($0) }.map { rest[...$0] } ?? rest
    }

    private static func isMark(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x22, 0x27, 0x28, 0x29, 0x2c, 0x3b, 0x60: true
        default: false
        }
    }
}
