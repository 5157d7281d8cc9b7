import Captures
import OAuth

/// Takes what was judged to be secret: under its name, and wherever it stands if it can be told from other texts.
extension SecretFinder {
    func note(_ kind: Secret.Kind, _ name: String, _ text: String) {
        guard !isNothing(text, kind, of: name) else { return }
        if found.named[NamedValue(name, text)] == nil { found.named[NamedValue(name, text)] = kind }
        if kind == .oneTimeCode, let digits = GroupedCodes.digits(of: text.utf8),
            digits.count < text.utf8.count
        {
            note(.oneTimeCode, ShownCodes.name, String(decoding: digits, as: UTF8.self))
        }
        noteForm(of: text, kind, name)
        // `openid-configuration`: what a file is called others are, too. An address or a document is no secret as a whole: the
        // parts of it are.
        guard name != SlotReader.fileName, kind.isChosen || !hasParts(Array(text.utf8)),
            Self.isToldApart(text, kind)
        else { return }
        let known = found.values[text]
        if known == nil || known == .unexplained || known == .cookie { found.values[text] = kind }
    }

    /// Whether what stands there says that there is no secret, or is none that is wanted.
    private func isNothing(_ text: String, _ kind: Secret.Kind, of name: String) -> Bool {
        if options.keepsPersonal, kind.isPersonal { return true }
        // Several of them, found by their look.
        if kind == .address { return true }
        if kind == .personal, SecretRoles.isShownName(name), PersonNames.isWayToSignIn(text) { return true }
        // `phone: true`, `phone: sms`.
        if kind == .phone, !PhoneNumbers.isNumber(text.utf8) { return true }
        // Where a program had no token it says so in its place.
        if !kind.isChosen, !kind.isPersonal, Self.saysNone(text) { return true }
        // A cookie that is being deleted says so.
        return kind == .cookie && (text == "deleted" || Self.isLanguage(text))
    }

    /// `none`, `(none)`.
    private static func saysNone(_ text: String) -> Bool {
        let isInBrackets = text.hasPrefix("(") && text.hasSuffix(")")
        return MissingToken.isOne(text)
            || isInBrackets && MissingToken.isOne(String(text.dropFirst().dropLast()))
    }

    /// Takes what is also written in other forms, or made into others.
    private func noteForm(of text: String, _ kind: Secret.Kind, _ name: String) {
        if [.apiKey, .credentials, .oneTimeCode].contains(kind), GroupedCodes.isKey(text.utf8) {
            found.oneTimeKeys.insert(text)
        }
        if kind == .personal, SecretRoles.namesSomebody(name) { found.people.insert(text) }
        // `"dn": "id=ada,ou=user,…"`: the account is found by itself, too.
        if kind == .personal, text.utf8.contains(0x3d), let account = DirectoryNameSlots.account(in: text) {
            found.people.insert(account)
        }
        if kind == .email, let name = PersonNames.name(inAddress: text) { found.people.insert(name) }
        if text.utf8.count >= 8 { found.relatives.insert(text) }
        switch kind {
        case .phone:
            // The number is also met without its extension.
            guard let count = PhoneNumbers.lengthBeforeExtension(in: text.utf8) else {
                found.phones.insert(text)
                break
            }
            note(.phone, name, String(decoding: text.utf8.prefix(count), as: UTF8.self))
        case .clientSecret: found.clientSecrets.insert(text)
        case .codeVerifier: found.verifiers.insert(text)
        case .nonce: found.nonces.insert(text)
        case .codeChallenge, .claim: found.derived.insert(text)
        default: break
        }
    }

    /// Whether a text can be looked for in others: it is long, or looks like nothing else.
    private static func isToldApart(_ text: String, _ kind: Secret.Kind) -> Bool {
        let count = text.utf8.count
        let isTelling =
            Drawn.looks(text.utf8)
            || kind.isPersonal && (text.utf8.contains(0x20) || PhoneNumbers.isNumber(text.utf8))
        return count >= FragmentIndex.shortestPiece || count >= FragmentIndex.shortestWord && isTelling
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
}
