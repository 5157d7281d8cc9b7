import Captures

/// Finds what is secret or personal by its look alone, wherever it stands in a text.
struct LookScanner {
    /// Something found, by its place.
    struct Found {
        var kind: Secret.Kind
        var range: Range<Int>
    }

    /// E-mail addresses, phone numbers and IP addresses are looked for.
    var findsPersonal = true

    private static let prefixes: [[UInt8]] = [
        "ya29.", "ghp_", "gho_", "ghu_", "ghs_", "ghr_", "github_pat_", "glpat-", "xoxb-", "xoxp-", "xoxa-",
        "xoxr-", "xoxs-", "xoxd-", "xoxe-", "xapp-", "sk_live_", "sk_test_", "rk_live_", "AKIA", "ASIA",
        "AIza", "SG.", "npm_",
        "dop_v1_",
        "shpat_", "hvs.", "EAACEdEose0cBA", "Fe26.2*", "ory_at_", "ory_rt_", "ory_ac_", "GOCSPX-", "1//0",
    ].map { Array($0.utf8) }

    /// Behind this pages hand a token to Kubernetes where they open a WebSocket, which takes no header of theirs.
    private static let subprotocol = Array("base64url.bearer.authorization.k8s.io.".utf8)

    func findings(in text: [UInt8]) -> [Found] {
        var found: [Found] = []
        pem(text, &found)
        oneTimeKeys(text, &found)
        found += ShownCodes.ranges(in: text).map { Found(kind: .oneTimeCode, range: $0) }
        runs(text, &found)
        if findsPersonal {
            emails(text, &found)
            numbers(text, &found)
        }
        return found
    }

    // MARK: - Secrets

    /// Of the line before a private key (RFC 7468, section 2), of whatever kind it is.
    static let endOfKeyLabel = Array("PRIVATE KEY-----".utf8)

    private func pem(_ text: [UInt8], _ found: inout [Found]) {
        var start = 0
        let mark = Self.endOfKeyLabel
        while let begin = Bytes.index(of: mark, in: text, from: start) {
            start = begin + mark.count
            guard let end = Bytes.index(of: Array("-----END".utf8), in: text, from: start) else { return }
            if end > start, end - start < 1 << 16 {
                found.append(Found(kind: .privateKey, range: start..<end))
            }
            start = end
        }
    }

    /// Keys that one-time codes are made with: `otpauth://…?secret=…`, and base32 in groups of four characters.
    private func oneTimeKeys(_ text: [UInt8], _ found: inout [Found]) {
        var start = 0
        let scheme = Array("otpauth://".utf8)
        while let begin = Bytes.index(of: scheme, in: text, from: start) {
            start = begin + scheme.count
            let url = text[start...].prefix(Self.longestKeyURL)
                .prefix { $0 > 0x20 && ![0x22, 0x27, 0x3c].contains($0) }
            guard let name = url.firstRange(of: Array("secret=".utf8)) else {
                start = url.endIndex
                continue
            }
            let key = url[name.upperBound...].prefix { GroupedCodes.isBase32($0) }
            start = key.endIndex
            if key.count >= 8 {
                found.append(Found(kind: .credentials, range: key.startIndex..<key.endIndex))
            }
        }
        keys(in: text, &found)
    }

    /// In bytes: nobody's `otpauth:` has more.
    private static let longestKeyURL = 1 << 11

    /// Words of base32 in groups of one length, and whole ones behind what says that they are such a key.
    private func keys(in text: [UInt8], _ found: inout [Found]) {
        var index = 0
        while index < text.count {
            guard text[index].isASCIIAlphanumeric else {
                index += 1
                continue
            }
            let word = Self.word(at: index, in: text)
            var end = word.endIndex
            if word.count >= 4, word.allSatisfy(GroupedCodes.isBase32) {
                if let run = Self.groups(in: text, first: word) {
                    found.append(Found(kind: .credentials, range: run))
                    end = run.upperBound
                } else if Self.isWholeKey(word, in: text) {
                    found.append(Found(kind: .credentials, range: word.startIndex..<word.endIndex))
                }
            }
            index = end
        }
    }

    private static func word(at start: Int, in text: [UInt8]) -> ArraySlice<UInt8> {
        text[start..<(text[start...].firstIndex { !$0.isASCIIWordByte } ?? text.count)]
    }

    /// Groups of one length, four characters to eight, sixteen characters and more together, in one case and with digits among
    /// them, as words of four letters have none; the last group may be shorter.
    ///
    /// What a dash joins is a class of a page as well, in small letters.
    private static func groups(in text: [UInt8], first: ArraySlice<UInt8>) -> Range<Int>? {
        guard (4...8).contains(first.count), first.endIndex < text.count else { return nil }
        let mark = text[first.endIndex]
        guard mark == 0x20 || mark == 0x2d && !first.contains(where: { $0 > 0x60 }),
            first.startIndex == 0
                || !text[first.startIndex - 1].isASCIIWordByte && text[first.startIndex - 1] != 0x2d
        else { return nil }
        var characters = Array(first)
        // Of those so far, which are of one case.
        var letter = first.first(where: \.isASCIILetter)
        guard GroupedCodes.isOfOneCase(first) else { return nil }
        var end = first.endIndex
        while end + 1 < text.count, text[end] == mark, characters.count < GroupedCodes.longestKey {
            let next = word(at: end + 1, in: text)
            guard !next.isEmpty, next.count <= first.count, next.allSatisfy(GroupedCodes.isBase32),
                GroupedCodes.isOfOneCase(letter.map { next + [$0] } ?? next)
            else { break }
            characters += next
            letter = letter ?? next.first(where: \.isASCIILetter)
            end = next.endIndex
            if next.count < first.count { break }
        }
        guard characters.count >= GroupedCodes.shortestKey, end == text.count || text[end] != 0x2d,
            characters.contains(where: \.isASCIILetter)
        else { return nil }
        let range = first.startIndex..<end
        return characters.contains(where: \.isASCIIDigit) || isWithoutDigits(range, of: first.count, in: text)
            ? range : nil
    }

    /// Whether groups of letters are a key: what stands before them says what they are for, and one of them is no word.
    private static func isWithoutDigits(_ range: Range<Int>, of length: Int, in text: [UInt8]) -> Bool {
        let hasNoVowels = stride(from: range.lowerBound, to: range.upperBound, by: length + 1).contains {
            text[$0..<min($0 + length, range.upperBound)].allSatisfy { !Drawn.isVowel($0) }
        }
        return hasNoVowels && isForKey(before: range.lowerBound, in: text)
    }

    /// A key as a page shows it: what stands before it says what it is for.
    private static func isWholeKey(_ word: ArraySlice<UInt8>, in text: [UInt8]) -> Bool {
        guard (GroupedCodes.shortestKey...64).contains(word.count), GroupedCodes.isKey(word),
            Drawn.looks(word) || word.count(where: rareLetters.contains) >= 3
        else { return false }
        return isForKey(before: word.startIndex, in: text)
    }

    /// Of which words have few: a word that is long enough may have four consonants in a row.
    private static let rareLetters = Set("jkqvwxzJKQVWXZ".utf8)

    private static func isForKey(before place: Int, in text: [UInt8]) -> Bool {
        let before = SlotReader.string(text[..<place].suffix(256)).lowercased()
        return ofKeys.contains(where: before.containsBytes)
    }

    private static let ofKeys = [
        "authenticator", "otp", "setup key", "set-up key", "secret key", "two-factor", "two factor", "2fa",
        "mfa", "manual", "this key", "2-step",
        // German, French, Spanish, Dutch.
        "manuell", "schlüssel ein", "folgenden schlüssel", "einrichtungsschlüssel", "zwei-faktor",
        "clé de configuration", "cette clé", "esta clave", "clave de configur", "deze sleutel",
    ]

    /// Runs of the characters that tokens are made of.
    ///
    /// What stands around one and is none of it is left out (``bare(_:)``).
    private func runs(_ text: [UInt8], _ found: inout [Found]) {
        var start = 0
        for index in 0...text.count {
            if index < text.count, text[index].isUnreserved { continue }
            defer { start = index + 1 }
            guard index - start >= 20, index - start <= 1 << 16 else { continue }
            var run = text[start..<index]
            // The characters of an escape are no part of what follows it.
            if start > 0 { run = run.dropFirst(Self.lengthOfEscape(behind: text[start - 1], in: run)) }
            run = Self.withoutEnd(run)
            // `data:image/png;base64,…` is a picture.
            if start > 0, text[start - 1] == 0x2c, Bytes.hasSuffix(text[..<(start - 1)], "base64") {
                continue
            }
            // Name and password, each of which is looked at by itself.
            if Bytes.hasSuffix(text[..<start].suffix(6).map { $0 | 0x20 }[...], "basic ") { continue }
            if run.starts(with: Self.subprotocol), run.count > Self.subprotocol.count {
                let token = run.dropFirst(Self.subprotocol.count)
                found.append(Found(kind: .token, range: token.startIndex..<token.endIndex))
                continue
            }
            if Self.prefixes.contains(where: run.starts(with:)) {
                found.append(Found(kind: .token, range: run.startIndex..<run.endIndex))
                continue
            }
            if Self.isSignedValue(run) {
                found.append(Found(kind: .unexplained, range: run.startIndex..<run.endIndex))
                continue
            }
            run = Self.withoutLeadingWords(run)
            if !run.contains(0x2e), Drawn.isUnexplained(run) {
                found.append(Found(kind: .unexplained, range: run.startIndex..<run.endIndex))
            }
        }
    }

    /// Whether it is a value, a time and a signature with stops between them, as Discord's tokens are; the names of files and
    /// hosts have other lengths.
    private static func isSignedValue(_ run: ArraySlice<UInt8>) -> Bool {
        guard run.count <= 160 else { return false }
        let parts = run.split(separator: 0x2e, omittingEmptySubsequences: false)
        return parts.count == 3 && parts[0].count >= 18 && (5...8).contains(parts[1].count)
            && parts[2].count >= 27
            && Drawn.isUnexplained(parts[2]) && Drawn.looks(parts[0])
    }

    /// How many characters belong to an escape whose mark stands before them: `%2F`, `%252F`, `\u002e`, `\x2e`, `\n`.
    private static func lengthOfEscape(behind mark: UInt8, in run: ArraySlice<UInt8>) -> Int {
        switch (mark, run.first) {
        case (0x25, 0x75), (0x5c, 0x75): return 5
        case (0x5c, 0x78): return 3
        case (0x25, _):
            var length = 2
            while run.dropFirst(length - 2).starts(with: "25".utf8) { length += 2 }
            return length
        case (0x5c, _): return 1
        default: return 0
        }
    }

    /// What of a value looks like something drawn where it stands in a text: without the words before it, without stops and
    /// padding behind it.
    static func bare(_ value: String) -> String {
        let bytes = Array(value.utf8)
        let padding = bytes.suffix(2).reversed().prefix { $0 == 0x3d }.count
        return String(decoding: withoutLeadingWords(withoutEnd(bytes.dropLast(padding))), as: UTF8.self)
    }

    /// A sentence's full stop is no part of a token.
    private static func withoutEnd(_ run: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        var run = run
        while let last = run.last, last == 0x2e || last == 0x2d { run.removeLast() }
        return run
    }

    /// `state_of_app_8Xk2…`: the words in front say what it is.
    private static func withoutLeadingWords(_ run: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        var rest = run
        while let mark = rest.firstIndex(where: { $0 == 0x5f || $0 == 0x2d || $0 == 0x2e || $0 == 0x7e }),
            rest[..<mark].dropFirst().allSatisfy({ (0x61...0x7a).contains($0) })
                && rest[..<mark].allSatisfy({ $0.isASCIILetter })
                || mark - rest.startIndex >= 6
                    && rest[..<mark].allSatisfy({ $0.isASCIILetter })
        {
            rest = rest[(mark + 1)...]
        }
        return rest
    }

    // MARK: - Personal data

    private func emails(_ text: [UInt8], _ found: inout [Found]) {
        var index = text.startIndex
        while let at = text[index...].firstIndex(of: 0x40) {
            index = at + 1
            var start = at
            while start > 0, at - start < 64, Self.isLocalByte(text[start - 1]) { start -= 1 }
            var end = at + 1
            while end < text.count, end - at < 255, Self.isDomainByte(text[end]) { end += 1 }
            while end > at + 1, text[end - 1] == 0x2e || text[end - 1] == 0x2d { end -= 1 }
            let domain = text[(at + 1)..<max(at + 1, end)]
            // `[a-z]+@shop.example` is a pattern.
            guard text[start..<at].contains(where: \.isASCIIAlphanumeric),
                let dot = domain.lastIndex(of: 0x2e), dot > domain.startIndex,
                domain.endIndex - dot > 2,
                Self.isTopLevel(domain[(dot + 1)...])
            else { continue }
            found.append(Found(kind: .email, range: start..<end))
            index = end
        }
    }

    /// Whether a label may be the last one of a domain: letters, as they are or in Punycode (RFC 5890, section 2.3.2.1).
    private static func isTopLevel(_ label: ArraySlice<UInt8>) -> Bool {
        label.allSatisfy { $0.isASCIILetter || $0 >= 0x80 } || label.starts(with: "xn--".utf8)
    }

    private static func isLocalByte(_ byte: UInt8) -> Bool {
        byte.isASCIIAlphanumeric
            || [0x2e, 0x5f, 0x2d, 0x2b, 0x23].contains(byte)
    }

    private static func isDomainByte(_ byte: UInt8) -> Bool {
        byte >= 0x80 || byte.isASCIIAlphanumeric || byte == 0x2e
            || byte == 0x2d
    }

    /// Phone numbers (`+65 9123 4567`), IP addresses, and what the state or a bank gives somebody.
    private func numbers(_ text: [UInt8], _ found: inout [Found]) {
        var index = 0
        while index < text.count {
            let byte = text[index]
            let before = index > 0 ? text[index - 1] : 0x20
            if !before.isASCIIWordByte, before != 0x3a, before != 0x2d,
                let end = HardwareAddress.end(in: text, at: index)
            {
                found.append(Found(kind: .personal, range: index..<end))
                index = end
            } else if !before.isASCIIWordByte, let end = PhoneNumberText.end(in: text, at: index) {
                found.append(Found(kind: .phone, range: index..<end))
                index = end
            } else if !before.isASCIIWordByte, before != 0x2d, before != 0x2e, before < 0x80,
                let end = IdentityNumbers.end(in: text, at: index)
            {
                found.append(Found(kind: .personal, range: index..<end))
                index = end
            } else if byte == 0x31, before == 0x22, let end = GoogleAccountText.end(in: text, at: index) {
                found.append(Found(kind: .subject, range: index..<end))
                index = end
            } else if byte.isASCIIDigit, !before.isASCIIWordByte, before != 0x2e, before != 0x2d,
                let end = IPAddressText.endOfIPv4(text, index), isAddress(text, index, before)
            {
                found.append(Found(kind: .address, range: index..<end))
                index = end
            } else if byte.isHexadecimalDigit || byte == 0x3a, !before.isASCIIWordByte,
                before != 0x3a,
                let end = IPAddressText.endOfIPv6(text, index)
            {
                found.append(Found(kind: .address, range: index..<end))
                index = end
            } else {
                index += 1
            }
        }
    }

    /// Not the four parts of a version (`Chrome/119.0.0.0`) or of what an attribute is called (`urn:oid:2.5.4.42`), and nobody's
    /// own machine.
    private func isAddress(_ text: [UInt8], _ start: Int, _ before: UInt8) -> Bool {
        if before == 0x2f { return start >= 2 && text[start - 2] == 0x2f }
        if before == 0x3a, Bytes.hasSuffix(text[..<start], "oid:") {
            // `android:203.0.113.9` is one.
            return start >= 5 && text[start - 5].isASCIIWordByte
        }
        return before != 0x76 && before != 0x56
    }
}
