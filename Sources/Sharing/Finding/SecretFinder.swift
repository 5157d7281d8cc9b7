import Captures
import Flows
import JOSE
import JSON
import OAuth

/// Looks through captures for what must not be shared: by the name under which a value stands, by the links of the
/// flows, and by its look.
final class SecretFinder {
    /// What is asked for besides, and what is to stay.
    private let options: SharingOptions
    var found = FoundSecrets()
    let look: LookScanner
    /// Texts that were read before; what a text tells does not depend on when.
    private var known = Recall<Void>()
    let patterns: [Regex<AnyRegexOutput>]

    init(options: SharingOptions) {
        self.options = options
        patterns = options.alsoPatterns
        look = LookScanner(findsPersonal: !options.keepsPersonal)
    }

    /// Reads an entry, or another part of the file.
    func read(_ value: JSONValue, holdsClaims: Bool = false) {
        let walker = EntryWalker(
            texts: TextWalker { [unowned self] in visit($0) },
            holdsClaims: holdsClaims,
            isOfClient: EntrySubject.authenticatesClient(value),
            isSignIn: EntrySubject.signsIn(value),
            sweep: { [unowned self] text in
                sweep(text)
                return nil
            },
            recall: { [unowned self] key, work in
                guard known[key] == nil else { return nil }
                known.remember((), of: key)
                return work()
            }
        )
        _ = walker.rewriting(value)
    }

    /// Takes note of where a request went.
    func read(_ url: RecordedURL) {
        guard let host = url.host else { return }
        found.hosts.insert(host.lowercased())
    }

    /// Reads what the flows say of values that go from place to place.
    func read(_ flows: [Flow]) {
        for flow in flows {
            for link in flow.links {
                let role = SecretRoles.role(of: link.name, in: .form)
                let kind: Secret.Kind
                switch role {
                case .secret(let known), .drawn(let known): kind = known
                case .open, .parts: continue
                case .unknown: kind = .unexplained
                }
                for occurrence in [link.origin] + link.uses
                where link.transform == .equal && !isOpen(occurrence.place.name) {
                    note(kind, occurrence.place.name, occurrence.value)
                }
            }
            let redirects = flow.authorizationRequests.map(\.redirectURI)
            for identifier in [flow.clientID, flow.issuer] + redirects {
                guard let identifier, !identifier.isEmpty else { continue }
                found.open.insert(identifier)
                found.identifiers.insert(identifier)
            }
        }
    }

    /// Reads what was typed into fields that their pages have for passwords.
    func readPasswords(of capture: Capture) {
        for (name, value) in TypedPasswords.all(in: capture)
        where !options.keptNames.contains(name) && !isMark(value) {
            note(.password, name, value)
        }
    }

    /// A word of the protocol that is also somebody's state stays what it is where the protocol says it.
    private func isOpen(_ name: String) -> Bool {
        switch SecretRoles.role(of: name, in: .form) {
        case .open, .parts: true
        default: false
        }
    }

    func finish() -> FoundSecrets {
        openTokens()
        // Headers that are read by their parts are named nowhere else.
        found.names.formUnion(TextKind.ofHeaders.keys)
        found.words.formUnion(TextKind.ofHeaders.keys.filter { $0.utf8.count >= FragmentIndex.shortestWord })
        found.settle()
        return found
    }

    // MARK: - Values

    func visit(_ value: NamedText) -> [UInt8]? {
        let text = value.readable
        let isKept = options.keptNames.contains(value.name)
        if isKept { found.keptNames.insert(value.name) }
        guard !text.isEmpty else { return nil }
        guard !isKept else {
            keep(text)
            return value.bytes
        }
        guard !isMark(text) else { return value.bytes }
        if value.container == .claims || value.isOfPerson { readAccount(value, text) }
        if value.name == SlotReader.accountSegment { noteID(value.name, text) }
        if value.isNumber {
            number(value, text)
            return nil
        }
        if value.name.utf8.count < 64 { found.names.insert(value.name.lowercased()) }
        if value.name.utf8.count >= FragmentIndex.shortestWord, !Drawn.looks(value.name.utf8) {
            found.words.insert(value.name)
        }
        if readToken(value, text) { return value.bytes }
        judge(value, text)
        if value.container == .cookies || value.container == .setCookie { chunk(value.name, text) }
        return nil
    }

    /// Whether a value is a token, which is told what it says; wrapped in lines and torn ones are, too.
    private func readToken(_ value: NamedText, _ text: String) -> Bool {
        if text.drop(while: \.isWhitespace).first == "e", text.contains(where: \.isWhitespace),
            let token = JSONWebToken.parse(text.filter { !$0.isWhitespace }), token.header != nil
        {
            read(token)
            found.wrapped[text] = token.text
            return true
        }
        if let parts = TornToken(text) {
            found.torn.insert(text)
            readClaims(parts.payload)
            return true
        }
        guard let token = JSONWebToken.parse(text) else { return false }
        found.relatives.insert(text)
        read(token)
        switch SecretRoles.role(of: value.name, in: value.container) {
        case .secret(let kind) where kind != .cookie, .drawn(let kind): found.tokens[text] = kind
        default: break
        }
        if value.container == .cookies || value.container == .setCookie { chunk(value.name, text) }
        return true
    }

    /// Whether a text may be a secret that somebody chose: one word with letters and digits, and no address.
    private static func isChosen(_ bytes: [UInt8]) -> Bool {
        (8...64).contains(bytes.count) && bytes.allSatisfy { $0 > 0x20 }
            && bytes.contains(where: \.isASCIIDigit) && bytes.contains(where: \.isASCIILetter)
            && TextKind.guessed(bytes[...]) == .text
    }

    /// What a value is by its name, and by its look where the name does not say it.
    private func judge(_ value: NamedText, _ text: String) {
        switch SecretRoles.role(of: value.name, in: value.container) {
        // It has no line ends (RFC 6749, appendix A.11): this is the text of a program, or of its errors.
        case .secret(.authorizationCode) where text.utf8.contains(0x0a),
            .drawn(.authorizationCode) where text.utf8.contains(0x0a):
            judgeByLook(value, text)
        case .secret(let kind): note(kind, value.name, text)
        case .drawn(let kind):
            if Drawn.looks(value.bytes) || SecretRoles.saysSecret(value.name) && Self.isChosen(value.bytes) {
                note(kind, value.name, text)
            } else if Self.isOneTimeCode(value.bytes, under: kind) {
                // What a text message brings is also called so.
                note(.oneTimeCode, value.name, text)
            }
        case .open: open(value.name, text)
        case .parts: break
        case .unknown: judgeByLook(value, text)
        }
    }

    private func open(_ name: String, _ text: String) {
        found.open.insert(text)
        guard !SecretRoles.isFreeText(name, text) else { return }
        found.vocabulary.insert(text)
        if SecretRoles.isPublic(name) { found.wellKnown.insert(text) }
        if SecretRoles.isIdentifier(name) { found.namedIdentifiers.insert(text) }
        if SecretRoles.normalized(name) == "scope" {
            found.namedIdentifiers.formUnion(text.split(separator: " ").map(String.init))
        }
    }

    private func judgeByLook(_ value: NamedText, _ text: String) {
        // Segments of a path name things, and are met in the middle of addresses.
        if Drawn.isUnexplained(TextCoding.percent.decoded(value.bytes[...]).bytes),
            TextKind.guessed(value.bytes[...]) == .text
        {
            note(.unexplained, value.name, text)
        } else if AccountNames.isOwnName(value.name), SureWords.isAccountNumber(value.bytes) {
            noteID(value.name, text)
        } else if Self.isCoordinate(value) {
            note(.personal, value.name, text)
        } else if SecretRoles.normalized(value.name) == "answer",
            Self.isOneTimeCode(value.bytes, under: .oneTimeCode)
        {
            note(.oneTimeCode, value.name, text)
        } else if value.name != SlotReader.pathSegment, value.bytes.contains(0x40),
            let whole = look.findings(in: value.bytes).first,
            whole.range == value.bytes.indices
        {
            note(whole.kind, value.name, text)
        }
    }

    /// A token is kept with what it says: it would not be the same one otherwise.
    private func keep(_ text: String) {
        guard found.kept.insert(text).inserted, let token = JSONWebToken.parse(text), token.form == .signed
        else { return }
        let walker = TextWalker { [unowned self] value in
            keep(value.text)
            return nil
        }
        _ = walker.rewriting(token.payload, as: .claims)
    }

    private func number(_ value: NamedText, _ text: String) {
        switch SecretRoles.role(of: value.name, in: value.container) {
        case .secret(let kind) where kind != .claim && kind != .cookie: note(kind, value.name, text)
        // A number under `code` may be an error's.
        case .drawn(let kind)
        where kind != .authorizationCode && Self.isOneTimeCode(value.bytes, under: kind):
            note(.oneTimeCode, value.name, text)
        case .unknown where AccountNames.isOwnName(value.name) && SureWords.isAccountNumber(value.bytes):
            noteID(value.name, text)
        case .unknown where Self.isCoordinate(value): note(.personal, value.name, text)
        default: return
        }
    }

    /// Takes note of the account that a document about somebody tells under names that mean other things elsewhere: GitHub's
    /// `login` and `id`, the `resourceName` of Google's People API.
    private func readAccount(_ value: NamedText, _ text: String) {
        switch SecretRoles.normalized(value.name) {
        case "login", "account", "identifier":
            if !options.keepsPersonal, !Drawn.looks(value.bytes), Self.isAccount(value.bytes) {
                found.people.insert(text)
            }
        case "id": if value.isOwnID, SureWords.isAccountNumber(value.bytes) { noteID(value.name, text) }
        case "resourcename":
            let last = value.bytes.split(separator: 0x2f).last ?? []
            if SureWords.isAccountNumber(last) {
                note(.subject, value.name, String(decoding: last, as: UTF8.self))
            }
        default: return
        }
    }

    /// Whether a text may be what an account is called, and is no word that everybody uses.
    private static func isAccount(_ text: [UInt8]) -> Bool {
        text.allSatisfy { $0.isASCIIAlphanumeric || [0x2d, 0x2e, 0x5f].contains($0) }
            && !SureWords.isCommon(String(decoding: text, as: UTF8.self))
            && !AccountNames.isWord(String(decoding: text, as: UTF8.self))
    }

    /// Takes the number of an account: a short one may be a day, a size or a version elsewhere.
    private func noteID(_ name: String, _ text: String) {
        guard text.utf8.count < FragmentIndex.shortestPiece else { return note(.subject, name, text) }
        let pair = NamedValue(name, text)
        guard !options.keepsPersonal, found.named[pair] == nil else { return }
        found.named[pair] = .subject
        found.accountIDs.insert(pair)
    }

    /// Whether a value tells where somebody is, by a name that also means other things: `lat=52.373169`.
    private static func isCoordinate(_ value: NamedText) -> Bool {
        guard ["lat", "lng", "lon", "long", "coordinates"].contains(value.name.lowercased()) else {
            return false
        }
        let parts = value.bytes.drop { $0 == 0x2d }.split(separator: 0x2e, omittingEmptySubsequences: false)
        return parts.count == 2 && (1...3).contains(parts[0].count) && parts[1].count >= 3
            && parts.allSatisfy { $0.allSatisfy(\.isASCIIDigit) }
    }

    /// Whether digits are a code that somebody was sent or shown, under a name that is also that of other secrets.
    private static func isOneTimeCode(_ bytes: [UInt8], under kind: Secret.Kind) -> Bool {
        guard let digits = GroupedCodes.digits(of: bytes) else { return false }
        return switch kind {
        case .authorizationCode, .token: digits.count == 6
        case .oneTimeCode: (4...10).contains(digits.count)
        default: false
        }
    }

    func note(_ kind: Secret.Kind, _ name: String, _ text: String) {
        if options.keepsPersonal, kind.isPersonal { return }
        // Several of them, found by their look.
        if kind == .address { return }
        // `phone: true`, `phone: sms`.
        if kind == .phone, !PhoneNumbers.isNumber(text.utf8) { return }
        // Where a program had no token it says so in its place.
        if !kind.isChosen, !kind.isPersonal, MissingToken.isOne(text) { return }
        // A cookie that is being deleted says so.
        if kind == .cookie, text == "deleted" || Self.isLanguage(text) { return }
        if found.named[NamedValue(name, text)] == nil { found.named[NamedValue(name, text)] = kind }
        if kind == .oneTimeCode, let digits = GroupedCodes.digits(of: text.utf8),
            digits.count < text.utf8.count
        {
            note(.oneTimeCode, ShownCodes.name, String(decoding: digits, as: UTF8.self))
        }
        if [.apiKey, .credentials, .oneTimeCode].contains(kind), GroupedCodes.isKey(text.utf8) {
            found.oneTimeKeys.insert(text)
        }
        if kind == .phone { found.phones.insert(text) }
        if kind == .personal, SecretRoles.namesSomebody(name) { found.people.insert(text) }
        if kind == .email, let name = PersonNames.name(inAddress: text) { found.people.insert(name) }
        if text.utf8.count >= 8 { found.relatives.insert(text) }
        switch kind {
        case .clientSecret: found.clientSecrets.insert(text)
        case .codeVerifier: found.verifiers.insert(text)
        case .nonce: found.nonces.insert(text)
        case .codeChallenge, .claim: found.derived.insert(text)
        default: break
        }
        // `openid-configuration`: what a file is called others are, too.
        guard name != SlotReader.fileName else { return }
        // An address or a document is no secret as a whole: the parts of it are.
        guard kind.isChosen || !hasParts(Array(text.utf8)) else { return }
        let count = text.utf8.count
        let isLong = count >= FragmentIndex.shortestPiece
        let isTelling =
            Drawn.looks(text.utf8)
            || kind.isPersonal && (text.utf8.contains(0x20) || PhoneNumbers.isNumber(text.utf8))
        guard isLong || count >= FragmentIndex.shortestWord && isTelling else { return }
        let known = found.values[text]
        if known == nil || known == .unexplained || known == .cookie { found.values[text] = kind }
    }

    /// Whether a text is a language tag of the usual kind (RFC 5646), as `en` or `de-CH`: pages say it of themselves under the
    /// very name of the cookie.
    private static func isLanguage(_ text: String) -> Bool {
        let bytes = Array(text.utf8)
        guard bytes.count == 2 || bytes.count == 5, bytes.prefix(2).allSatisfy({ (0x61...0x7a).contains($0) })
        else { return false }
        guard bytes.count == 5 else { return true }
        return [0x2d, 0x5f].contains(bytes[2])
            && bytes.suffix(2).allSatisfy { (0x41...0x5a).contains($0 & 0xdf) }
    }

    /// Whether a value is an address or a document, as it stands, percent-encoded or in base64.
    private func hasParts(_ bytes: [UInt8]) -> Bool {
        var bytes = bytes
        for _ in 0..<3 {
            guard TextKind.guessed(bytes[...]) == .text else { return true }
            let decoded = TextCoding.percent.decoded(bytes[...]).bytes
            guard decoded != bytes else { break }
            bytes = decoded
        }
        return Base64Text(bytes).map { TextKind.guessed($0.text[...]) != .text } ?? false
    }

    /// Marks that somebody left in the place of a secret are none.
    private func isMark(_ text: String) -> Bool {
        guard
            text.utf8.first.map({ [0x5b, 0x3c, 0x2a, 0x78, 0x58].contains($0) || text.utf8.count < 24 })
                ?? true
        else { return false }
        let lower = text.lowercased()
        return lower.utf8.allSatisfy { $0 == 0x2a }
            || lower.utf8.count > 2 && lower.utf8.allSatisfy { $0 == 0x78 }
            || ["[redacted]", "redacted", "<redacted>", "[filtered]", "[removed]", "(redacted)"].contains(
                lower
            )
    }

    private func chunk(_ name: String, _ text: String) {
        guard let mark = name.utf8.lastIndex(where: { !$0.isASCIIDigit }),
            name.utf8.index(after: mark) < name.utf8.endIndex,
            let number = Int(name[name.utf8.index(after: mark)...]), number < 32
        else { return }
        found.chunks[String(name[...mark]), default: [:]][number] = text
    }
}
