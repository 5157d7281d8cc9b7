import Captures
import JOSE

/// What of the found values is a secret in the end, once all of a set of captures was read.
extension FoundSecrets {
    /// Takes out of the secrets what is none: a cookie with the name of a scope, a subject that is a client; and takes for what is
    /// replaced wherever it stands what means nothing else.
    mutating func settle() {
        takeAsked()
        takeKept()
        takeClients()
        wellKnown.formUnion(identifiers)
        wellKnownRuns = Set(wellKnown.map(LookScanner.bare)).subtracting(wellKnown)
        dropPublic()
        dropPartsOfIdentifiers()
        dropExplained()
        dropNames()
        // By its look alone nothing is a secret at one place only.
        named = named.filter { $0.value != .unexplained || values[$0.key.value] != nil }
        let open = publicWords
        takeSure(but: open)
        takeAccountWords(but: open)
        takeHomes(but: open)
        takeOtherSpellings()
        accountNumbers = Set(accountIDs.filter { named[$0] != nil }.map(\.value)).subtracting(known)
            .subtracting(open).filter(isAccountNumber)
        joinChunks()
    }

    /// What somebody asks for is no more open than that.
    private mutating func takeAsked() {
        let texts = Set(asked.values.joined())
        guard !texts.isEmpty else { return }
        for text in texts { values[text] = .asked }
        let index = WordIndex(texts.sorted().map { (Array($0.utf8), .none) })
        func isFree(_ text: String) -> Bool {
            Array(text.utf8).withUnsafeBufferPointer { index.matches(in: $0, limit: 1).isEmpty }
        }
        kept = kept.filter(isFree)
        identifiers = identifiers.filter(isFree)
        open = open.filter(isFree)
        vocabulary = vocabulary.filter(isFree)
        wellKnown = wellKnown.filter(isFree)
        words = words.filter(isFree)
        hosts = hosts.filter(isFree)
    }

    /// What is to stay is a secret nowhere.
    private mutating func takeKept() {
        for text in kept {
            values[text] = nil
            tokens[text] = nil
            open.insert(text)
            wellKnown.insert(text)
        }
        named = named.filter { !kept.contains($0.key.value) }
    }

    /// A client is called otherwise in its token than in its request, as an app of Apple's whose identifier is a part of that of
    /// its service: `com.example.shop` and `com.example.shop.web`.
    private mutating func takeClients() {
        identifiers.formUnion(
            clientSubjects.filter { subject in
                identifiers.contains { $0.hasPrefix(subject + ".") || subject.hasPrefix($0 + ".") }
            }
        )
    }

    // MARK: - What is none

    /// Drops what everybody may know.
    private mutating func dropPublic() {
        for (text, kind) in values where isNone(text, kind) || isWord(text, kind) { values[text] = nil }
        for text in traces where values[text] == .unexplained { values[text] = nil }
        // What somebody chose as a secret stays one where it is named, also if it is a word that everybody uses.
        for (pair, kind) in named where !kind.isChosen || identifiers.contains(pair.value) {
            let isPublic =
                kind.isPersonal && kind != .subject
                ? isIdentifier(pair.value) || PersonNames.isCommon(pair.value)
                    || wellKnown.contains(pair.value) && !people.contains(pair.value)
                : isNone(pair.value, kind)
            if isPublic { named[pair] = nil }
        }
    }

    /// Whether a value is no secret, since everybody may know it.
    private func isNone(_ text: String, _ kind: Secret.Kind) -> Bool {
        // An address, or words with spaces between them, are no word of the protocol, wherever else they stand.
        if kind == .asked { return false }
        if kind == .email
            || kind.isPersonal && text.utf8.contains(where: { $0 == 0x40 || $0 == 0x20 || $0 >= 0x80 })
        {
            return identifiers.contains(text) || kind != .email && wellKnown.contains(text.lowercased())
        }
        if kind.isWeak { return isKnown(text, among: kind.isPersonal ? vocabulary : open) }
        return identifiers.contains(text) || wellKnown.contains(text) && !Drawn.looks(text.utf8)
    }

    /// Whether what somebody chose, or is called, is a word of the protocol by which something in these captures is named:
    /// it is replaced where it is named, and its every other place tells nothing of it.
    func isWord(_ text: String, _ kind: Secret.Kind) -> Bool {
        (kind.isChosen || kind.isPersonal) && names.contains(text.lowercased()) && SecretRoles.isWord(text)
    }

    private func isIdentifier(_ text: String) -> Bool {
        identifiers.contains(text) || namedIdentifiers.contains(text) || hosts.contains(text.lowercased())
    }

    /// Whether a text that may be anything is one that stands elsewhere under an open name.
    private func isKnown(_ text: String, among open: Set<String>) -> Bool {
        if wellKnown.contains(text) || open.contains(text) && !Drawn.looks(text.utf8) { return true }
        if wellKnownRuns.contains(text) { return true }
        let plain = TextCoding.form.decoded(Array(text.utf8)[...]).bytes
        return wellKnown.contains(String(decoding: plain, as: UTF8.self))
    }

    /// What looked like something of its own and is a part of a client's name or an issuer's address.
    private mutating func dropPartsOfIdentifiers() {
        let looks: Set<Secret.Kind> = [.unexplained, .email, .phone, .address]
        let all = Array(identifiers.sorted().joined(separator: "\n").utf8)
        for (text, kind) in values where looks.contains(kind) {
            if ByteSearch.index(of: Array(text.utf8), in: all) != nil { values[text] = nil }
        }
    }

    /// What only looked like a secret of its own is part of one that has a name, or one in base64, or of a certificate.
    private mutating func dropExplained() {
        let unexplained = values.filter { $0.value == .unexplained }.keys
        guard !unexplained.isEmpty else { return }
        let secrets =
            values.filter { $0.value != .unexplained }.keys.map { Array($0.utf8) }
            + tokens.keys.map { Array($0.utf8) } + certificates.map { Array($0.utf8) }
        let index = FragmentIndex(secrets)
        for text in unexplained {
            let bytes = Array(text.utf8)
            let isPart = index.matches(in: bytes).contains { $0.range == bytes.indices }
            let decoded = BinaryCoding.base64.decoded(bytes.filter { $0 != 0x3d })
            let matches = index.matches(in: decoded)
            // The words around a key stand around every other one: a piece of a secret tells nothing of what is behind it.
            let isExplained =
                matches.contains { $0.range.count == secrets[$0.secret].count }
                || matches.reduce(0, { $0 + $1.range.count }) * 2 > decoded.count
            if isPart || isExplained && !hidesMore(decoded, than: matches.map(\.range)) { values[text] = nil }
        }
    }

    /// Whether something else that was drawn stands beside what is known of a text: a session behind somebody's address.
    private func hidesMore(_ text: [UInt8], than known: [Range<Int>]) -> Bool {
        var start = 0
        for range in known.sorted(by: { $0.lowerBound < $1.lowerBound }) + [text.count..<text.count] {
            if start < range.lowerBound {
                let words = text[start..<range.lowerBound].split { !WrittenStandIns.isTokenByte($0) }
                if words.contains(where: {
                    Drawn.isUnexplained($0) && !identifiers.contains(SlotReader.string($0))
                }) {
                    return true
                }
            }
            start = max(start, range.upperBound)
        }
        return false
    }

    /// What a register says of somebody in a word that something in these captures is named by (`authorization_level`) is replaced
    /// where it is named: in a document it is that name.
    private mutating func dropNames() {
        let told = values.filter { text, kind in
            kind == .personal && !people.contains(text)
                && text.utf8.allSatisfy { $0.isASCIILetter || $0 == 0x5f || $0 == 0x2d }
        }.keys.sorted()
        guard !told.isEmpty else { return }
        let index = FragmentIndex(told.map { Array($0.utf8) })
        for match in index.matches(in: Array(words.sorted().joined(separator: "\n").utf8)) {
            if match.range.count == told[match.secret].utf8.count { values[told[match.secret]] = nil }
        }
    }

    // MARK: - What is one wherever it stands

    /// Takes what is short, or looks like a word, and stands for nothing else.
    private mutating func takeSure(but open: Set<String>) {
        let (words, spoken) = (wordsInSmallLetters, spokenWords)
        for (pair, kind) in named
        where isSure(pair.value, kind, but: words, spoken) && !open.contains(pair.value.lowercased()) {
            known.insert(pair.value)
        }
        for (pair, kind) in named where !accountIDs.contains(pair) {
            let isSomebodys =
                kind == .personal && isAccount(pair.value, but: words)
                || kind == .subject && isAccountNumber(pair.value) && !open.contains(pair.value)
            if isSomebodys { known.insert(pair.value) }
        }
    }

    /// `words`: see ``wordsInSmallLetters``; `spoken`: see ``spokenWords``.
    private func isSure(
        _ text: String,
        _ kind: Secret.Kind,
        but words: Set<String>,
        _ spoken: Set<String>
    ) -> Bool {
        guard SureWords.isSure(kind), SureWords.isLongEnough(text.utf8, kind),
            text.utf8.count < FragmentIndex.shortestPiece, values[text] != .asked
        else { return false }
        let lower = text.lowercased()
        let isWord = text.utf8.allSatisfy { $0.isASCIILetter }
        return !SureWords.isCommon(text) && !names.contains(lower) && !wellKnown.contains(text)
            && !(isWord && (open.contains(text) || spoken.contains(lower))) && !words.contains(lower)
    }

    /// Whether a value is the name of an account that is no word: `carla_quist`, `10293847`.
    private func isAccount(_ text: String, but words: Set<String>) -> Bool {
        guard people.contains(text), values[text] == nil,
            (SureWords.shortest..<FragmentIndex.shortestPiece).contains(text.utf8.count),
            text.utf8.allSatisfy({
                $0.isASCIIAlphanumeric
                    || [0x2d, 0x2e, 0x5f].contains($0)
            })
        else { return false }
        let digits = text.utf8.filter { $0.isASCIIDigit }.count
        let marks = text.utf8.filter { [0x2d, 0x2e, 0x5f].contains($0) }.count
        return (digits == text.utf8.count ? digits >= 8 : digits + marks > 0) && !SureWords.isCommon(text)
            && !isIdentifier(text) && !wellKnown.contains(text) && !names.contains(text.lowercased())
            && !words.contains(text.lowercased())
    }

    /// Whether a value is the number of an account that is too short to be told from others by its look.
    private func isAccountNumber(_ text: String) -> Bool {
        values[text] == nil && SureWords.isAccountNumber(text.utf8)
    }

    /// The words of addresses and clients, which mean what they mean.
    private var publicWords: Set<String> {
        identifiers.union(hosts).reduce(into: []) { known, text in
            for word in text.lowercased().split(whereSeparator: { !$0.isLetter && !$0.isNumber }) {
                known.insert(String(word))
            }
        }
    }

    /// The segments of the addresses of clients and issuers, in small letters: whoever is called as one of them, it stays an address.
    private var publicSegments: Set<String> {
        let addresses = identifiers.union(namedIdentifiers).filter { $0.utf8.contains(0x2f) }
        return Set(addresses.flatMap { $0.lowercased().split { "/?#".contains($0) }.map(String.init) })
    }

    /// The words of what everybody may know, in small letters: `firefox` of a browser's name, the labels of a host.
    var spokenWords: Set<String> {
        vocabulary.union(wellKnown).union(hosts).reduce(into: []) { spoken, text in
            for word in text.lowercased().split(whereSeparator: { !$0.isLetter }) {
                spoken.insert(String(word))
            }
        }
    }

    /// Names that are met inside of a value, and those of the file's own members, in small letters.
    var wordsInSmallLetters: Set<String> { FormatNames.inSmallLetters.union(words.map { $0.lowercased() }) }

    // MARK: - People

    /// Takes the accounts that are called as a thing or a page is: those are nobody's name elsewhere.
    private mutating func takeAccountWords(but open: Set<String>) {
        for (pair, kind) in named
        where kind == .personal && AccountNames.isWord(pair.value) && pair.value == pair.value.lowercased() {
            guard SecretRoles.namesAccount(pair.name), !open.contains(pair.value), !kept.contains(pair.value)
            else { continue }
            people.remove(pair.value)
            if AccountNames.isThing(pair.value), !known.contains(pair.value), values[pair.value] == nil {
                accountWords.insert(pair.value)
            }
        }
    }

    /// Takes the owners of folders: a path names them, and nothing else does.
    private mutating func takeHomes(but open: Set<String>) {
        let addresses = publicSegments
        for name in homes where values[name] == nil && !known.contains(name) {
            guard !open.contains(name.lowercased()), !addresses.contains(name.lowercased()),
                !kept.contains(name), !isIdentifier(name)
            else {
                continue
            }
            accountWords.insert(name)
            named[NamedValue(Self.home, name)] = .personal
        }
    }

    /// Under which they are known: nothing else says what they are.
    private static let home = "(home)"

    /// What somebody's day of birth and whole name become elsewhere.
    private mutating func takeOtherSpellings() {
        let days = named.keys.filter { SecretRoles.isBirthDay($0.name) }.compactMap { CalendarDay($0.value) }
        let spellings =
            Set(days).sorted { $0.number < $1.number }.prefix(Self.mostDays).flatMap(\.spellings)
            + people.sorted().prefix(Self.mostPeople).flatMap(PersonNames.accounts)
        // `acme.example` is Acme Example's host.
        let domains = domains
        for text in spellings where text.utf8.count >= SureWords.shortest && values[text] == nil {
            guard !isIdentifier(text), !domains.contains(text), !wellKnown.contains(text),
                !names.contains(text),
                !vocabulary.contains(text)
            else { continue }
            known.insert(text)
            named[NamedValue(Self.spelling, text)] = .personal
        }
    }

    /// Under which other spellings are known: nothing else says what they are.
    private static let spelling = "(spelling)"
    /// People of whom other spellings are looked for: more of them are a directory, and each spelling costs time.
    private static let mostPeople = 8
    private static let mostDays = 4

    /// A token in pieces is one token.
    private mutating func joinChunks() {
        for pieces in chunks.values where pieces.count > 1 {
            let joined = pieces.sorted { $0.key < $1.key }.map(\.value).joined()
            guard JSONWebToken.parse(joined) != nil else { continue }
            // The first piece often looks like a token of its own.
            for piece in pieces.values { tokens[piece] = nil }
            if tokens[joined] == nil { tokens[joined] = .token }
        }
    }
}
