import Captures
import OAuth

/// What a value is: by the name under which it stands, and by its look where the name does not say it.
extension SecretFinder {
    /// What a value is by its name, and by its look where the name does not say it.
    func judge(_ value: NamedText, _ text: String) {
        switch roles.role(of: value.name, in: value.container) {
        // It has no line ends (RFC 6749, appendix A.11): this is the text of a program, or of its errors.
        case .secret(.authorizationCode) where text.utf8.contains(0x0a),
            .drawn(.authorizationCode) where text.utf8.contains(0x0a):
            judgeByLook(value, text)
        // That of a pushed request is absolute (RFC 9101, section 5.2); servers call so what they were asked for (CGI's `REQUEST_URI`).
        case .secret(.requestURI) where Self.isPath(value.bytes): judgeByLook(value, text)
        case .secret(let kind) where Self.saysWhether(value, text, of: kind): break
        case .secret(let kind): note(kind, value.name, text)
        case .drawn(let kind):
            if Drawn.looks(value.bytes) || Self.isDump(value.bytes)
                || SecretRoles.saysSecret(value.name) && Self.isChosen(value.bytes)
                || SecretRoles.isSetting(value.name) && Self.isSet(value)
            {
                note(kind, value.name, text)
            } else if Self.isOneTimeCode(value.bytes, under: kind) {
                // What a text message brings is also called so.
                note(.oneTimeCode, value.name, text)
            }
        case .open where TraceNames.contain(SecretRoles.normalized(value.name)): trace(value, text)
        case .open where SecretRoles.isOfNoKey(value.name, value.bytes): judgeByLook(value, text)
        case .open: open(value.name, text)
        case .parts: break
        case .unknown: judgeByLook(value, text)
        }
    }

    /// Whether a value is a path of the server's own, in quotation marks perhaps.
    private static func isPath(_ value: [UInt8]) -> Bool {
        value.first { $0 != 0x27 && $0 != 0x22 } == 0x2f
    }

    /// Whether a document says whether there is a password, a code or a name, and not which.
    private static func saysWhether(_ value: NamedText, _ text: String, of kind: Secret.Kind) -> Bool {
        (kind.isChosen || kind.isPersonal) && (value.container == .json || value.container == .claims)
            && FieldFaults.saysWhether(text)
    }

    /// Takes what a request is called in logs, as it looks in the middle of a text, and its parts
    /// (`00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01`).
    private func trace(_ value: NamedText, _ text: String) {
        guard value.bytes.count <= Self.longestTrace else { return judgeByLook(value, text) }
        found.traces.insert(text)
        let parts = value.bytes.split { $0 == 0x2d }.filter { $0.count >= Self.shortestTrace }
        found.traces.formUnion(parts.map(SlotReader.string))
        for finding in look.findings(in: value.bytes) where finding.kind == .unexplained {
            found.traces.insert(SlotReader.string(value.bytes[finding.range]))
        }
    }

    /// In bytes.
    private static let longestTrace = 256
    private static let shortestTrace = 16

    private func open(_ name: String, _ text: String) {
        guard !tellsAddress(text) else { return }
        found.open.insert(text)
        // Of a computer its owner may not be known.
        let isSomebodys = OriginOwners.isOrigin(name) && !OriginOwners.names(in: text).isEmpty
        guard !SecretRoles.isFreeText(name, text), !isSomebodys else { return }
        found.vocabulary.insert(text)
        if SecretRoles.isPublic(name) { found.wellKnown.insert(text) }
        if SecretRoles.isIdentifier(name) { found.namedIdentifiers.insert(text) }
        if SecretRoles.normalized(name) == "scope" {
            found.namedIdentifiers.formUnion(text.spaceDelimited)
        }
    }

    /// Whether somebody's address for mail stands among other words, as in what a log has behind `TID:` of WSO2.
    private func tellsAddress(_ text: String) -> Bool {
        guard look.findsPersonal, text.utf8.contains(0x40), text.utf8.contains(0x20) else { return false }
        return look.findings(in: Array(text.utf8)).contains { $0.kind == .email }
    }

    private func judgeByLook(_ value: NamedText, _ text: String) {
        // Segments of a path name things, and are met in the middle of addresses.
        if value.name == SlotReader.pathSegment, PathSlots.isPartOfPage(value.bytes[...]) { return }
        let decoded = TextCoding.percent.decoded(value.bytes[...])
        if Drawn.isUnexplained(decoded.bytes), TextKind.guessed(value.bytes[...]) == .text,
            !Self.isEncodedMore(decoded)
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

    /// Whether a value was percent-encoded twice, or letter by letter: its pieces are those of everything else that was, and it is
    /// met decoded.
    private static func isEncodedMore(_ decoded: DecodedText) -> Bool {
        decoded.isEscaped(decoded.bytes.indices)
            || TextCoding.percent.mayApply(to: decoded.bytes[...])
                && TextCoding.percent.decoded(decoded.bytes[...]).bytes != decoded.bytes
    }

    /// What a number in JSON is.
    func number(_ value: NamedText, _ text: String) {
        switch roles.role(of: value.name, in: value.container) {
        // Whether somebody belongs to the tenant, as Entra ID's tokens say it (`"acct": 0`).
        case .secret where SecretRoles.normalized(value.name) == "acct": return
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

    /// Whether a value tells where somebody is, by a name that also means other things: `lat=52.373169`,
    /// `ll=52.373169,4.890660`.
    private static func isCoordinate(_ value: NamedText) -> Bool {
        let name = SecretRoles.normalized(value.name)
        if ["lat", "lng", "lon", "long", "coordinates", "geolat", "geolng", "geolon", "geolong"].contains(
            name
        ) {
            return isDegrees(value.bytes[...])
        }
        guard value.bytes.count <= longestPosition,
            ["geo", "gps", "latl", "location", "coord", "position"].contains(where: name.containsBytes)
                || ["ll", "loc", "near"].contains(name)
        else { return false }
        let parts = value.bytes.split { [0x2c, 0x3b, 0x20].contains($0) }
        return parts.count == 2 && parts.allSatisfy(isDegrees)
    }

    /// In bytes.
    private static let longestPosition = 64

    /// A number of degrees, exact enough to find somebody by.
    private static func isDegrees(_ number: ArraySlice<UInt8>) -> Bool {
        let parts = number.drop { $0 == 0x2d }.split(separator: 0x2e, omittingEmptySubsequences: false)
        return parts.count == 2 && (1...3).contains(parts[0].count) && parts[1].count >= 3
            && parts.allSatisfy { $0.allSatisfy(\.isASCIIDigit) }
    }

    /// Whether it is a token as programs for iOS print its bytes: `<740f4707 bebcf74f …>`.
    private static func isDump(_ bytes: [UInt8]) -> Bool {
        guard bytes.first == 0x3c, bytes.last == 0x3e else { return false }
        let groups = bytes.dropFirst().dropLast().split(separator: 0x20)
        return groups.count >= 4 && groups.allSatisfy { $0.count == 8 && $0.allSatisfy(\.isHexadecimalDigit) }
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

    /// Whether a text may be a secret that somebody chose: one word with letters and digits, and no address.
    private static func isChosen(_ bytes: [UInt8]) -> Bool {
        (8...64).contains(bytes.count) && bytes.allSatisfy { $0 > 0x20 }
            && bytes.contains(where: \.isASCIIDigit) && bytes.contains(where: \.isASCIILetter)
            && TextKind.guessed(bytes[...]) == .text
    }

    /// Whether a setting has a value: a word or two, that are no variable and do not only say its name once more, as
    /// `CLIENT_SECRET: "client_secret"` of a program does.
    private static func isSet(_ value: NamedText) -> Bool {
        let bytes = value.bytes
        guard (6...128).contains(bytes.count), let first = bytes.first,
            ![0x24, 0x2a, 0x3c, 0x7b].contains(first),
            bytes.count(where: { $0 <= 0x20 }) <= 1, TextKind.guessed(bytes[...]) == .text
        else { return false }
        let said = SecretRoles.normalized(value.text)
        return !SecretRoles.normalized(value.name).hasSuffix(said) && !SecretRoles.isWord(value.text)
    }

    // MARK: - Accounts

    /// Takes note of the account that a document about somebody tells under names that mean other things elsewhere: GitHub's
    /// `login` and `id`, the `resourceName` of Google's People API.
    func readAccount(_ value: NamedText, _ text: String) {
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
    static func isAccount(_ text: some Collection<UInt8>) -> Bool {
        text.allSatisfy { $0.isASCIIAlphanumeric || [0x2d, 0x2e, 0x5f].contains($0) }
            && !SureWords.isCommon(String(decoding: text, as: UTF8.self))
            && !AccountNames.isWord(String(decoding: text, as: UTF8.self))
    }

    /// Takes the number of an account: a short one may be a day, a size or a version elsewhere.
    func noteID(_ name: String, _ text: String) {
        guard text.utf8.count < FragmentIndex.shortestPiece else { return note(.subject, name, text) }
        let pair = NamedValue(name, text)
        guard !options.keepsPersonal, found.named[pair] == nil else { return }
        found.named[pair] = .subject
        found.accountIDs.insert(pair)
    }
}
