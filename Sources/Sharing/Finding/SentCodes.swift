import Captures

/// Codes that somebody was sent, six digits to eight: `Your verification code is 482913`, `Your OTP is 482913`,
/// `Ihr Bestätigungscode lautet: 482913`, `482913 is your login code`, `Use 482913 to sign in`.
enum SentCodes {
    /// In no order.
    static func ranges(in text: [UInt8]) -> [Range<Int>] {
        // Most texts have no letter that the words of most languages have.
        let others = text.contains { $0 >= 0x80 } ? foreignWords : []
        return (words + others).flatMap { word in
            ShownCodes.words(word.end, in: text).flatMap { codes(at: $0, word, in: text) }
        } + used(in: text) + bound(in: text)
    }

    /// A word for such a code, or how it ends.
    private struct Word {
        var end: String
        /// Nothing but such a code is called so: what stands before it says no more.
        var isSure = false
        /// No letter stands before it.
        var isWhole = false
    }

    private static let words = [
        Word(end: "ode"), Word(end: "odice"), Word(end: "digo"), Word(end: " kod"),
        // Swedish, Finnish, Romanian.
        Word(end: "skod"), Word(end: "koodi"), Word(end: "koodi on"), Word(end: "koodisi on"),
        Word(end: "Codul"), Word(end: "codul", isWhole: true),
        Word(end: "OTP", isSure: true, isWhole: true), Word(end: "otp", isSure: true, isWhole: true),
        Word(end: "ne-time password", isSure: true), Word(end: "ne-Time Password", isSure: true),
        Word(end: "ne-time PIN", isSure: true), Word(end: "inmalpasswort", isSure: true),
    ]

    private static let foreignWords = [
        Word(end: "код", isSure: true, isWhole: true), Word(end: "Код", isSure: true, isWhole: true),
        Word(end: "证码", isSure: true), Word(end: "證碼", isSure: true), Word(end: "証コード", isSure: true),
        Word(end: "認コード", isSure: true), Word(end: "인증번호", isSure: true), Word(end: "인증 코드", isSure: true),
        Word(end: "인증코드", isSure: true),
        // Czech, Slovak, Hungarian; Greek; Vietnamese.
        Word(end: " kód"), Word(end: "ωδικός"), Word(end: "ã xác thực", isSure: true),
        Word(end: "ã xác nhận", isSure: true), Word(end: "ã xác minh", isSure: true),
        // Arabic, Hebrew, Hindi, Thai: what stands behind the word says that it is no error's.
        Word(end: "رمز التحقق", isSure: true), Word(end: "رمز التأكيد", isSure: true),
        Word(end: "كود التحقق", isSure: true), Word(end: "קוד האימות", isSure: true),
        Word(end: "קוד אימות", isSure: true), Word(end: "सत्यापन कोड", isSure: true),
        Word(end: "รหัสยืนยัน", isSure: true),
    ]

    private static func codes(at place: Range<Int>, _ word: Word, in text: [UInt8]) -> [Range<Int>] {
        if word.isWhole, place.lowerBound > 0, text[place.lowerBound - 1].isASCIIWordByte { return [] }
        // Scripts have many such words, and few of them near digits.
        let mayStandBefore = text[..<place.lowerBound].suffix(longestGap + 9).contains(where: \.isASCIIDigit)
        guard
            mayStandBefore || code(behind: place.upperBound, isTold: true, in: text) != nil
                || code(behind: place.upperBound, isTold: true, in: text, by: UserCodeText.end) != nil
        else { return [] }
        let before = ShownCodes.lowercased(text[..<place.lowerBound].suffix(longestGap))
        // `statuskod`: a word for an error's may end as one for such a code does.
        let named = ShownCodes.lowercased(text[..<place.upperBound].suffix(longestGap + place.count))
        guard !others.contains(where: named.containsBytes) else { return [] }
        let isTold = word.isSure || purposes.contains(where: before.containsBytes) || isOpened(before)
        let isTyped = isOpened(before) || typed.contains(where: before.hasSuffix)
        return [
            code(behind: place.upperBound, isTold: isTold || isTyped, in: text),
            isTyped ? code(behind: place.upperBound, isTold: true, in: text, by: UserCodeText.end) : nil,
            code(before: place.lowerBound, in: text),
        ].compactMap(\.self)
    }

    /// Before the last letters of `code`, where no error can be meant.
    private static let typed = [
        "user c", "device c", "activation c", "pairing c", "one-time c", "your c", "login c", "sign-in c",
    ]

    /// In bytes, without tags.
    private static let longestGap = 40
    private static let purposes = [
        "your", "verification", "security", "confirmation", "one-time", "login", "sign-in", "authentication",
        "access ", "sending c",
        // German, Dutch, Danish, Norwegian, Swedish.
        "tigungsc", "sicherheitsc", "rungsc", "anmeldec", "einmalc", "zugangsc",
        "verificatiec", "stigingsc", "beveiligingsc", "engangsk", "sikkerhedsk", "sikkerhetsk", "ftelsesk",
        "verifisering", "verifiering", "engång", "inloggning", "säkerhet", "bekräftelse",
        // Finnish, Czech, Slovak, Hungarian, Turkish.
        "vahvistus", "kertakäyttö", "turva", "todennus", "kirjautumis",
        "ověřovací", "overovací", "potvrzovací", "bezpečnostní", "ellenőrző", "megerősítő",
        "doğrulama", "onay ", "güvenlik",
    ]
    /// Whole words before `code`: `because` and `status` end as some of them.
    private static let openings = [
        "use c", "enter c", "sent c", "ihr c", "dein c", "uw c", "votre c", "ton c", "tu c", "su c", "seu c",
        "tuo c", "suo c",
        // What somebody is to do with it.
        "enter the c", "enter this c", "enter following c", "enter the following c", "type the c", "type c",
        "saisissez le c", "entrez le c", "introduce el c", "ingresa el c", "inserisci il c", "den c",
        "voer c",
    ]

    private static func isOpened(_ before: String) -> Bool {
        let words = String(decoding: [0x20] + before.utf8.map { $0 < 0x41 ? 0x20 : $0 }, as: UTF8.self)
        return openings.contains { words.containsBytes(" " + $0) }
    }

    /// What has a code of its own.
    private static let others = [
        "failed with c", "failed (c", "failure c", "reason c", "response c", "version c", "build c",
        "error", "status", "country", "postal", "zip", "exit", "fehler", "zuordnungs", "ошиб",
        "foutc", "fejlk", "feilk", "virhe", "chyb", " hata",
    ]

    // MARK: - Behind the word

    /// The code behind a word for it.
    ///
    /// `isTold`: what stands before the word says what the code is for.
    /// `end`: where one ends that is none of digits, if one begins at a place.
    private static func code(
        behind start: Int,
        isTold: Bool,
        in text: [UInt8],
        by end: ((Int, [UInt8]) -> Int?)? = nil
    ) -> Range<Int>? {
        var gap = Gap(index: start, rest: longestGap, isTold: isTold, others: end == nil ? [] : placesToType)
        while gap.index < text.count, gap.rest > 0, gap.skip(in: text) {}
        guard gap.isTold else { return nil }
        let index = gap.index
        if let end { return end(index, text).map { index..<$0 } }
        // `G-482913`
        if index + 2 < text.count, text[index + 1] == 0x2d, (0x41...0x5a).contains(text[index]) {
            return digits(at: index + 2, in: text).map { index..<$0.upperBound }
        }
        return digits(at: index, in: text)
    }

    /// What stands between the word and the code.
    private struct Gap {
        var index: Int
        /// How many bytes of text more there may be, and how many tags.
        var rest: Int
        var tags = 8
        var isTold: Bool
        /// Words that may stand there besides.
        var others: Set<String>

        /// Passes one thing; false where it may be the code.
        mutating func skip(in text: [UInt8]) -> Bool {
            let byte = text[index]
            if byte == 0x3c {
                guard tags > 0, let close = text[index...].prefix(Self.longestTag).firstIndex(of: 0x3e) else {
                    return false
                }
                (index, tags) = (close + 1, tags - 1)
                return true
            }
            if Self.blanks.contains(byte) {
                (index, rest) = (index + 1, rest - 1)
                return true
            }
            let word = text[index...].prefix(rest).prefix { $0.isASCIILetter || $0 >= 0x80 || $0 == 0x27 }
            guard let first = word.first,
                SentCodes.isLink(word) || others.contains(ShownCodes.lowercased(word))
            else { return false }
            isTold = isTold || first < 0xd0 && SentCodes.telling.contains(ShownCodes.lowercased(word))
            (index, rest) = (word.endIndex, rest - word.count)
            return true
        }

        /// In bytes: templates of mail say all of a style in them.
        private static let longestTag = 512
        private static let blanks: Set<UInt8> = [0x09, 0x0a, 0x0d, 0x20, 0x22, 0x27, 0x28, 0x3a, 0x3d, 0x5b]
    }

    /// Whether a word may stand between: one that says what the code is for, or that it follows; and one of another script.
    private static func isLink(_ word: ArraySlice<UInt8>) -> Bool {
        guard let first = word.first, first < 0xd0 else { return !isOfError(word) }
        let text = ShownCodes.lowercased(word)
        return links.contains(text) || telling.contains(text)
    }

    /// Whether a word says that the code is an error's: `Код ошибки`, `验证码错误`.
    private static func isOfError(_ word: ArraySlice<UInt8>) -> Bool {
        let text = ShownCodes.lowercased(word)
        return ["ошиб", "错误", "錯誤", "エラー", "오류"].contains(where: text.containsBytes)
    }

    private static let links: Set<String> = [
        "is", "ist", "lautet", "est", "es", "è", "é", "är", "er", "de", "di", "to", "adalah",
        // With the article or whose it is behind the noun: `Engangskoden din er`, `kodunuz`, `kódja`, `koodisi`.
        "n", "din", "ditt", "je", "ja", "unuz", "u", "si", "anda", "tău", "este",
        "của", "bạn", "là", "σας", "σου", "είναι",
    ]
    /// `Enter this code on your device: WDJBMJHT`; digits behind `on` would be a day.
    private static let placesToType: Set<String> = ["on", "your", "device", "below"]
    private static let telling: Set<String> = [
        "vérification", "sécurité", "connexion", "confirmation", "validation", "verificación", "seguridad",
        "acceso", "confirmación", "verifica", "sicurezza", "accesso", "verificação", "segurança",
        "weryfikacyjny", "verifikasi", "verificare", "confirmare", "securitate",
        "επαλήθευσης", "επιβεβαίωσης", "ασφαλείας", "σύνδεσης",
    ]

    // MARK: - Without a word for it

    /// `Use 482913 to sign in`.
    private static func used(in text: [UInt8]) -> [Range<Int>] {
        uses.flatMap { ShownCodes.words($0, in: text) }.compactMap { place in
            guard place.lowerBound == 0 || !text[place.lowerBound - 1].isASCIIWordByte,
                let code = digits(at: place.upperBound, in: text)
            else { return nil }
            let behind = ShownCodes.lowercased(text[code.upperBound...].prefix(longestGap))
            return aims.contains(where: behind.hasPrefix) ? code : nil
        }
    }

    private static let uses = ["Use ", "use ", "Enter ", "enter "]
    private static let aims = [
        " to sign in", " to log in", " to login", " to verify", " to confirm", " to authenticate",
        " to complete your", " to finish signing in",
    ]

    // MARK: - Before the word

    private static func code(before end: Int, in text: [UInt8]) -> Range<Int>? {
        let gap = text[max(0, end - longestGap)..<end]
        guard let phrase = phrases.lazy.compactMap({ gap.firstRange(of: $0) }).first else { return nil }
        let before = text[..<phrase.lowerBound].suffix(9).reversed()
        let digits = before.prefix(while: \.isASCIIDigit).count
        if let code = self.digits(at: phrase.lowerBound - digits, in: text) { return code }
        // In two halves.
        let halves = before.dropFirst(digits + 1).prefix(while: \.isASCIIDigit).count
        guard halves == digits, digits > 0 else { return nil }
        return self.digits(at: phrase.lowerBound - 2 * digits - 1, in: text)
    }

    /// A code that a browser fills in, with its site in the last line of a message: `@shop.example #482913`.
    private static func bound(in text: [UInt8]) -> [Range<Int>] {
        ShownCodes.words(" #", in: text).compactMap { mark in
            let host = text[..<mark.lowerBound].suffix(longestHost).reversed().prefix { $0 > 0x20 }
            guard host.count > 4, host.last == 0x40, host.contains(0x2e) else { return nil }
            return digits(at: mark.upperBound, in: text)
        }
    }

    /// In bytes.
    private static let longestHost = 64

    private static let phrases = [
        " is your ", " as your ", " ist Ihr ", " ist dein ", " est votre ", " est ton ", " es tu ", " es su ",
        " is uw ", " is je ",
    ].map { Array($0.utf8) }

    /// Six digits to eight at a place, or in two halves; nil for others.
    static func digits(at start: Int, in text: [UInt8]) -> Range<Int>? {
        let digits = text[start...].prefix(9).prefix(while: \.isASCIIDigit)
        guard start == 0 || !text[start - 1].isASCIIWordByte,
            digits.endIndex == text.count || !text[digits.endIndex].isASCIIWordByte
        else { return nil }
        if (6...8).contains(digits.count) { return digits.startIndex..<digits.endIndex }
        // `482 913`, `482-913`, a tag around each half.
        let next = GroupedCodes.behindGap(digits.endIndex, in: text, isNarrow: true)
        guard digits.count == 3 || digits.count == 4, next > digits.endIndex, next < text.count else {
            return nil
        }
        let rest = text[next...].prefix(5).prefix(while: \.isASCIIDigit)
        guard rest.count == digits.count, rest.endIndex == text.count || !text[rest.endIndex].isASCIIWordByte,
            // Two years.
            digits.count == 3 || text[next - 1] != 0x2d
        else { return nil }
        return digits.startIndex..<rest.endIndex
    }
}
