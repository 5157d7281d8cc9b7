import Captures

/// What logs tell in the line of a statement in SQL, behind it, of what was put in for its marks, by the columns that these
/// stand for.
///
/// Sequelize (`… = $1; ["ada", 3]`, `… VALUES (DEFAULT,$1); "ada"`), Ecto (`… = $1) ["ada"]`), Doctrine (`… = ? ["ada"] []`,
/// `… = ? (parameters: array{"1":"ada"}, types: …`, `… = ?' with params ["ada"]`), and what profilers of SQL Server show
/// (`exec sp_executesql N'… = @p0',N'@p0 nvarchar(256)',@p0=N'ada'`).
enum TrailingParameters {
    /// In order.
    static func slots(in text: ArraySlice<UInt8>) -> [Slot] {
        var slots: [Slot] = []
        var rest = text
        // One line after the other: a large text has many.
        while rest.count >= shortest {
            let line = rest.prefix { $0 != 0x0a }
            rest = rest[line.endIndex...].dropFirst()
            if (shortest...longest).contains(line.count) { slots += self.slots(inLine: line) }
        }
        return slots
    }

    /// In bytes, of a line with a statement and a value.
    private static let shortest = 40
    private static let longest = 1 << 13

    private static func slots(inLine line: ArraySlice<UInt8>) -> [Slot] {
        guard line.contains(where: { $0 == 0x24 || $0 == 0x3f || $0 == 0x40 }),
            line.contains(where: { $0 == 0x22 || $0 == 0x27 }), let statement = statement(in: line)
        else { return [] }
        if let named = byName(statement) { return named }
        let marked = BindingSlots.marked(by: BindingSlots.marks, in: statement)
        // What looks like a mark in the values is none.
        let end = firstList(in: statement)
        let columns = marked.filter { $0.place < end }.map(\.column)
        let values = values(in: statement[end...])
        guard !columns.isEmpty, values.count == columns.count else { return [] }
        return zip(columns, values).compactMap(slot)
    }

    private static func slot(_ column: String, _ value: ArraySlice<UInt8>) -> Slot? {
        guard DatabaseSlots.isTelling(column), value.count > 1,
            !PairSlots.nothing.contains(SlotReader.string(value.prefix(16)).lowercased())
        else { return nil }
        return Slot(name: column, range: value.startIndex..<value.endIndex)
    }

    // MARK: - Statements

    private static let verbs = ["delete ", "insert ", "select ", "update "].map { Array($0.utf8) }

    /// From the first word of a line on that says what a statement does.
    private static func statement(in line: ArraySlice<UInt8>) -> ArraySlice<UInt8>? {
        let lower = line.map(\.asciiLowercased)
        let first = verbs.compactMap { Bytes.places(behind: $0, in: lower).first.map { $0 - 7 } }.min()
        return first.map { line[(line.startIndex + $0)...] }
    }

    // MARK: - Lists

    /// What a list of values begins with.
    private static let openings = [" [", "; \"", "(parameters: array{"].map { Array($0.utf8) }

    /// Where the list begins: behind the first mark for a value, since a statement has such brackets before it.
    private static func firstList(in statement: ArraySlice<UInt8>) -> Int {
        guard let mark = statement.firstIndex(where: BindingSlots.marks.contains) else {
            return statement.endIndex
        }
        var rest = statement[mark...]
        let other = openings.dropFirst().compactMap { rest.firstRange(of: $0)?.lowerBound }.min()
        while let open = rest.firstRange(of: openings[0]), open.lowerBound < other ?? statement.endIndex {
            rest = statement[open.upperBound...]
            if mayBeValue(rest) { return open.lowerBound }
        }
        return other ?? statement.endIndex
    }

    /// Whether a list may begin with what stands there; a name of SQL Server's (`[Users]`) is none of its values.
    private static func mayBeValue(_ text: ArraySlice<UInt8>) -> Bool {
        let word = text.prefix(8).prefix(while: \.isASCIIWordByte)
        guard let first = word.first, !first.isASCIIDigit else { return true }
        return ["false", "nil", "none", "null", "true"].contains(SlotReader.string(word).lowercased())
    }

    /// The values of a list.
    private static func values(in list: ArraySlice<UInt8>) -> [ArraySlice<UInt8>] {
        if list.starts(with: openings[0]) { return BindingSlots.items(of: list.dropFirst(2), upTo: 0x5d) }
        if list.starts(with: openings[1]) { return BindingSlots.items(of: list.dropFirst(2), upTo: 0x0d) }
        guard list.starts(with: openings[2]) else { return [] }
        // `"1":"ada"`
        let items = BindingSlots.items(of: list.dropFirst(openings[2].count), upTo: 0x7d)
        return items.filter { $0.first == 0x3a }.map { item in
            let value = item.dropFirst()
            return value.first == 0x22 && value.count > 1 ? value.dropFirst().dropLast() : value
        }
    }

    /// `N'@p0 nvarchar(256)',@p0=N'ada'`: what is put in for parameters with names; nil where none is called in this way.
    private static func byName(_ statement: ArraySlice<UInt8>) -> [Slot]? {
        guard let types = statement.firstRange(of: Array("',N'@".utf8)),
            let start = statement[types.upperBound...].firstRange(of: Array("',@".utf8))
        else { return nil }
        let columns = BindingSlots.columnsByName(of: statement[..<types.lowerBound])
        var slots: [Slot] = []
        var rest = statement[(start.upperBound - 1)...]
        while rest.first == 0x40 {
            let name = rest.dropFirst().prefix(while: \.isASCIIWordByte)
            let given = statement[name.endIndex...].dropFirst().drop { $0 == 0x4e }
            let isQuoted = given.first == 0x27
            let value =
                isQuoted ? BindingSlots.beforeApostrophe(given.dropFirst()) : given.prefix { $0 != 0x2c }
            if let column = columns[SlotReader.string(name)], let slot = slot(column, value) {
                slots.append(slot)
            }
            rest = statement[value.endIndex...].drop { $0 == 0x27 || $0 == 0x2c || $0 == 0x20 }
        }
        return slots
    }
}
