import Captures

/// A date as people and scripts write it, with the clock behind it: `Monday, 9 March 2026`, `Mon Mar 09 2026 09:00:00`,
/// `09/03/2026`, `9.3.2026`.
///
/// Months in the languages of ``CalendarDay``, weekdays in English. Of two numbers that may both be a month the first is the
/// day.
struct WrittenDate {
    /// As if it were written in UTC.
    let time: Timestamp
    /// Behind the year, or the clock.
    let end: Int
    private let text: [UInt8]
    private let weekday: Part?
    /// In the order in which they stand.
    private let parts: [(part: Part, role: Role)]
    private let clock: Range<Int>?

    private enum Role { case day, month, year }

    /// A number or a word.
    private struct Part {
        var range: Range<Int>
        /// Behind the letters of an ordinal, too.
        var end: Int
        var isNumber: Bool

        var isYear: Bool { isNumber && range.count == 4 }
    }

    /// Nil where none begins at a place, before which no letter and no digit stands.
    init?(at start: Int, in text: [UInt8]) {
        guard Self.mayHaveYear(from: start, in: text) else { return nil }
        let read = Self.parts(from: start, in: text)
        let first = read.first.flatMap { Self.isWeekday($0, in: text) ? $0 : nil }
        let own = read.dropFirst(first == nil ? 0 : 1).prefix(3)
        let isOfNumbers = own.allSatisfy(\.isNumber)
        guard own.count == 3, own.count(where: \.isYear) == 1, let head = own.first, let last = own.last,
            isOfNumbers
                ? (last.isYear || head.isYear) && Self.isMarked(Array(own), in: text)
                : last.isYear && own.count(where: \.isNumber) == 2
        else { return nil }
        let words = own.map { String(decoding: text[$0.range], as: UTF8.self) }
        // With stops between them the day is the first.
        let known = CalendarDay(words.joined(separator: "/")) ?? CalendarDay(words.joined(separator: "."))
        clock = Self.clock(behind: last.end, in: text)
        end = clock?.upperBound ?? last.end
        guard let day = known, Self.isEnd(end, in: text),
            let time = Self.time(day, clock.map { text[$0] } ?? [])
        else { return nil }
        let isDayFirst = Int(words[0]) == day.day
        parts = zip(own, own.indices).map { part, place in
            if part.isYear { return (part, .year) }
            guard isOfNumbers else { return (part, part.isNumber ? .day : .month) }
            if head.isYear { return (part, place == own.startIndex + 1 ? .month : .day) }
            return (part, (place == own.startIndex) == isDayFirst ? .day : .month)
        }
        self.time = time
        self.text = text
        weekday = first
    }

    private static func time(_ day: CalendarDay, _ clock: ArraySlice<UInt8>) -> Timestamp? {
        let clock = clock.isEmpty ? "00:00" : String(decoding: clock, as: UTF8.self)
        let date = [day.year, day.month, day.day].map { digits($0, count: 2) }.joined(separator: "-")
        return Timestamp(rfc3339: "\(date)T\(clock)\(clock.utf8.count == 5 ? ":00" : "")Z")
    }

    // MARK: - Writing

    /// Another time in the same form: numbers keep their zeros in front, words their language, length and case.
    func moved(to other: Timestamp) -> [UInt8] {
        let plain = Array(other.rfc3339.utf8)
        var output: [UInt8] = []
        var copied = weekday?.range.lowerBound ?? parts[0].part.range.lowerBound
        func put(_ words: some Sequence<UInt8>, _ range: Range<Int>) {
            output += text[copied..<range.lowerBound] + words
            copied = range.upperBound
        }
        if let weekday {
            let name = Weekday.names[Weekday.index(at: other.seconds)]
            put(named(name, like: weekday).utf8, weekday.range)
        }
        for (part, role) in parts {
            let place =
                switch role {
                case .year: 0..<4
                case .month: 5..<7
                case .day: 8..<10
                }
            let number = plain[place].reduce(0) { $0 * 10 + Int($1 - 0x30) }
            put(written(number, like: part).utf8, part.range.lowerBound..<part.end)
        }
        if let clock { put(plain[11..<(11 + clock.count)], clock) }
        return output
    }

    private func written(_ number: Int, like part: Part) -> String {
        guard part.isNumber else {
            let word = String(decoding: text[part.range], as: UTF8.self).lowercased()
            return CalendarDay.months(like: word).map { named($0[number - 1], like: part) } ?? word
        }
        let hasWord = parts.contains { !$0.part.isNumber }
        let isPadded = !hasWord || text[part.range.lowerBound] == 0x30
        let digits = Self.digits(number, count: isPadded ? part.range.count : 1)
        return part.end > part.range.upperBound ? digits + Self.ordinal(number) : digits
    }

    /// `name`: in small letters.
    private func named(_ name: String, like part: Part) -> String {
        let word = String(decoding: text[part.range], as: UTF8.self)
        let name = word.count == Self.shortest ? String(name.prefix(Self.shortest)) : name
        if word == word.uppercased() { return name.uppercased() }
        return word == word.lowercased() ? name : name.prefix(1).uppercased() + name.dropFirst()
    }

    private static func digits(_ number: Int, count: Int) -> String {
        let digits = String(number)
        return String(repeating: "0", count: max(0, count - digits.utf8.count)) + digits
    }

    private static func ordinal(_ number: Int) -> String {
        let endings = ["th", "st", "nd", "rd"]
        return (11...13).contains(number) || number % 10 > 3 ? "th" : endings[number % 10]
    }

    // MARK: - Reading

    /// Characters of a month or weekday that is cut.
    private static let shortest = 3

    private static func isWeekday(_ part: Part, in text: [UInt8]) -> Bool {
        guard !part.isNumber else { return false }
        let word = String(decoding: text[part.range], as: UTF8.self).lowercased()
        return Weekday.names.contains { $0 == word || $0.prefix(shortest) == word }
    }

    /// Whether four digits stand in a row as near as a year does: most words are told by it from dates.
    private static func mayHaveYear(from start: Int, in text: [UInt8]) -> Bool {
        var digits = 0
        for index in start..<min(start + longest, text.count) {
            digits = text[index].isASCIIDigit ? digits + 1 : 0
            if digits == 4 { return true }
        }
        return false
    }

    /// In bytes, of a weekday, a month and what stands between them and the year.
    private static let longest = 48

    /// Numbers and words, four at most, with no more between them than a date has.
    private static func parts(from start: Int, in text: [UInt8]) -> [Part] {
        var parts: [Part] = []
        var index = start
        while parts.count < 4, let part = part(at: index, in: text) {
            parts.append(part)
            guard let next = endOfGap(at: part.end, in: text) else { break }
            index = next
        }
        return parts
    }

    /// Whether the same mark, which is no space, stands between the numbers.
    private static func isMarked(_ parts: [Part], in text: [UInt8]) -> Bool {
        let gaps = zip(parts, parts.dropFirst()).map { text[$0.end..<$1.range.lowerBound] }
        return gaps.allSatisfy { $0.first != 0x20 && $0.elementsEqual(gaps[0]) }
    }

    /// Whether no number, as of a version, and no word goes on.
    private static func isEnd(_ end: Int, in text: [UInt8]) -> Bool {
        guard end < text.count else { return true }
        let isVersion = text[end] == 0x2e && text[(end + 1)...].first.map(\.isASCIIDigit) ?? false
        return !text[end].isASCIIWordByte && !isVersion
    }

    private static func part(at start: Int, in text: [UInt8]) -> Part? {
        let rest = text[start...].prefix(16)
        let digits = rest.prefix { $0.isASCIIDigit }
        if (1...4).contains(digits.count) {
            let suffix = rest.dropFirst(digits.count).prefix { $0.isASCIILetter }
            let isOrdinal = ["st", "nd", "rd", "th"].contains { suffix.elementsEqual($0.utf8) }
            let end = isOrdinal ? suffix.endIndex : digits.endIndex
            return Part(range: digits.indices, end: end, isNumber: true)
        }
        let letters = rest.prefix { $0.isASCIILetter || $0 >= 0x80 }
        guard letters.count >= shortest, letters.count < rest.count else { return nil }
        return Part(range: letters.indices, end: letters.endIndex, isNumber: false)
    }

    /// `. `, `, `, `/`, ` de `.
    private static func endOfGap(at start: Int, in text: [UInt8]) -> Int? {
        let gap = text[start...].prefix(2).prefix { [0x20, 0x2c, 0x2d, 0x2e, 0x2f].contains($0) }
        guard !gap.isEmpty else { return nil }
        let isOf = ["de ", "of "].contains { text[gap.endIndex...].starts(with: $0.utf8) }
        return isOf ? gap.endIndex + 3 : gap.endIndex
    }

    /// Of 24 hours, to the minute or to the second.
    private static func clock(behind end: Int, in text: [UInt8]) -> Range<Int>? {
        for gap in [" ", ", ", " at ", "T", ":"] where text[end...].starts(with: gap.utf8) {
            let start = end + gap.utf8.count
            for pattern: StaticString in ["00:00:00", "00:00"]
            where TimeShift.matches(pattern, at: start, in: text) {
                let last = start + pattern.utf8CodeUnitCount
                let half = text[last...].prefix(3).drop { $0 == 0x20 }.prefix(2).map { $0 | 0x20 }
                return half.elementsEqual("am".utf8) || half.elementsEqual("pm".utf8) ? nil : start..<last
            }
        }
        return nil
    }
}
