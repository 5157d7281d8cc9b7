import Captures

/// The words in which servers say what is wrong with a field.
///
/// Some say once more what was sent (`bolund is already taken`): where a word stands that may be it, the text is none of these.
enum FaultWords {
    /// Whether the words of a sentence say what is wrong, and none of them may be what was sent.
    static func sayFault(_ words: [ArraySlice<UInt8>]) -> Bool {
        guard words.contains(where: isSmall), !words.contains(where: hasDigits) else { return false }
        let plain = words.map(plain)
        guard plain.contains(where: faults.contains), let first = plain.first,
            opening.contains(first) || isField(first)
        else { return false }
        return plain.indices.dropFirst().allSatisfy { place in
            let word = plain[place]
            if known.contains(word) || isField(word) { return true }
            // `username bolund`, `is taken: bolund`, `The name Ada Quill`, `'bolund'`.
            if isField(plain[place - 1]) { return false }
            let isPointedAt = pointing.contains(plain[place - 1])
            return !isPointedAt && !isSetApart(words[place], behind: words[place - 1]) || isOfSigns(word)
        }
    }

    /// Whether a text is of such words alone, with marks between them: `required|min:8`, `TOO_SHORT`, `passwordTooWeak`.
    static func areRule(_ text: ArraySlice<UInt8>) -> Bool {
        guard (4...64).contains(text.count),
            text.allSatisfy({ $0.isASCIIWordByte || [0x2c, 0x2d, 0x2e, 0x3a, 0x7c].contains($0) })
        else { return false }
        let words = words(of: text)
        // Somebody may be called `Blank`.
        if words.count == 1, !single.contains(words[0]) { return false }
        return words.contains(where: faults.contains)
            && words.allSatisfy { known.contains($0) || isField($0) || isSmallNumber($0) }
    }

    // MARK: - Words

    /// The words of a rule in small letters; those of `tooShort` begin with capitals.
    private static func words(of text: ArraySlice<UInt8>) -> [String] {
        var words: [String] = []
        var word: [UInt8] = []
        var last: UInt8 = 0
        for byte in text + [0x7c] {
            let isLetter = byte.isASCIIAlphanumeric
            let begins = (0x61...0x7a).contains(last) && (0x41...0x5a).contains(byte)
            if !isLetter || begins, !word.isEmpty {
                words.append(String(decoding: word, as: UTF8.self))
                word = []
            }
            if isLetter { word.append(byte.asciiLowercased) }
            last = byte
        }
        return words
    }

    /// In small letters, without the marks around it.
    private static func plain(_ word: ArraySlice<UInt8>) -> String {
        let begun = word.drop { !isOfWord($0) }
        let end = begun.lastIndex(where: isOfWord).map { $0 + 1 } ?? begun.startIndex
        return SlotReader.string(begun[..<end]).lowercased()
    }

    private static func isOfWord(_ byte: UInt8) -> Bool { byte.isASCIIAlphanumeric || byte >= 0x80 }

    /// Of small letters, as every sentence has one; names have a capital in front.
    private static func isSmall(_ word: ArraySlice<UInt8>) -> Bool {
        let letters = word.prefix { (0x61...0x7a).contains($0) }
        return letters.count >= 2 && letters.count + 1 >= word.count
    }

    /// With a capital or in quotation marks, in brackets or behind a colon.
    private static func isSetApart(_ word: ArraySlice<UInt8>, behind last: ArraySlice<UInt8>) -> Bool {
        guard let mark = word.first, let letter = word.first(where: isOfWord) else { return false }
        return (0x41...0x5a).contains(letter) || letter >= 0x80
            || [0x22, 0x27, 0x28, 0x5b, 0x5c, 0x60].contains(mark) || last.last == 0x3a || last.last == 0x3d
    }

    /// `bolund77`, a number that is longer than any length, an address.
    private static func hasDigits(_ word: ArraySlice<UInt8>) -> Bool {
        let digits = word.count(where: \.isASCIIDigit)
        return digits > 3 || digits > 0 && word.contains(where: \.isASCIILetter) || word.contains(0x40)
    }

    /// `8`, `'A'-'Z'`.
    private static func isOfSigns(_ word: String) -> Bool {
        word.utf8.split { !$0.isASCIIAlphanumeric && $0 < 0x80 }.allSatisfy { $0.count == 1 }
    }

    private static func isSmallNumber(_ word: String) -> Bool {
        (1...3).contains(word.utf8.count) && word.utf8.allSatisfy(\.isASCIIDigit)
    }

    /// Whether a word is what a field is called, behind which what is in it may stand.
    private static func isField(_ word: String) -> Bool {
        fields.contains(word) || SecretRoles.isWord(word)
    }

    private static let fields: Set<String> = [
        "account", "called", "code", "confirmation", "field", "handle", "identifier", "login", "name",
        "named",
        "number", "passwords", "user", "value",
        "benutzername", "feld", "konto", "kennwort", "passwort", "wert",
    ]

    /// What it is called, or is about, stands behind one of these.
    private static let pointing: Set<String> = ["as", "by", "for", "like", "of", "with"]

    /// A sentence without one of these says nothing of a fault.
    private static let faults = table(
        """
        already blank can't can’t cannot common duplicate empty exist exists expired failed incorrect invalid least
        long longer match mismatch missing must needs not required short should shorter taken too valid weak
        wrong
        bereits darf erforderlich falsch leer mindestens muss nicht zu
        doit invalide obligatoire requis trop
        debe demasiado obligatorio
        """
    )

    /// What a sentence begins with.
    private static let opening = table(
        """
        a already an another at both can't can’t cannot choose did do does doesn't doesn’t either ensure enter has have invalid
        incorrect is it maximum may minimum missing must needs no not only our please required should size
        some sorry that the there this too try unknown use was were wrong you your
        bitte darf das der die diese dieser dieses es ihr ihre ist kein keine mindestens muss zu
        ce cette doit est la le les ne trop veuillez votre
        debe demasiado el es esta este la no su
        """
    )

    /// What stands in a rule, behind the name of a field, or with a capital.
    private static let known = faults.union(opening).union(
        table(
            """
            address addresses allowed alpha and are attribute be been before between by characters confirmed contain
            contains dash email error fields for format formatted found greater if in integer length less
            letter letters lower lowercase matches max message min minlength maxlength more nullable num numeric of
            off on one or pattern present provided regex same size sometimes special string strong symbol
            symbols than to unavailable unique upper uppercase used uses when will with would
            buchstaben eingabe ein eine einen enthalten lang kurz oder sein stimmt und vergeben wird wurde
            zeichen ziffer ziffern
            contenir et être ou que
            contener ser tener y ya
            """
        )
    )

    /// What is wrong with a field in a word.
    private static let single: Set<String> = [
        "duplicate", "empty", "exists", "incorrect", "invalid", "mismatch", "missing", "required", "taken",
    ]

    private static func table(_ words: String) -> Set<String> {
        Set(WordTable.words(words))
    }
}
