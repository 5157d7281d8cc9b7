import Captures

/// What logs tell below a statement in SQL of what was put in for its marks, by the columns that these stand for.
///
/// The lines of Hibernate (`binding parameter [1] as [VARCHAR] - [ada]`, `binding parameter (1:VARCHAR) <- [ada]`) and of MyBatis
/// (`Parameters: ada(String), 3(Integer)`), what PostgreSQL says (`parameters: $1 = 'ada'`), and lists (`-- PARAMETERS: ["ada", 3]`,
/// `[generated in 0.0001s] ('ada', 3)`); and those of Spring (`parameter value: column index 1, parameter value [ada], value class`).
enum LoggedStatements {
    /// In order.
    static func slots(in text: ArraySlice<UInt8>) -> [Slot] {
        let named = NamedParameters.slots(in: text)
        guard named.isEmpty else { return named }
        let below = slotsOfMarks(in: text)
        return below.isEmpty ? TrailingParameters.slots(in: text) : below
    }

    private static func slotsOfMarks(in text: ArraySlice<UInt8>) -> [Slot] {
        guard text.count >= shortest else { return [] }
        let bytes = Array(text)
        let places = Phrase.allCases.flatMap { phrase in
            Bytes.places(behind: Array(phrase.rawValue.utf8), in: bytes).map {
                (phrase, text.startIndex + $0)
            }
        }
        var slots: [Slot] = []
        var columns: [String] = []
        var end = text.startIndex
        for (phrase, start) in places.sorted(by: { $0.1 < $1.1 }) {
            // A line that is cut may end in the middle of a phrase.
            let begin = start - phrase.rawValue.utf8.count
            guard begin >= end else { continue }
            let gap = text[end..<begin].suffix(longestStatement)
            if let statement = statement(in: gap) { columns = BindingSlots.columns(of: statement) }
            let line = text[start...].prefix(longestLine).prefix { $0 != 0x0a && $0 != 0x0d }
            end = line.endIndex
            guard !columns.isEmpty else { continue }
            slots += values(of: phrase, line, columns.count).compactMap { place, value in
                guard columns.indices.contains(place), DatabaseSlots.isTelling(columns[place]),
                    value.count > 1,
                    !PairSlots.nothing.contains(SlotReader.string(value.prefix(16)).lowercased())
                else { return nil }
                return Slot(name: columns[place], range: value.startIndex..<value.endIndex)
            }
        }
        return slots
    }

    /// What stands before values.
    private enum Phrase: String, CaseIterable {
        case hibernate = "binding parameter "
        case spring = "parameter value: column index "
        case myBatis = "Parameters: "
        case postgreSQL = "parameters: "
        case typeORM = "-- PARAMETERS: ["
        case generated = "[generated in "
        case cached = "[cached since "
    }

    /// In bytes: nothing is put in for a mark in fewer.
    private static let shortest = 40
    /// In bytes, of a statement with what a log has before the values.
    private static let longestStatement = 1 << 13
    /// In bytes, of what is told in a line.
    private static let longestLine = 1 << 12

    // MARK: - Statements

    /// The last statement of a text, from its first word on; one inside of another begins none.
    private static func statement(in text: ArraySlice<UInt8>) -> ArraySlice<UInt8>? {
        var rest = text
        while let last = rest.lastIndex(where: { words.contains($0 | 0x20) }) {
            rest = text[..<last]
            let word = SlotReader.string(text[last...].prefix(7)).lowercased()
            guard verbs.contains(where: word.hasPrefix), word.utf8.last.map({ $0 <= 0x20 }) ?? false else {
                continue
            }
            let before = rest.last { $0 > 0x20 }
            let isBegin =
                before.map { [0x3a, 0x3e, 0x5b, 0x5d].contains($0) } ?? true
                || Bytes.hasSuffix(rest, "Engine ")
            if isBegin { return text[last...] }
        }
        return nil
    }

    private static let verbs = ["delete", "insert", "select", "update"]
    /// What they begin with.
    private static let words = Set("disu".utf8)

    // MARK: - Values

    /// The values of a line, each with its place among the marks.
    ///
    /// `count`: of the marks.
    private static func values(of phrase: Phrase, _ line: ArraySlice<UInt8>, _ count: Int) -> [(
        Int, ArraySlice<UInt8>
    )] {
        let values: [ArraySlice<UInt8>]
        switch phrase {
        case .hibernate: return [bound(line)].compactMap(\.self)
        case .spring: return [indexed(line)].compactMap(\.self)
        // In later versions PostgreSQL writes it in the same way.
        case .myBatis, .postgreSQL: values = line.first == 0x24 ? numbered(line) : typed(line)
        case .typeORM: values = BindingSlots.items(of: line, upTo: 0x5d)
        case .generated, .cached:
            guard let list = line.firstRange(of: Array("] (".utf8)) else { return [] }
            values = BindingSlots.items(of: line[list.upperBound...], upTo: 0x29)
        }
        return values.count == count ? Array(values.enumerated()) : []
    }

    /// Of Hibernate: `[2] as [VARCHAR] - [ada]`, `(2:VARCHAR) <- [ada]`.
    private static func bound(_ line: ArraySlice<UInt8>) -> (Int, ArraySlice<UInt8>)? {
        let digits = line.dropFirst().prefix(6).prefix(while: \.isASCIIDigit)
        guard let number = Int(SlotReader.string(digits)), number > 0, line.last == 0x5d,
            let open = [" - [", " <- ["].compactMap({ line.firstRange(of: Array($0.utf8))?.upperBound }).min()
        else { return nil }
        return (number - 1, line[open...].dropLast())
    }

    /// Of Spring: `2, parameter value [ada], value class [java.lang.String]`.
    private static func indexed(_ line: ArraySlice<UInt8>) -> (Int, ArraySlice<UInt8>)? {
        let digits = line.prefix(6).prefix(while: \.isASCIIDigit)
        let rest = line[digits.endIndex...]
        let open = Array(", parameter value [".utf8)
        guard let number = Int(SlotReader.string(digits)), number > 0, rest.starts(with: open),
            let close = rest.firstRange(of: Array("], value class".utf8))?.lowerBound
        else { return nil }
        return (number - 1, rest[..<close].dropFirst(open.count))
    }

    /// Of PostgreSQL: `$1 = 'ada', $2 = '3'`.
    private static func numbered(_ line: ArraySlice<UInt8>) -> [ArraySlice<UInt8>] {
        var values: [ArraySlice<UInt8>] = []
        var rest = line
        while rest.first == 0x24 {
            let number = rest.dropFirst().prefix(while: \.isASCIIDigit)
            guard line[number.endIndex...].starts(with: " = ".utf8) else { return [] }
            let given = line[number.endIndex...].dropFirst(3)
            let isQuoted = given.first == 0x27
            let value =
                isQuoted ? BindingSlots.beforeApostrophe(given.dropFirst()) : given.prefix { $0 != 0x2c }
            values.append(value)
            rest = line[value.endIndex...].drop { [0x20, 0x27, 0x2c].contains($0) }
        }
        return values
    }

    /// Of MyBatis: `ada(String), 3(Integer)`.
    private static func typed(_ line: ArraySlice<UInt8>) -> [ArraySlice<UInt8>] {
        var values: [ArraySlice<UInt8>] = []
        var rest = line
        while !rest.isEmpty {
            // `null` has no type.
            let item = rest.prefix { $0 != 0x2c }
            if item.elementsEqual("null".utf8) {
                values.append(item)
                rest = rest[item.endIndex...].dropFirst(2)
                continue
            }
            guard let end = rest.firstRange(of: Array("), ".utf8))?.lowerBound ?? rest.lastIndex(of: 0x29),
                let open = rest[..<end].lastIndex(of: 0x28)
            else { return [] }
            values.append(rest[..<open])
            rest = rest[end...].dropFirst(3)
        }
        return values
    }
}
