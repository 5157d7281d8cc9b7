import Captures

/// What programs print of a map, an object or a record, in whatever language they are written, where a name says that it is
/// somebody's or a client's secret: `[given_name] => Ada`, `{'given_name': 'Ada'}`, `User { FamilyName = Quill }`,
/// `Key (username)=(bolund)`.
///
/// Of passwords ``PairSlots`` knows more; here are those of letters alone. Of a `name` ``PrintedPeople`` says whose it is.
enum PrintedSlots {
    static func slots(in text: ArraySlice<UInt8>) -> [Slot] {
        guard text.contains(where: { $0 == 0x3d || $0 == 0x3a || $0 == 0x3b }) else { return [] }
        var slots: [Slot] = []
        var index = text.startIndex
        while let start = text[index...].firstIndex(where: isOfName) {
            let word = text[start...].prefix(while: isOfName)
            index = word.endIndex
            guard (2...longestName).contains(word.count), let value = value(of: word, in: text) else {
                continue
            }
            // Spring's `[Principal=ada, Credentials=[PROTECTED], …]`.
            let name =
                word.elementsEqual("Principal".utf8)
                ? "username" : PrintedPeople.name(of: word, in: text) ?? SlotReader.string(word)
            guard isTelling(name) || isPassword(value, of: name, text[word.endIndex..<value.startIndex]),
                isMeant(value, of: name)
            else { continue }
            slots.append(Slot(name: name, range: value.startIndex..<value.endIndex))
            index = value.endIndex
        }
        return slots
    }

    /// In bytes, of a name.
    private static let longestName = 40
    /// In bytes, of a value: no more is looked at behind a name.
    private static let longestValue = 128
    /// In bytes, before a name, in which the bracket stands that it is behind.
    private static let longestGap = 256

    // MARK: - Names and values

    private static func isTelling(_ name: String) -> Bool {
        guard case .secret(let kind) = SecretRoles.role(of: name, in: .text) else { return false }
        return kind.isPersonal || kind == .clientSecret
    }

    /// Whether a value of letters alone is a password, which stands there as no sentence has it: `{'password': 'kestrel'}`.
    ///
    /// `gap`: between the name and the value.
    private static func isPassword(
        _ value: ArraySlice<UInt8>,
        of name: String,
        _ gap: ArraySlice<UInt8>
    ) -> Bool {
        guard value.count >= 4, value.allSatisfy(\.isASCIILetter), !gap.elementsEqual("=".utf8),
            case .secret(.password) = SecretRoles.role(of: name, in: .text)
        else { return false }
        let own = SlotReader.string(value)
        return !SecretRoles.saysPassword(own) && !FieldFaults.saysWhether(own.lowercased())
    }

    /// Whether a value is one, and no variable, no rule for it, no text of a page and no word for what it is.
    static func isMeant(_ value: ArraySlice<UInt8>, of name: String) -> Bool {
        guard value.count >= 2, let first = value.first, !noBeginnings.contains(first),
            !value.contains(where: noPart.contains), !value.starts(with: "urn:".utf8)
        else { return false }
        let own = SlotReader.string(value)
        let said = SecretRoles.normalized(own)
        return !PairSlots.nothing.contains(own.lowercased()) && !SureWords.isCommon(own)
            && !SecretRoles.isWord(own) && !types.contains(own.lowercased()) && !said.isEmpty
            && !SecretRoles.normalized(name).hasSuffix(said)
    }

    /// What begins a variable, something to fill in, a mark for a value.
    private static let noBeginnings = Set("$%<{[*:?&(".utf8)
    /// What rules, templates and pages have in them.
    private static let noPart = Set("|{}<>\n".utf8)
    /// What values are, as programs say it where a value might stand.
    private static let types: Set<String> = [
        "str", "int", "integer", "date", "datetime", "array", "list", "dict", "map", "asc", "desc", "email",
        "unique", "url", "uuid", "nil", "anonymoususer", "essential", "bytes", "securestring", "secretstr",
        "secretbytes",
    ]

    // MARK: - Ways to print

    private static func value(of word: ArraySlice<UInt8>, in text: ArraySlice<UInt8>) -> ArraySlice<UInt8>? {
        let before = word.startIndex > text.startIndex ? text[word.startIndex - 1] : 0x0a
        let rest = text[word.endIndex...]
        switch before {
        case 0x5b where rest.starts(with: "] => ".utf8): return line(rest.dropFirst(5))
        case 0x28 where rest.starts(with: ")=(".utf8): return closed(rest.dropFirst(3), by: [0x29])
        case 0x22 where rest.first == before, 0x27 where rest.first == before:
            let opening = text[..<(word.startIndex - 1)].last
            let isPair = rest.dropFirst().first == 0x2c
            return isPair && opening != 0x5b ? nil : given(toQuoted: rest.dropFirst(), before)
        case 0x3a where rest.starts(with: "=>".utf8): return quoted(rest.dropFirst(2))
        default: return given(to: word, behind: before, in: text)
        }
    }

    /// `['given_name'] => …`, `"given_name"=>"…"`, `'given_name': '…'`, `s:10:"given_name";s:3:"…"`.
    ///
    /// JSON, in which a colon is behind a double quotation mark, is read as such.
    private static func given(toQuoted rest: ArraySlice<UInt8>, _ mark: UInt8) -> ArraySlice<UInt8>? {
        if rest.starts(with: ";s:".utf8) {
            let length = rest.dropFirst(3).prefix(4).prefix(while: \.isASCIIDigit)
            return rest[length.endIndex...].first == 0x3a ? quoted(rest[(length.endIndex + 1)...]) : nil
        }
        let gap = (rest.first == 0x5d ? rest.dropFirst() : rest).drop(while: \.isBlank)
        if gap.starts(with: "=>".utf8) { return quoted(behindType(gap.dropFirst(2))) }
        if rest.first == 0x2c { return second(rest.dropFirst()) }
        return mark == 0x27 && gap.first == 0x3a ? quoted(gap.dropFirst()) : nil
    }

    /// `["given_name", "Ada"]`: the second of two in square brackets, as Rails tells what a statement was given.
    private static func second(_ text: ArraySlice<UInt8>) -> ArraySlice<UInt8>? {
        guard let value = quoted(text), text[value.endIndex...].dropFirst().first == 0x5d else { return nil }
        return value
    }

    /// Without the type that PHP prints in the line below: `string(3) "…"`.
    private static func behindType(_ text: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        let type = text.prefix(longestName).drop { $0.isBlank || $0 == 0x0a || $0 == 0x0d }
        guard type.starts(with: "string(".utf8) else { return text }
        let count = type.dropFirst(7).prefix(while: \.isASCIIDigit)
        return text[count.endIndex...].first == 0x29 ? text[(count.endIndex + 1)...] : text
    }

    /// `given_name=…`, `GivenName = …`, `given_name: …` of Go, between brackets or as a word of its own.
    private static func given(
        to word: ArraySlice<UInt8>,
        behind before: UInt8,
        in text: ArraySlice<UInt8>
    ) -> ArraySlice<UInt8>? {
        let rest = text[word.endIndex...]
        let gap = rest.prefix(2).drop { $0 == 0x20 }
        let isSpaced = gap.startIndex > rest.startIndex
        guard let mark = gap.first else { return nil }
        let behind = text[(gap.startIndex + 1)...]
        if mark == 0x3a {
            // `User(id: 3, given_name: "Ada")`
            let opening = text[..<word.startIndex].suffix(2).last { $0 != 0x20 }
            if !isSpaced, opening == 0x28 || opening == 0x2c, let value = quoted(behind) { return value }
            return isSpaced || !isInMap(word.startIndex, in: text) ? nil : member(behind)
        }
        guard mark == 0x3d, let next = behind.first, ![0x3d, 0x3e, 0x7e].contains(next) else { return nil }
        if let value = quoted(behind) { return value }
        let opening = text[..<word.startIndex].suffix(2).last { $0 != 0x20 }
        let isListed = opening.map { openers.contains($0) } ?? false
        if isListed, let value = closed(behind.drop(while: { $0 == 0x20 }), by: enders) {
            // A call, and a pair of its own.
            return value.contains(0x28) || value.contains(0x3d) ? nil : value
        }
        guard !isSpaced, before.isBlank || before == 0x0a else { return nil }
        return pair(behind)
    }

    /// `{ given_name: 'Ada', … }` of JavaScript, `{given_name: Ada, …}` of YAML, `{GivenName:Ada …}` of Go; without a capital in front
    /// it may be a variable where a space is before it.
    private static func member(_ text: ArraySlice<UInt8>) -> ArraySlice<UInt8>? {
        if let value = quoted(text) { return value }
        guard text.first == 0x20 else { return closed(text, by: [0x20, 0x5d, 0x7d]) }
        let value = closed(text.dropFirst(), by: [0x0a, 0x2c, 0x7d])
        return value?.first.map { (0x41...0x5a).contains($0) || $0 >= 0x80 } ?? false ? value : nil
    }

    /// Of a line of a log, up to a space; parameters of an address have other marks behind them.
    private static func pair(_ text: ArraySlice<UInt8>) -> ArraySlice<UInt8>? {
        let value = text.prefix(longestValue).prefix { $0 > 0x20 && $0 != 0x2c && $0 != 0x3b }
        guard value.count < longestValue, !value.contains(where: { [0x26, 0x28, 0x3d].contains($0) }),
            let last = value.last
        else { return nil }
        let isEnd = last == 0x2e && text[value.endIndex...].first.map { $0 <= 0x20 } ?? true
        return isEnd ? value.dropLast() : value
    }

    /// Whether the last bracket before a place opens what Go prints: `map[…]`, `{…}`.
    private static func isInMap(_ place: Int, in text: ArraySlice<UInt8>) -> Bool {
        let before = text[..<place].suffix(longestGap)
        guard let open = before.lastIndex(where: { [0x5b, 0x5d, 0x7b, 0x7d].contains($0) }) else {
            return false
        }
        guard let last = before.last, last == 0x20 || open == before.index(before: before.endIndex) else {
            return false
        }
        return before[open] == 0x7b || before[open] == 0x5b && Bytes.hasSuffix(before[..<open], "map")
    }

    // MARK: - Ends

    private static func line(_ text: ArraySlice<UInt8>) -> ArraySlice<UInt8>? {
        let value = text.prefix(longestValue).prefix { $0 != 0x0a && $0 != 0x0d && $0 != 0x00 }
        // In a log's line the ends of lines are blanks.
        let next = [" [", " )"].compactMap { value.firstRange(of: Array($0.utf8))?.lowerBound }.min()
        if let next { return value[..<next] }
        return value.count < longestValue ? value : nil
    }

    /// Up to one of some bytes, which has to stand there.
    private static func closed(_ text: ArraySlice<UInt8>, by ends: Set<UInt8>) -> ArraySlice<UInt8>? {
        guard let end = text.prefix(longestValue).firstIndex(where: { ends.contains($0) }) else { return nil }
        let value = text[..<end]
        return value.lastIndex { $0 != 0x20 }.map { value[...$0] }
    }

    /// Between quotation marks, behind blanks and line breaks.
    private static func quoted(_ text: ArraySlice<UInt8>) -> ArraySlice<UInt8>? {
        let blank = text.prefix(longestName).drop { $0.isBlank || $0 == 0x0a || $0 == 0x0d }
        let open = PairSlots.insideOption(blank) ?? blank
        guard let mark = open.first, mark == 0x22 || mark == 0x27 || mark == 0x60 else { return nil }
        let inner = text[(open.startIndex + 1)...].prefix(longestValue)
        let value = mark == 0x27 ? BindingSlots.beforeApostrophe(inner) : inner.prefix { $0 != mark }
        return value.endIndex < inner.endIndex && value.last != 0x5c ? value : nil
    }

    private static let openers: Set<UInt8> = [0x28, 0x2c, 0x5b, 0x7b]
    private static let enders: Set<UInt8> = [0x29, 0x2c, 0x5d, 0x7d]

    private static func isOfName(_ byte: UInt8) -> Bool { byte.isASCIIWordByte || byte == 0x2d }
}
