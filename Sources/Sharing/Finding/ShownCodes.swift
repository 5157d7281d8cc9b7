import Captures

/// Codes that a page, a message or a file shows somebody: what is sent to prove who one is, and what is kept for when that
/// is lost.
enum ShownCodes {
    /// Under which they are known: nothing else says what they are.
    static let name = "(shown code)"

    static func ranges(in text: [UInt8]) -> [Range<Int>] {
        (SentCodes.ranges(in: text) + LabelledCodes.ranges(in: text) + kept(text)).sorted {
            $0.lowerBound < $1.lowerBound
        }
    }

    /// The places of `code` or `Code` by its last letters; of other words with such an end, too.
    static func words(_ end: String, in text: [UInt8]) -> [Range<Int>] {
        let word = Array(end.utf8)
        var places: [Range<Int>] = []
        var start = 0
        while let place = Bytes.index(of: word, in: text, from: start) {
            start = place + word.count
            places.append(place..<start)
        }
        return places
    }

    /// A code as it was found, without what stands between its halves.
    static func plain(_ code: String) -> String {
        let digits = code.utf8.filter(\.isASCIIDigit)
        guard code.utf8.contains(0x3c) || code.utf8.allSatisfy({ !$0.isASCIILetter }),
            (6...8).contains(digits.count),
            code.utf8.first?.isASCIIDigit == true
        else { return code }
        return String(decoding: digits, as: UTF8.self)
    }

    // MARK: - Kept

    /// What stands behind a word for codes of recovery: at least two of the same form, each by itself, or right behind it one of
    /// several words.
    private static func kept(_ text: [UInt8]) -> [Range<Int>] {
        let told = tellers.places(in: text)
        guard !told.isEmpty else { return [] }
        // Most texts have no letter that the words of most languages have.
        let others = text.contains { $0 >= 0x80 } ? foreignKinds : []
        let marks = (kinds + others).flatMap { words($0, in: text) }.sorted { $0.lowerBound < $1.lowerBound }
        var found: [Range<Int>] = []
        var end = 0
        for mark in marks where mark.lowerBound >= end {
            // Most codes and keys are of something else.
            let near = told.partitionPoint { $0 > mark.lowerBound - longestBefore }
            guard near < told.count, told[near] <= mark.upperBound + 1 + longestBehind else { continue }
            let isPlural = text[mark.upperBound...].first.map { $0 | 0x20 == 0x73 } ?? false
            let start = isPlural ? mark.upperBound + 1 : mark.upperBound
            // `backup verification code`
            let before = lowercased(text[..<mark.lowerBound].suffix(longestBefore))
            let behind = lowercased(text[start...].prefix(longestBehind))
            let isNamedBehind = purposes.contains(where: behind.hasPrefix)
            // `恢复密码`: a password.
            guard isNamedBehind || reserves.contains(where: before.containsBytes) && !before.hasSuffix("密")
            else { continue }
            // The name of a message or of a form, of which pages have lists.
            if start < text.count, text[start].isASCIIWordByte || text[start] == 0x2d { continue }
            end = min(text.count, start + longestList)
            let words = isNamedBehind ? behindWords(from: start, in: text) : start
            let first = text[words...].drop { $0 == 0x20 || $0 == 0x3a }.startIndex
            found += codes(in: pieces(of: text, first..<max(first, end)), of: text)
        }
        return found
    }

    /// How words for a code or a key end.
    private static let kinds = [
        "ode", "ODE", "ey", "koder", "odici",
        // Polish, Finnish, Turkish, Romanian.
        "Kody", " kody", "oodit", "oodisi", "odlar", "oduri",
    ]
    private static let foreignKinds = [
        "ódigos", "lüssel",
        // Polish, Czech and Slovak, Hungarian.
        " kodów", "Kódy", " kódy", "kódok", "kódjai",
        // Russian, Ukrainian, Greek; Japanese, Chinese, Korean.
        "оды", "оди", "ОДЫ", "ОДИ", "ωδικοί", "コード", "码", "碼", "코드",
    ]
    /// What such a code is for, before the word.
    private static let reserves = [
        "recovery", "backup", "back-up", "rescue", "scratch", "emergency",
        // German, Dutch, Swedish, Danish, Norwegian.
        "derherstellungs", "notfall", "sicherungsc", "ersatzc", "herstelc", "återställnings",
        "gendannelses", "gjenopprettings",
        // Polish, Czech and Slovak, Finnish, Turkish, Hungarian.
        "zapasow", "záložn", "obnovovac", "varak", "palautusk", "varmistusk", "yedek", "kurtarma", "tartalék",
        "helyreállít",
        // Russian, Ukrainian, Greek.
        "резервн", "запасн", "аварийн", "εφεδρικ",
        // Japanese, Chinese, Korean.
        "バックアップ", "リカバリ", "回復", "復旧", "復元", "备份", "備份", "备用", "備用", "恢复", "恢復", "復原",
        "백업", "복구",
    ]
    /// The same behind it, in French, Spanish, Italian and Portuguese; in Romanian, Polish, Czech and Slovak, Russian, Ukrainian and
    /// Greek.
    private static let purposes = [
        " de récup", " de secours", " de sauvegarde", " de recuper", " de respaldo", " de backup",
        " di backup", " di recupero", " di ripristino", " di emergenza",
        " de rezerv", " zapas", " odzysk", " awaryj", " pro obnov", " na obnov", " восст", " для восс",
        " відно", " для відн", " ανάκ",
    ]
    /// The same once more, of which two may be written with an accent by itself.
    private static let tellers = WordEndings(reserves + purposes + ["re\u{301}cup", "να\u{301}κ"])
    /// In bytes, of what is looked at on either side of the word.
    private static let longestBefore = 26
    private static let longestBehind = 20
    /// In bytes: how far behind the word they are looked for.
    private static let longestList = 1 << 12

    /// Where the words end that say what codes are for: letters alone, with a space between two words.
    private static func behindWords(from start: Int, in text: [UInt8]) -> Int {
        var end = start
        while end < text.count, text[end] == 0x20 {
            let word = text[(end + 1)...].prefix { $0.isASCIILetter || $0 >= 0x80 }
            let isWhole = word.endIndex == text.count || !text[word.endIndex].isASCIIWordByte
            guard !word.isEmpty, isWhole, text[word.endIndex...].first != 0x2d else { return end }
            end = word.endIndex
        }
        return end
    }

    /// The texts between tags, quotation marks, commas, line breaks and columns, without the space around them.
    private static func pieces(of text: [UInt8], _ range: Range<Int>) -> [Range<Int>] {
        var pieces: [Range<Int>] = []
        var start = range.lowerBound
        var isInTag = false
        func take(_ end: Int) {
            // `\n` of a script, of which the text is not yet unescaped.
            if start > 0, start < end, text[start - 1] == 0x5c, [0x6e, 0x72, 0x74].contains(text[start]) {
                start += 1
            }
            guard let first = text[start..<end].firstIndex(where: { $0 > 0x20 }),
                let last = text[first..<end].lastIndex(where: { $0 > 0x20 })
            else { return }
            pieces += columns(of: behindOrdinal(first..<(last + 1), in: text), in: text)
        }
        for index in range {
            let byte = text[index]
            if isInTag {
                if byte == 0x3e { (isInTag, start) = (false, index + 1) }
            } else if separators.contains(byte) || byte == 0x20 && text[..<index].last == 0x20 {
                take(index)
                start = index + 1
                isInTag = byte == 0x3c
            }
        }
        if !isInTag { take(range.upperBound) }
        return pieces
    }

    private static let separators: Set<UInt8> = [
        0x09, 0x0a, 0x0d, 0x22, 0x27, 0x2c, 0x3c, 0x5b, 0x5c, 0x5d, 0x7c,
    ]

    /// Codes with a space between two of them; none of a number that a list gives what stands in the next column.
    private static func columns(of piece: Range<Int>, in text: [UInt8]) -> [Range<Int>] {
        let number = text[piece].prefix(3).prefix(while: \.isASCIIDigit)
        if (1...2).contains(number.count),
            text[number.endIndex..<piece.upperBound].allSatisfy({ [0x29, 0x2e, 0x3a].contains($0) })
        {
            return []
        }
        let parts = text[piece].split(separator: 0x20)
        let areCodes =
            parts.count > 1
            && parts.allSatisfy { $0.contains(where: \.isASCIIDigit) && form(of: $0) != nil }
        return areCodes ? parts.map { $0.startIndex..<$0.endIndex } : [piece]
    }

    /// Without the number that a list gives a piece: `1. 4821 7730`, with a space that does not break as well.
    private static func behindOrdinal(_ piece: Range<Int>, in text: [UInt8]) -> Range<Int> {
        let number = text[piece].prefix(3).prefix(while: \.isASCIIDigit)
        guard (1...2).contains(number.count), let mark = text[number.endIndex..<piece.upperBound].first,
            [0x29, 0x2e, 0x3a].contains(mark)
        else { return piece }
        var start = number.endIndex + 1
        while let space = spaces.first(where: { text[start..<piece.upperBound].starts(with: $0) }) {
            start += space.count
        }
        return start > number.endIndex + 1 && start < piece.upperBound ? start..<piece.upperBound : piece
    }

    private static let spaces: [[UInt8]] = [[0x20], [0xc2, 0xa0], Array("&nbsp;".utf8)]

    private static func codes(in pieces: [Range<Int>], of text: [UInt8]) -> [Range<Int>] {
        var found: [Range<Int>] = []
        var run: [Range<Int>] = []
        var form: [Int]?
        func take(endingAt place: Int) {
            let isOfWords = run.count == 1 && (form?.count ?? 0) > 2 && place <= 2
            guard isOfWords || run.count > 1 && run.filter({ isDrawn(text[$0]) }).count * 2 >= run.count
            else {
                return
            }
            found += run
        }
        for (place, piece) in pieces.enumerated() {
            let own = self.form(of: text[piece])
            if own == nil || own != form {
                take(endingAt: place)
                run = []
                form = own
            }
            if own != nil { run.append(piece) }
        }
        take(endingAt: pieces.count)
        return found
    }

    /// Digits, four consonants in a row, or capitals among small letters: no word.
    private static func isDrawn(_ piece: ArraySlice<UInt8>) -> Bool {
        piece.contains(where: \.isASCIIDigit) || isOfMixedCase(piece) && hasCapitalsInRow(piece)
            || Drawn.hasConsonantsInRow(piece)
    }

    /// `yQNvdQOJxV`, as ForgeRock AM draws them; names of several words change case less often.
    private static func isOfMixedCase(_ piece: ArraySlice<UInt8>) -> Bool {
        piece.allSatisfy(\.isASCIILetter) && Drawn.caseChanges(of: piece) * 10 > piece.count * 3
    }

    /// As names of several words (`getUserName`) have none.
    private static func hasCapitalsInRow(_ piece: ArraySlice<UInt8>) -> Bool {
        zip(piece, piece.dropFirst()).contains { $0 < 0x5b && $1 < 0x5b }
    }

    /// The lengths of the groups that a code is made of; nil for what is none.
    private static func form(of piece: ArraySlice<UInt8>) -> [Int]? {
        guard (8...64).contains(piece.count) else { return nil }
        let groups = piece.split(omittingEmptySubsequences: false) { $0 == 0x2d || $0 == 0x20 }
        guard groups.allSatisfy({ !$0.isEmpty && $0.allSatisfy(\.isASCIIAlphanumeric) }) else { return nil }
        let letters = piece.filter { $0 >= 0x41 }
        let isOfOneCase = letters.allSatisfy { $0 < 0x5b } || letters.allSatisfy { $0 > 0x60 }
        let hasDigits = piece.contains(where: \.isASCIIDigit)
        // Words of a sentence are of several lengths, and headings begin with a capital.
        guard hasDigits || isOfOneCase || isOfMixedCase(piece),
            !piece.contains(0x20) || hasDigits && groups.allSatisfy({ $0.count == groups[0].count })
        else { return nil }
        // A day, a time in seconds.
        let lengths = groups.map(\.count)
        let isNumber = letters.isEmpty && (lengths == [4, 2, 2] || lengths.count == 1 && piece.count >= 10)
        return isNumber ? nil : lengths
    }

    static func lowercased(_ text: ArraySlice<UInt8>) -> String {
        SlotReader.string(text).lowercased()
    }
}
