import Captures

/// Words of people's names, which stand alone in greetings, titles and paths: `Welcome, Alice`.
struct PersonNames {
    /// As they are written, by their lower case: somebody is Alice, and her account alice.
    private var words: [[UInt8]: [[UInt8]]] = [:]
    /// Those with letters beyond ASCII, in lower case, also where they are composed otherwise.
    private var folded: [String: [UInt8]] = [:]
    private var beginnings = [Bool](repeating: false, count: 256)
    /// Those of Asian scripts, which stand among other words without a space.
    private var unspaced = UnspacedNames()

    /// Takes the words of names apart.
    ///
    /// `values`: whole names and names of accounts.
    /// `isTaken`: words, in lower case, that mean something else as well.
    init(_ values: [String], isTaken: (String) -> Bool) {
        for value in values where value.utf8.count <= 200 && !value.utf8.contains(0x40) {
            for word in value.utf8.split(whereSeparator: { !Self.isWordByte($0) }) {
                let known = Array(word)
                guard Self.isLetter(known[0]) else { continue }
                let lower = known.map(\.asciiLowercased)
                let isName = known != lower || known.contains { $0 >= 0x80 }
                guard known.count >= (isName ? 2 : 4) else { continue }
                let text = String(decoding: lower, as: UTF8.self)
                guard !Self.commonWords.contains(text), !Self.wordsOfDevices.contains(text), !isTaken(text)
                else { continue }
                take(lower, known)
                unspaced.insert(known)
                guard known.contains(where: { $0 >= 0x80 }) else { continue }
                let own = String(decoding: known, as: UTF8.self)
                folded[own.lowercased()] = known
                let plain = Array(Self.withoutUmlauts(own).utf8)
                if plain != known { take(plain.map(\.asciiLowercased), plain) }
            }
        }
    }

    private mutating func take(_ lower: [UInt8], _ known: [UInt8]) {
        guard !words[lower, default: []].contains(known) else { return }
        words[lower, default: []].append(known)
        beginnings[Int(lower[0])] = true
        beginnings[Int(lower[0] & 0xdf)] = true
    }

    /// `Koenig` of `König`, as some write who may not write otherwise.
    private static func withoutUmlauts(_ name: String) -> String {
        name.reduce(into: "") { plain, letter in
            switch letter {
            case "ä": plain += "ae"
            case "ö": plain += "oe"
            case "ü": plain += "ue"
            case "Ä": plain += "Ae"
            case "Ö": plain += "Oe"
            case "Ü": plain += "Ue"
            case "ß": plain += "ss"
            default: plain.append(letter)
            }
        }
    }

    /// The name that a word is, whatever its case and however its letters are composed; in Latin-1, too.
    ///
    /// Of several spellings the one that the word has.
    private func known(_ word: ArraySlice<UInt8>) -> [UInt8]? {
        if beginnings[Int(word[word.startIndex])], let spellings = words[word.map(\.asciiLowercased)] {
            return spellings.first { word.elementsEqual($0) } ?? spellings.first
        }
        guard !folded.isEmpty, word.count <= 128, word.contains(where: { $0 >= 0x80 }) else { return nil }
        let text =
            String(validating: word, as: UTF8.self)
            ?? word.reduce(into: "") { $0.unicodeScalars.append(Unicode.Scalar($1)) }
        return folded[text.lowercased()]
    }

    /// Names of accounts that are made of somebody's whole name: `aexample`, `a.example`, `alice.example` of Alice Example.
    static func accounts(of name: String) -> [String] {
        let words = name.lowercased().split(separator: " ")
        guard let first = words.first, let last = words.last, (2...4).contains(words.count),
            [first, last].allSatisfy({ word in
                (3...32).contains(word.utf8.count) && word.utf8.allSatisfy(isLetter)
                    && !isCommon(String(word))
            })
        else { return [] }
        let initial = first.prefix(1)
        return ["", ".", "_", "-"].flatMap { ["\(first)\($0)\(last)", "\(initial)\($0)\(last)"] }
            + ["\(last)\(initial)", "\(last).\(first)", "\(last)\(first)", "\(first)\(last.prefix(1))"]
    }

    /// The name that somebody's e-mail address is made of: `alice.example@mail.example` is Alice Example's; nil for others.
    static func name(inAddress address: String) -> String? {
        guard let end = address.utf8.firstIndex(of: 0x40) else { return nil }
        let parts = address[..<end].split(separator: ".", omittingEmptySubsequences: false)
        guard (2...3).contains(parts.count),
            parts.allSatisfy({ $0.utf8.count >= 3 && $0.utf8.allSatisfy(isLetter) && !isCommon(String($0)) })
        else { return nil }
        return parts.map { $0.prefix(1).uppercased() + $0.dropFirst().lowercased() }.joined(separator: " ")
    }

    var isEmpty: Bool { words.isEmpty }

    /// Those that are known in small letters, as accounts are called, and long enough to be looked for by other means as well.
    var accounts: [String] {
        words.filter { lower, known in
            lower.count >= Self.shortestBehindMark && known.contains(lower) && lower.allSatisfy { $0 < 0x80 }
        }.keys.map { String(decoding: $0, as: UTF8.self) }.sorted()
    }

    /// Whole words of a text that are a part of somebody's name, each with the name as it is known.
    ///
    /// In the case in which it is known, with a capital in front, or in capitals. A word in small letters is somebody's only
    /// where that is how it is known, where it is long, or beside another; one of two letters only beside another. What an
    /// underscore joins is somebody's where both sides of it are.
    func matches(in text: [UInt8]) -> [(range: Range<Int>, word: [UInt8])] {
        guard !isEmpty else { return [] }
        var found: [(range: Range<Int>, word: [UInt8], isClear: Bool)] = []
        /// Whether a word has an underscore beside it.
        var isJoined: [Bool] = []
        var index = 0
        while index < text.count {
            guard Self.isWordByte(text[index]) else {
                index += 1
                continue
            }
            if let mark = Self.endOfMark(at: index, in: text) {
                index = mark
                continue
            }
            let start = index
            index = Self.endOfWord(from: start, in: text)
            // Most words are nobody's name by their first letter.
            guard beginnings[Int(text[start])] || !folded.isEmpty else { continue }
            guard let known = known(text[start..<index]), isFree(start..<index, in: text) else {
                for match in unspaced.matches(in: text, start..<index) {
                    found.append((match.range, match.name, true))
                    isJoined.append(false)
                }
                continue
            }
            found.append((start..<index, known, isClear(text[start..<index], known)))
            isJoined.append(
                start > 0 && text[start - 1] == 0x5f || index < text.count && text[index] == 0x5f
            )
        }
        found = found.enumerated().filter { place, match in
            guard isJoined[place] else { return true }
            return [place - 1, place + 1].contains { other in
                guard found.indices.contains(other) else { return false }
                let gap = [match.range, found[other].range].sorted { $0.lowerBound < $1.lowerBound }
                return gap[0].upperBound + 1 == gap[1].lowerBound && text[gap[0].upperBound] == 0x5f
            }
        }.map(\.element)
        return found.enumerated().filter { place, match in
            guard !match.isClear else { return true }
            let follows = place > 0 && found[place - 1].range.upperBound + 1 == match.range.lowerBound
            return follows
                || place + 1 < found.count && found[place + 1].range.lowerBound == match.range.upperBound + 1
        }.map { ($0.element.range, $0.element.word) }
    }

    /// Whether a word is somebody's name by itself.
    private func isClear(_ written: ArraySlice<UInt8>, _ known: [UInt8]) -> Bool {
        guard written.count >= Self.shortest else { return false }
        let isSmall = (0x61...0x7a).contains(written[written.startIndex])
        return !isSmall || written.elementsEqual(known) || written.count >= FragmentIndex.shortestPiece
    }

    /// Shorter words are met by chance.
    private static let shortest = 3

    private static func isLetter(_ byte: UInt8) -> Bool {
        byte.isASCIILetter || byte >= 0x80
    }

    /// Where a mark of UTF-8 ends that is no letter: quotation marks and apostrophes, dashes, spaces of all widths, the comma and
    /// other marks of Arabic.
    private static func endOfMark(at index: Int, in text: [UInt8]) -> Int? {
        guard index + 1 < text.count, text[index] >= 0xc2 else { return nil }
        if text[index] == 0xd8, [0x8c, 0x9b, 0x9f].contains(text[index + 1]) { return index + 2 }
        if text[index] == 0xc2 {
            let isOrdinal = text[index + 1] == 0xaa || text[index + 1] == 0xba || text[index + 1] == 0xb5
            return (0x80...0xbf).contains(text[index + 1]) && !isOrdinal ? index + 2 : nil
        }
        guard text[index] == 0xe2, index + 2 < text.count, text[index + 1] == 0x80 || text[index + 1] == 0x81
        else { return nil }
        return index + 3
    }

    /// Whether a letter of an Asian script or a sign stands there, which is no part of a word in Latin letters: `aliceさん`.
    private static func isFar(at index: Int, in text: [UInt8]) -> Bool {
        guard text[index] >= 0xe2, index + 2 < text.count else { return false }
        // In Latin-1 it is a letter by itself.
        return text[index + 1] & 0xc0 == 0x80 && text[index + 2] & 0xc0 == 0x80
    }

    private static func isWordByte(_ byte: UInt8) -> Bool { isLetter(byte) || byte.isASCIIDigit }

    /// Where a word ends: before a mark, and between letters of one sort and the other.
    private static func endOfWord(from start: Int, in text: [UInt8]) -> Int {
        text.withUnsafeBufferPointer { bytes in
            let isFar = isFar(at: start, in: text)
            var index = start
            while index < bytes.count {
                let byte = bytes[index]
                if byte < 0x80 {
                    guard !isFar, isWordByte(byte) else { break }
                } else if byte >= 0xc0 {
                    if endOfMark(at: index, in: text) != nil { break }
                    if self.isFar(at: index, in: text) != isFar { break }
                }
                index += 1
            }
            return index
        }
    }

    /// Whether what stands beside a word is no part of it: an escape, the rest of a token.
    private func isFree(_ range: Range<Int>, in text: [UInt8]) -> Bool {
        let before = range.lowerBound > 0 ? text[range.lowerBound - 1] : 0x20
        let after = range.upperBound < text.count ? text[range.upperBound] : 0x20
        let isShort = range.count < Self.shortestBehindMark
        if isShort, Self.mayBeEscaped(range.lowerBound, in: text) { return false }
        if after == 0x5c, range.upperBound + 1 < text.count,
            [0x75, 0x78].contains(text[range.upperBound + 1])
        {
            return false
        }
        if before == 0x2b || after == 0x2b { return false }
        // A sign of per cent, or of a pattern (`LIKE '%alice%'`), is no escape.
        return !(before == 0x25 && Self.isEscape(text[range]))
            && !(after == 0x25 && Self.isEscape(text[(range.upperBound + 1)...]))
    }

    /// Whether what stands behind a `%` is encoded by it.
    private static func isEscape(_ rest: ArraySlice<UInt8>) -> Bool {
        if rest.first.map({ $0 | 0x20 }) == 0x75 { return true }
        return rest.count > 1 && rest.prefix(2).allSatisfy { $0.hexadecimalValue != nil }
    }

    /// Whether a letter may be one of an escape, of which a long word is none: `\nora`, but not `CORP\alice`, `CORP\\nora`.
    private static func mayBeEscaped(_ place: Int, in text: [UInt8]) -> Bool {
        let isOdd = text[..<place].reversed().prefix { $0 == 0x5c }.count % 2 == 1
        return isOdd && "bfnrtuvx".utf8.contains(text[place])
    }

    private static let shortestBehindMark = 6

    /// Whether a name is a word that pages and protocols use.
    static func isCommon(_ name: String) -> Bool { commonWords.contains(name.lowercased()) }

    /// Whether a text names a way to sign in, as lists of them and of scopes call it under `display_name`: `OpenID Connect`,
    /// `Open ID`, `Acme SSO`.
    static func isWayToSignIn(_ text: String) -> Bool {
        let words = text.split { $0 == " " || $0 == "-" || $0 == "/" }
        return words.contains { waysToSignIn.contains(String($0)) }
            || zip(words, words.dropFirst()).contains { $0 == "Open" && $1 == "ID" }
    }

    /// As they are written; in small letters somebody may be called so.
    private static let waysToSignIn: Set<String> = [
        "OpenID", "OIDC", "OAuth", "OAuth2", "SAML", "SAML2", "SSO", "LDAP",
    ]

    /// Names of accounts that are nobody's, and names that pages use as words.
    private static let commonWords: Set<String> = [
        "admin", "administrator", "root", "user", "users", "test", "tester", "testuser", "demo", "guest",
        "info", "name",
        "login", "account", "system", "default", "unknown", "none", "null", "true", "false", "anonymous",
        "public",
        "service", "client", "code", "grant", "mark", "will", "may", "bill", "page", "case", "field", "key",
        "price", "day", "value", "type", "input", "hidden", "method", "content", "cookie", "secure", "flow",
        "keys",
        "long", "young", "small", "best", "good", "rich", "frank", "bearer", "basic", "digest", "host",
        "date", "state",
        "nonce", "scope", "token", "openid", "profile", "email", "phone", "address", "and", "the", "for",
        "you", "your",
        "customer", "support", "contact", "sales", "team", "help", "office", "mail", "hello", "security",
        "reply", "noreply",
        "news", "billing", "first", "last", "mobile", "web", "app", "van", "von", "der", "den", "del", "bin",
        "june", "april", "august", "english", "french", "german",
    ]

    /// What devices and programs are called: one word of `Ada's iPhone` is the name of its owner.
    ///
    /// An account may be called so all the same.
    private static let wordsOfDevices: Set<String> = [
        "android", "chrome", "chromebook", "desktop", "edge", "firefox", "galaxy", "huawei", "imac", "ipad",
        "iphone", "ipod", "laptop", "linux",
        "macbook", "macos", "notebook", "opera", "pixel", "safari", "samsung", "tablet", "windows", "xiaomi",
    ]
}
