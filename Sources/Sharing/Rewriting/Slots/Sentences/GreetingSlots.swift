import Captures

/// The name of who is greeted, said to be signed in, or has a page: `Signed in as Ada Lovelace`, `Welcome back, Ada!`,
/// `User Ada Lovelace (al7)`, `Ada Lovelace's profile`, `Ada's iPhone`.
///
/// What may as well be words of the page is left out.
enum GreetingSlots {
    /// `coding`: what the text is written in.
    static func slots(in text: ArraySlice<UInt8>, coding: TextCoding? = nil) -> [Slot] {
        guard text.count <= longest, text.contains(0x20) else { return [] }
        let lower = text.map(\.asciiLowercased)
        let greeted = beginnings.mayStand(in: lower) ? phrases : []
        return greeted.flatMap { phrase in
            Bytes.places(behind: phrase.words, in: lower).flatMap {
                slots(behind: text[(text.startIndex + $0)...], phrase, coding)
            }
        } + owners(in: text, lower, coding) + DeviceOwners.slots(in: text, lower, coding)
    }

    /// How many words what stands in the tag behind a text has at least to be a name: those of a greeting that the text ends
    /// with; nil for other texts.
    static func leastWords(behind text: ArraySlice<UInt8>) -> Int? {
        let lower = SlotReader.string(text.suffix(64)).lowercased()
        return phrases.lazy.filter { phrase in
            let words = SlotReader.string(phrase.words.dropLast())
            // `User <b>Pool Client</b>` is a heading.
            return words != "user" && (lower == words || lower.hasSuffix(" " + words))
        }.map(\.leastWords).min()
    }

    /// The account that a text is as a whole behind an at sign, as pictures of people have it: `alt="@al7"`; nil for others.
    static func handle(in text: ArraySlice<UInt8>, coding: TextCoding) -> Slot? {
        guard text.first == 0x40, (3...longestName).contains(text.count),
            text.dropFirst().allSatisfy({ $0.isASCIIAlphanumeric || [0x2d, 0x2e, 0x5f].contains($0) }),
            !SureWords.isCommon(SlotReader.string(text.dropFirst()))
        else { return nil }
        return slot("username", text.dropFirst(), coding)
    }

    /// The name that a text is as a whole, as pictures of people have it: `alt="Ada Lovelace"`; nil for others.
    static func name(in text: ArraySlice<UInt8>, coding: TextCoding) -> Slot? {
        guard text.count <= longestName,
            let slot = slots(behind: text, Phrase(words: [], leastWords: 2), coding).first,
            slot.range == text.indices
        else { return nil }
        let words = SlotReader.string(text).lowercased().split(separator: " ")
        return words.contains { ofPictures.contains(String($0)) } ? nil : slot
    }

    private static let ofPictures: Set<String> = [
        "avatar", "bild", "default", "icon", "image", "logo", "photo", "picture", "profile", "profilbild",
        "user",
    ]

    /// Whose something is, `Ada Lovelace's avatar`; a single word may be a product's.
    ///
    /// `lower`: the text in small letters.
    private static func owners(in text: ArraySlice<UInt8>, _ lower: [UInt8], _ coding: TextCoding?) -> [Slot]
    {
        owned.flatMap { words in
            Bytes.places(behind: words, in: lower).compactMap { end in
                let before = lower[..<(end - words.count)]
                return possessive.first { before.suffix($0.count).elementsEqual($0) }
                    .flatMap { owner(before: text.startIndex + before.count - $0.count, in: text, coding) }
            }
        }
    }

    /// The name, of two to four words, that ends at a place.
    private static func owner(before end: Int, in text: ArraySlice<UInt8>, _ coding: TextCoding?) -> Slot? {
        let run = text[..<end].suffix(longestName)
        let words = run.split(separator: 0x20, omittingEmptySubsequences: false).suffix(4)
        for first in words.indices.dropLast() {
            let name = text[words[first].startIndex..<end]
            if let slot = self.name(in: name, coding: coding ?? .entities) { return slot }
        }
        return nil
    }

    /// An apostrophe as it stands, in UTF-8 and in a page.
    private static let possessive = ["'", "\u{2019}", "&#39;", "&#x27;", "&apos;", "&rsquo;"].map {
        Array($0.utf8)
    }
    private static let owned = ["s avatar", "s profile", "s picture", "s photo", "s account"].map {
        Array($0.utf8)
    }

    private struct Phrase {
        var words: [UInt8]
        /// A single word behind it may be none of a name.
        var leastWords: Int
    }

    private static let longest = 1 << 14

    private static let phrases = [
        ("signed in as ", 1), ("logged in as ", 1), ("angemeldet als ", 1), ("welcome back, ", 1),
        ("continue as ", 1), ("weiter als ", 1), ("continuer en tant que ", 1), ("continuar como ", 1),
        ("avatar of ", 2), ("photo of ", 2), ("profile of ", 2), ("account of ", 2),
        ("profile picture of ", 2), ("account settings for ", 2), ("account menu for ", 1),
        ("welcome, ", 2), ("google account: ", 2),
        ("hello ", 2), ("hello, ", 2), ("hi ", 2), ("hi, ", 2), ("dear ", 2), ("user ", 2),
        // German, French, Spanish, Italian, Portuguese, Dutch, Swedish and Danish.
        ("hallo ", 2), ("guten tag ", 2), ("sehr geehrte ", 2), ("sehr geehrter ", 2),
        ("willkommen, ", 2), ("willkommen zurück, ", 1),
        ("bonjour ", 2), ("bienvenue, ", 2), ("connecté en tant que ", 1),
        ("hola ", 2), ("bienvenido, ", 2), ("sesión iniciada como ", 1),
        ("ciao ", 2), ("olá ", 2), ("ingelogd als ", 1), ("hej ", 2), ("inloggad som ", 1),
        ("logget ind som ", 1),
    ].map { Phrase(words: Array($0.0.utf8), leastWords: $0.1) }
    private static let beginnings = WordBeginnings(phrases.map { SlotReader.string($0.words) })

    private static func slots(behind text: ArraySlice<UInt8>, _ phrase: Phrase, _ coding: TextCoding?)
        -> [Slot]
    {
        var words: [ArraySlice<UInt8>] = []
        let whole = text.drop { $0 == 0x20 }.prefix(longestName)
        var rest = withoutTitles(whole)
        let isTitled = rest.startIndex > whole.startIndex
        while words.count < 4 {
            let word = rest.prefix { $0.isASCIILetter || $0 >= 0x80 || $0 == 0x2d || $0 == 0x27 }
            guard word.count > 1,
                (0x41...0x5a).contains(word[word.startIndex]) || word[word.startIndex] >= 0x80
            else { break }
            words.append(word)
            rest = rest[word.endIndex...]
            guard rest.first == 0x20 else { break }
            rest = rest.dropFirst()
        }
        // `Hi Ada,` greets somebody; behind `user` it is a word of a list.
        let isGreeted =
            words.count == 1 && (rest.first == 0x2c || rest.first == 0x21)
            && greetings.contains(SlotReader.string(phrase.words))
        let single = words.count == 1 ? SlotReader.string(words[0]).lowercased() : ""
        if anybody.contains(single) || titles.contains(single) { return [] }
        if !isTitled, isOfLetters(phrase), goesOn(rest) { return [] }
        guard let first = words.first, let last = words.last,
            words.count >= phrase.leastWords || isGreeted || isTitled,
            !words.contains(where: { SureWords.isCommon(SlotReader.string($0)) })
        else { return phrase.leastWords == 1 ? account(text, coding) : [] }
        return [slot("display_name", text[first.startIndex..<last.endIndex], coding)]
            + inBrackets(rest, coding)
    }

    /// Whether a phrase opens a letter in German, in which all nouns have capitals: without a title, a name is what
    /// ends the line.
    private static func isOfLetters(_ phrase: Phrase) -> Bool {
        phrase.words.starts(with: "sehr geehrte".utf8)
    }

    /// Whether a sentence goes on behind a name, and it is not one of two.
    private static func goesOn(_ rest: ArraySlice<UInt8>) -> Bool {
        rest.first.map(\.isASCIILetter) ?? false && !rest.starts(with: "und ".utf8)
    }

    /// `Ms. Lovelace`, `Frau Dr. Lovelace`: what stands before a surname, with a capital behind it.
    private static func withoutTitles(_ text: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        var rest = text
        while true {
            let word = rest.prefix { $0.isASCIILetter || $0 >= 0x80 }
            guard titles.contains(SlotReader.string(word).lowercased()) else { return rest }
            let behind = rest[word.endIndex...]
            let next = behind.first == 0x2e ? behind.dropFirst() : behind
            guard next.first == 0x20, let capital = next.dropFirst().first,
                (0x41...0x5a).contains(capital) || capital >= 0x80
            else { return rest }
            rest = next.dropFirst()
        }
    }

    private static let titles = Set(
        WordTable.words(
            """
            mr mrs ms miss mx dr prof professor herr frau herrn monsieur madame mme mlle señor señora sr sra signor signora
            sig senhor senhora meneer mevrouw
            """
        )
    )

    private static let longestName = 80
    private static let greetings: Set<String> = [
        "hi ", "hi, ", "hello ", "hello, ", "dear ", "hallo ", "bonjour ", "hola ", "ciao ", "hej ",
    ]
    /// Words for whoever reads it.
    private static let anybody: Set<String> = [
        "admin", "again", "all", "applicant", "client", "colleague", "colleagues", "customer", "customers",
        "developer", "developers", "everybody", "everyone", "folks", "friend", "friends", "guest", "guests",
        "madam", "member", "members", "parent", "partner", "reader", "sir", "sirs", "stranger", "student",
        "subscriber", "team", "there", "traveler", "traveller", "user", "users", "visitor", "world",
        "besucher", "gast", "kunde", "kundin", "leute", "nutzer", "welt", "zusammen",
        "invité", "madame", "monde", "monsieur", "tous", "visiteur",
        "amigo", "amigos", "cliente", "convidado", "convidada", "invitado", "invitada", "mondo", "mundo",
        "ospite", "todos", "tutti", "usuario", "alla", "gäst", "gæst", "gjest", "verden", "världen",
    ]

    /// `signed in as al.7`: a word that no sentence has.
    private static func account(_ text: ArraySlice<UInt8>, _ coding: TextCoding?) -> [Slot] {
        let word = text.prefix(64).prefix { $0.isASCIIAlphanumeric || [0x2d, 0x2e, 0x5f].contains($0) }
        let name = word.last == 0x2e ? word.dropLast() : word
        guard name.count >= 4, name.contains(where: { !$0.isASCIILetter }),
            name.contains(where: \.isASCIILetter)
        else { return [] }
        return [slot("username", name, coding)]
    }

    /// The account behind the name: `Ada Lovelace (al7)`.
    private static func inBrackets(_ text: ArraySlice<UInt8>, _ coding: TextCoding?) -> [Slot] {
        guard text.first == 0x28, let close = text.firstIndex(of: 0x29) else { return [] }
        let word = text[(text.startIndex + 1)..<close]
        guard word.count >= 3, word.allSatisfy({ $0.isASCIIAlphanumeric || [0x2d, 0x2e, 0x5f].contains($0) })
        else { return [] }
        return [slot("username", word, coding)]
    }

    private static func slot(_ name: String, _ value: ArraySlice<UInt8>, _ coding: TextCoding?) -> Slot {
        Slot(name: name, range: value.startIndex..<value.endIndex, coding: coding, kind: .text)
    }
}
