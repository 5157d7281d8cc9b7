import Captures

/// A day, somebody's day of birth, in the forms in which it is written: `1990-03-12`, `12.03.1990`, `12 March 1990`.
struct CalendarDay: Hashable {
    let year: Int
    let month: Int
    let day: Int

    /// Nil for what is no day, and where month and day cannot be told from one another.
    init?(_ text: String) {
        let parts = text.lowercased().split { !$0.isLetter && !$0.isNumber }.prefix(3).map(String.init)
        let numbers = parts.map {
            Int(String(decoding: Array($0.utf8.prefix(while: \.isASCIIDigit)), as: UTF8.self)) ?? 0
        }
        guard let (year, month, day) = Self.parts(of: text, parts, numbers), (1850...2100).contains(year),
            (1...12).contains(month), (1...31).contains(day)
        else { return nil }
        (self.year, self.month, self.day) = (year, month, day)
    }

    private static func parts(of text: String, _ parts: [String], _ numbers: [Int])
        -> (year: Int, month: Int, day: Int)?
    {
        if parts.count == 1, text.utf8.count == 8 {
            return (numbers[0] / 10_000, numbers[0] / 100 % 100, numbers[0] % 100)
        }
        guard parts.count == 3 else { return nil }
        if let month = parts.lazy.compactMap(Self.month).first {
            guard let year = numbers.first(where: { $0 > 31 }),
                let day = numbers.first(where: { (1...31).contains($0) })
            else { return nil }
            return (year, month, day)
        }
        if numbers[0] > 31 { return (numbers[0], numbers[1], numbers[2]) }
        // Stops stand behind the day.
        if text.utf8.contains(0x2e) || numbers[0] > 12 || numbers[0] == numbers[1] {
            return (numbers[2], numbers[1], numbers[0])
        }
        return numbers[1] > 12 ? (numbers[2], numbers[0], numbers[1]) : nil
    }

    /// Of two days the earlier one is less.
    var number: Int { (year * 16 + month) * 32 + day }

    /// The other forms, in small letters where they have letters.
    var spellings: Set<String> { spellingsInDigits.union(spellingsInWords) }

    private static func two(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }

    private var spellingsInDigits: Set<String> {
        let (day, month) = (Self.two(self.day), Self.two(self.month))
        var spellings: Set<String> = [
            "\(year)\(month)\(day)", "\(day)\(month)\(year)", "\(day) \(month) \(year)",
            "\(year)-\(month)-\(day)t00:00:00", "\(year)-\(month)-\(day)t00:00:00z",
        ]
        // What is no day of a month is a year of two digits.
        if year % 100 > 31 {
            for mark in ["-", "/", "."] { spellings.insert("\(day)\(mark)\(month)\(mark)\(year % 100)") }
            spellings.insert("\(month)/\(day)/\(year % 100)")
        }
        for day in Set([day, "\(self.day)"]) {
            for month in Set([month, "\(self.month)"]) {
                for mark in ["-", "/", "."] {
                    spellings.insert("\(year)\(mark)\(month)\(mark)\(day)")
                    spellings.insert("\(day)\(mark)\(month)\(mark)\(year)")
                    spellings.insert("\(month)\(mark)\(day)\(mark)\(year)")
                }
                // Japanese and Chinese, Korean.
                spellings.insert("\(year)年\(month)月\(day)日")
                spellings.formUnion(["\(year)년 \(month)월 \(day)일", "\(year)년\(month)월\(day)일"])
            }
        }
        return spellings
    }

    private var spellingsInWords: Set<String> {
        var spellings: Set<String> = []
        for day in Set([Self.two(day), "\(day)"]) {
            for names in Self.months {
                let name = names[month - 1]
                for word in Set([name, String(name.prefix(3)), "\(name.prefix(3))."]) {
                    spellings.formUnion([
                        "\(day) \(word) \(year)", "\(day). \(word) \(year)", "\(day)-\(word)-\(year)",
                        "\(day)\(word)\(year)",
                        "\(word) \(day), \(year)", "\(word) \(day) \(year)", "\(day) de \(word) de \(year)",
                    ])
                }
                for ordinal in ["st", "nd", "rd", "th"].map({ day + $0 }) {
                    spellings.formUnion([
                        "\(ordinal) \(name) \(year)", "\(ordinal) of \(name) \(year)",
                        "\(name) \(ordinal), \(year)", "\(name) \(ordinal) \(year)",
                    ])
                }
            }
        }
        return spellings
    }

    private static func month(_ word: String) -> Int? {
        months(like: word)?.firstIndex { $0 == word || String($0.prefix(3)) == word }.map { $0 + 1 }
    }

    /// The twelve names, in small letters, of the language in which a word is one of them or its first three letters.
    static func months(like word: String) -> [String]? {
        guard word.utf8.count >= 3 else { return nil }
        return months.first { names in names.contains { $0 == word || String($0.prefix(3)) == word } }
    }

    private static let months = [
        "january february march april may june july august september october november december",
        "januar februar märz april mai juni juli august september oktober november dezember",
        "janvier février mars avril mai juin juillet août septembre octobre novembre décembre",
        "enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre",
    ].map(WordTable.words)
}
