import Captures

/// Writes stand-ins into texts wherever a secret stands, or a piece of one, however it is encoded.
final class TextSweeper {
    /// Whom it belongs to: what stands for a secret that is made of others is swept itself.
    unowned let standIns: StandIns
    private let secrets: [String]
    private let index: FragmentIndex
    let base85: Base85Index
    /// Those that were drawn, by their letters and digits: marks stand between pieces as well.
    let drawn: [String]
    let joinedIndex: FragmentIndex
    /// Those of them that are as a whole no longer than a piece.
    let drawnWords: WordIndex
    /// People's names and addresses, and secrets that they chose, which are also written in capital letters.
    private let people: [String]
    private let peopleIndex: FragmentIndex
    /// Words of people's names, which are too short to be looked for inside of others.
    let names: PersonNames
    private let phones: PhoneNumbers
    private let codes: GroupedCodes
    /// What is replaced wherever it stands, each with its other spellings behind it.
    private let sureWords: [String]
    private let wordIndex: WordIndex
    /// Nil where times stay.
    private let times: TimeShift?
    /// Clients, issuers and redirect addresses, which may have a number in them.
    private let identifiers: [String]
    private let identifierIndex: FragmentIndex

    init(_ standIns: StandIns) {
        self.standIns = standIns
        let found = standIns.found
        secrets = standIns.tokens + found.values.keys.sorted()
        index = FragmentIndex(secrets.map { Array($0.utf8) })
        drawn = secrets.filter { Drawn.looks($0.utf8) }
        base85 = Base85Index(drawn)
        let joined = drawn.map { $0.utf8.filter(\.isASCIIAlphanumeric) }
        joinedIndex = FragmentIndex(joined)
        drawnWords = WordIndex(
            zip(drawn, joined).map { text, joined in
                let isSure = !(found.values[text]?.isWeak ?? true) && Drawn.looks(joined)
                return (isSure && joined.count < FragmentIndex.shortestPiece ? joined : [], .none)
            }
        )
        people = found.values.filter { $0.value.isPersonal || $0.value.isChosen }.keys.sorted()
        peopleIndex = FragmentIndex(people.map { $0.utf8.map(\.asciiLowercased) })
        names = found.personNames
        phones = found.phoneNumbers
        codes = found.groupedCodes
        let sure = found.sureWords
        sureWords = sure.texts
        wordIndex = WordIndex(Self.spellings(of: sure))
        times = standIns.times
        identifiers = times == nil ? [] : found.identifiers.sorted()
        identifierIndex = FragmentIndex(identifiers.map { Array($0.utf8) })
    }

    /// A text with every secret in it, and every piece of one, replaced; nil where there is none.
    func sweeping(_ text: [UInt8]) -> [UInt8]? {
        // What is whole behind an encoding would be taken for pieces without it.
        var whole = Pass(isOfWholes: true)
        let first =
            Self.codings.contains { $0.mayApply(to: text[...]) }
            ? sweeping(text, depth: 0, &whole) : nil
        var rest = Pass()
        return sweeping(first ?? text, depth: 0, &rest) ?? first
    }

    /// The same of a text that may have been met before, and may be again.
    func sweepingOnce(_ text: [UInt8]) -> [UInt8]? {
        standIns.tally.recalling(PlacedText(place: PlacedText.anywhere, name: "", bytes: text)) {
            sweeping(text)
        }
    }

    /// A way through a text and what is encoded in it.
    private struct Pass {
        /// Secrets as a whole only, and no pieces.
        var isOfWholes = false
        /// Times that were moved around the encoding that was undone.
        var moved: Set<[UInt8]> = []
        var clean = CleanDepths()
    }

    private func sweeping(_ text: [UInt8], depth: Int, _ pass: inout Pass) -> [UInt8]? {
        guard text.count >= FragmentIndex.shortestWord || !wordIndex.isEmpty || !names.isEmpty else {
            return nil
        }
        // Whether a time is moved depends on what was moved before.
        guard times == nil, let key = pass.clean.key(of: text) else {
            return sweepingAnew(text, depth: depth, &pass)
        }
        guard !pass.clean.isClean(key, at: depth) else { return nil }
        let noted = standIns.tally.noted
        let other = sweepingAnew(text, depth: depth, &pass)
        // What was counted is counted each time.
        if other == nil, standIns.tally.noted == noted { pass.clean.insert(key, at: depth) }
        return other
    }

    /// Encodings around one another.
    private static let deepest = 4

    /// Those of documents first: behind another one their escapes are characters like all, and what replaces one would be written
    /// in that other one.
    private static let codings: [TextCoding] = [.escapes, .entities, .percent, .form, .quoted, .styles]

    private func sweepingAnew(_ text: [UInt8], depth: Int, _ pass: inout Pass) -> [UInt8]? {
        var current = text
        var isChanged = false
        func take(_ other: [UInt8]?) {
            guard let other else { return }
            current = other
            isChanged = true
        }
        let matches = index.matches(in: text)
        take(replacing(pass.isOfWholes ? matches.filter(isWhole) : matches, in: text))
        if pass.isOfWholes {
            // Digits of base 85 are what begins an escape elsewhere.
            if depth < 2 { take(replacingGroups(inBase85Of: current, replacingWholes)) }
        } else {
            take(replacingWords(in: current))
            take(replacingPeople(in: current))
            take(replacingNames(in: current))
            take(replacingPhones(in: current))
            take(replacingCodes(in: current))
            if depth < 2 { take(replacingPieces(of: current)) }
            take(shifting(current, &pass.moved))
        }
        guard depth < Self.deepest else { return isChanged ? current : nil }
        for coding in Self.codings where coding.mayApply(to: current[...]) {
            let decoded = coding.decoded(current[...])
            guard decoded.bytes != current else { continue }
            take(sweeping(decoded.bytes, depth: depth + 1, &pass).map { decoded.encoding($0, as: coding) })
        }
        // Behind escapes of three kinds only more of these are looked for.
        guard depth < Self.deepest - 1 else { return isChanged ? current : nil }
        for coding in [BinaryCoding.base64, .hexadecimal] where !pass.isOfWholes {
            take(sweeping(inside: coding, of: current, depth, &pass))
        }
        if !pass.isOfWholes {
            take(replacingGroups(of: current))
            take(replacingLines(ofUUEncoded: current))
            take(replacingDigits(inBase85Of: current))
            take(replacingGroups(inBase85Of: current, replacingSecrets))
            take(replacingBytes(byNumberOf: current))
            take(replacingNumbers(inBase64Of: current))
        }
        return isChanged ? current : nil
    }

    /// What is encoded somewhere in a text.
    private func sweeping(inside coding: BinaryCoding, of text: [UInt8], _ depth: Int, _ pass: inout Pass)
        -> [UInt8]?
    {
        var output = Splicer(text)
        for run in coding == .base64 ? BinaryCoding.documents(in: text) : coding.runs(in: text)
        where times == nil || !standIns.written.isOne(around: run, in: text) {
            guard
                let other = coding.changing(
                    text[run],
                    {
                        let plain = replacing(index.matches(in: $0), in: $0)
                        let deep = nested(plain ?? $0, depth, &pass) ?? plain
                        let sure = replacingWords(in: deep ?? $0) ?? deep
                        let other = withoutPeople(sure ?? $0) ?? sure
                        return shifting(other ?? $0, &pass.moved) ?? other
                    }
                )
            else { continue }
            output.replace(run, with: other)
        }
        return output.finished()
    }

    /// Bytes that were listed or encoded somehow, without the secrets in them; nil where there are none.
    func replacingSecrets(in bytes: [UInt8]) -> [UInt8]? {
        let plain = replacing(index.matches(in: bytes), in: bytes)
        return replacingWords(in: plain ?? bytes) ?? plain
    }

    /// The same of secrets that stand there whole.
    private func replacingWholes(in bytes: [UInt8]) -> [UInt8]? {
        replacing(index.matches(in: bytes).filter(isWhole), in: bytes)
    }

    /// Numbers of people by themselves in base64, which are too short to be met among others.
    private func replacingNumbers(inBase64Of text: [UInt8]) -> [UInt8]? {
        var output = Splicer(text)
        for run in BinaryCoding.numbers(in: text) where !standIns.written.isOne(around: run, in: text) {
            let other = BinaryCoding.base64.changing(text[run], least: run.count) { number in
                replacing(index.matches(in: number), in: number) ?? replacingPhones(in: number)
            }
            if let other { output.replace(run, with: other) }
        }
        return output.finished()
    }

    /// A text with its times moved, but for what is none: a part of a stand-in, or of an identifier.
    func shifting(_ text: [UInt8]) -> [UInt8]? {
        var moved: Set<[UInt8]> = []
        return shifting(text, &moved)
    }

    private func shifting(_ text: [UInt8], _ moved: inout Set<[UInt8]>) -> [UInt8]? {
        guard let times else { return nil }
        let known = identifierIndex.matches(in: text).filter { match in
            match.range.count == identifiers[match.secret].utf8.count
        }
        return times.shifting(text, moved: &moved) { range in
            standIns.written.isOne(around: range, in: text) || known.contains { $0.range.overlaps(range) }
        }
    }

    /// A text that was in base64, without the names and numbers of people; nil where there are none, or it is no text.
    private func withoutPeople(_ bytes: [UInt8]) -> [UInt8]? {
        guard String(validating: bytes, as: UTF8.self) != nil else { return nil }
        let unnamed = replacingNames(in: bytes)
        return replacingPhones(in: unnamed ?? bytes) ?? unnamed
    }

    /// Text inside of base64 or hexadecimal may be encoded once more.
    private func nested(_ bytes: [UInt8], _ depth: Int, _ pass: inout Pass) -> [UInt8]? {
        let isEncoded =
            bytes.contains(0x25) || bytes.contains(0x5c) || !BinaryCoding.hexadecimal.runs(in: bytes).isEmpty
        guard isEncoded, let other = sweeping(bytes, depth: depth + 1, &pass), other.count == bytes.count
        else { return nil }
        return other
    }

    private func isWhole(_ match: FragmentIndex.Match) -> Bool {
        match.range.count == secrets[match.secret].utf8.count
    }

    private func replacing(_ matches: [FragmentIndex.Match], in text: [UInt8]) -> [UInt8]? {
        var output = Splicer(text)
        for match in matches {
            let piece = Array(text[match.range])
            if piece.count < secrets[match.secret].utf8.count,
                standIns.written.isOne(around: match.range, in: text) || standIns.open.isPublic(piece)
            {
                continue
            }
            let other = standIn(forPieceOf: match, piece)
            guard other != piece else { continue }
            standIns.tally.note(secrets[match.secret])
            output.replace(match.range, with: other)
        }
        return output.finished()
    }

    /// How many spellings of each sure word the index holds.
    private static let spellingCount = 5

    private static func spellings(of words: SureWords) -> [(bytes: [UInt8], boundary: WordIndex.Boundary)] {
        zip(words.texts, words.boundaries).flatMap { text, boundary in
            let bytes = Array(text.utf8)
            let isLong = bytes.count >= 4 && boundary != .segment
            return [(bytes, boundary)]
                + WordIndex.encoded(bytes).map { (isLong ? $0 : [], WordIndex.Boundary.base64) }
        }
    }

    /// What is secret wherever it stands, however short it is, as it is and by itself in base64 or hexadecimal.
    func replacingWords(in text: [UInt8]) -> [UInt8]? {
        guard !wordIndex.isEmpty else { return nil }
        var output = Splicer(text)
        for match in text.withUnsafeBufferPointer({ wordIndex.matches(in: $0) }) {
            let word = sureWords[match.word / Self.spellingCount]
            let made = Array(standIns.standIn(for: word).utf8)
            let spelling = match.word % Self.spellingCount
            let other = spelling == 0 ? made : WordIndex.encoded(made)[spelling - 1]
            guard other.count == match.range.count, !standIns.written.isOne(around: match.range, in: text)
            else {
                continue
            }
            standIns.tally.note(word: word)
            output.replace(
                match.range,
                with: spelling == 0 ? zip(text[match.range], other).map(UInt8.inCase) : other
            )
        }
        return output.finished()
    }

    /// Somebody's name or password, or a piece of it, in another case than the one in which it is known.
    private func replacingPeople(in text: [UInt8]) -> [UInt8]? {
        guard !peopleIndex.isEmpty else { return nil }
        var output = Splicer(text)
        for match in peopleIndex.matches(in: text.map(\.asciiLowercased)) {
            let person = people[match.secret]
            let known = Array(person.utf8)[match.offset..<(match.offset + match.range.count)]
            let isPiece = match.range.count < person.utf8.count
            guard !known.elementsEqual(text[match.range]),
                !isPiece || !standIns.open.isPublic(Array(text[match.range]))
            else { continue }
            let other = Array(standIns.standIn(for: person).utf8)
            guard other.count == person.utf8.count, !standIns.written.isOne(around: match.range, in: text)
            else {
                continue
            }
            let piece = zip(text[match.range], other[match.offset...]).map(UInt8.inCase)
            guard !piece.elementsEqual(text[match.range]) else { continue }
            standIns.tally.note(person)
            output.replace(match.range, with: piece)
        }
        return output.finished()
    }

    /// A word of somebody's name that stands alone.
    func replacingNames(in text: [UInt8]) -> [UInt8]? {
        var output = Splicer(text)
        for match in names.matches(in: text) {
            let word = String(decoding: match.word, as: UTF8.self)
            var other = Array(standIns.standIn(forName: word).utf8)
            if other.count != match.range.count {
                // Written with other bytes: in Latin-1, or with its marks behind the letters.
                let letters = other.filter { $0 < 0x80 }
                guard !letters.isEmpty else { continue }
                other = match.range.indices.map { letters[($0 - match.range.lowerBound) % letters.count] }
            }
            let made = zip(text[match.range], other).map(UInt8.inCase)
            guard !standIns.written.isOne(around: match.range, in: text) else { continue }
            standIns.tally.note(name: word)
            output.replace(match.range, with: made)
        }
        return output.finished()
    }

    /// A known number in another form: the last digits of the stand-in, and the zero of a national number.
    private func replacingPhones(in text: [UInt8]) -> [UInt8]? {
        var output = text
        for match in phones.matches(in: text) {
            guard let last = match.places.last,
                !standIns.written.isOne(around: match.places[0]..<(last + 1), in: text)
            else { continue }
            let digits = standIns.standIn(for: match.number).utf8.filter(\.isASCIIDigit)
            for (place, digit) in zip(match.places.reversed(), digits.reversed())
            where place != match.places[0] || text[place] != 0x30 {
                output[place] = digit
            }
            let first = match.places[0]
            // A number in JSON has no zero in front. Of the number as it is known the digit stands in the middle.
            if output[first] == 0x30, text[first] != 0x30 {
                output[first] = text[first] == 0x39 ? 0x38 : 0x39
            }
            standIns.tally.note(match.number)
        }
        return output == text ? nil : output
    }

    /// A known code, or a key of such, in other groups or in the other case: with the characters of its stand-in.
    private func replacingCodes(in text: [UInt8]) -> [UInt8]? {
        var output = text
        for match in codes.matches(in: text) {
            guard let first = match.places.first, let last = match.places.last,
                !standIns.written.isOne(around: first..<(last + 1), in: text)
            else { continue }
            let made = standIns.standIn(for: match.code).utf8.filter(\.isASCIIAlphanumeric)
            guard made.count == match.places.count else { continue }
            for (place, byte) in zip(match.places, made) { output[place] = UInt8.inCase(text[place], byte) }
            standIns.tally.note(word: match.code)
        }
        return output == text ? nil : output
    }

    private func standIn(forPieceOf match: FragmentIndex.Match, _ piece: [UInt8]) -> [UInt8] {
        let secret = secrets[match.secret]
        let whole = Array(standIns.standIn(for: secret).utf8)
        if match.offset == 0, piece.count == secret.utf8.count { return whole }
        guard whole.count == secret.utf8.count else { return standIns.cipher(piece) }
        return Array(whole[match.offset..<(match.offset + piece.count)])
    }
}
