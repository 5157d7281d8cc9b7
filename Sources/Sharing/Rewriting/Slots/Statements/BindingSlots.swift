import Captures

/// What is put in for the marks of a statement in SQL, by the columns that they stand for:
/// `{"sql": "… where username = ?", "bindings": ["ada"]}` of Laravel and others,
/// `[SQL: INSERT INTO users (id, username) VALUES (?, ?)] [parameters: (3, 'ada')]` of SQLAlchemy.
enum BindingSlots {
    // MARK: - Documents

    /// The slots, with those in a list beside a statement named by its columns.
    static func named(_ slots: [Slot], in text: ArraySlice<UInt8>) -> [Slot] {
        guard slots.contains(where: { lists.contains($0.name) }) else { return slots }
        var given: [Int: [Int]] = [:]
        var statements: [Int: [String]] = [:]
        for (place, slot) in slots.enumerated() {
            if lists.contains(slot.name) {
                given[slot.object, default: []].append(place)
            } else if !slot.isNumber, statements[slot.object] == nil, isStatement(text[slot.range]) {
                statements[slot.object] = columns(of: text[slot.range])
            }
        }
        var slots = slots
        for (object, places) in given {
            // What is no string and no number is not among them: nobody knows which is missing.
            guard let columns = statements[object], columns.count == places.count else { continue }
            for (place, column) in zip(places, columns) where DatabaseSlots.isTelling(column) {
                slots[place].name = column
            }
        }
        return slots
    }

    private static let lists: Set<String> = [
        "args", "arguments", "binding", "bindings", "parameters", "params", "values",
    ]

    private static func isStatement(_ text: ArraySlice<UInt8>) -> Bool {
        guard text.count <= SentenceSlots.longest else { return false }
        let word = SlotReader.string(text.prefix(12).prefix(while: \.isASCIILetter)).lowercased()
        return ["delete", "insert", "replace", "select", "update"].contains(word)
    }

    // MARK: - Texts

    /// What is told behind a statement.
    static func slots(in text: ArraySlice<UInt8>, _ bytes: [UInt8]) -> [Slot] {
        Bytes.places(behind: Array("[parameters: (".utf8), in: bytes).flatMap { place -> [Slot] in
            let start = text.startIndex + place
            let before = text[..<start].suffix(longestStatement)
            guard let mark = Bytes.places(behind: Array("[SQL: ".utf8), in: Array(before)).last else {
                return []
            }
            let columns = columns(of: before[(before.startIndex + mark)...])
            let values = items(of: text[start...].prefix(longestList), upTo: 0x29)
            guard columns.count == values.count else { return [] }
            return zip(columns, values).compactMap { column, value in
                DatabaseSlots.isTelling(column) && value.count > 1
                    ? Slot(name: column, range: value.startIndex..<value.endIndex) : nil
            }
        }
    }

    /// In bytes.
    private static let longestStatement = 1 << 12
    private static let longestList = 1 << 12
    private static let longestName = 64

    /// What stands before the apostrophe that ends it; two of them are one that belongs to it, in SQL and OData:
    /// `Conor O''Brien`.
    static func beforeApostrophe(_ text: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        var end = text.startIndex
        while let mark = text[end...].firstIndex(of: 0x27) {
            guard text[(mark + 1)...].first == 0x27 else { return text[..<mark] }
            end = mark + 2
        }
        return text
    }

    /// What stands between commas up to a bracket, without quotation marks.
    static func items(of text: ArraySlice<UInt8>, upTo end: UInt8) -> [ArraySlice<UInt8>] {
        var items: [ArraySlice<UInt8>] = []
        var rest = text.drop { $0 == 0x20 }
        while let first = rest.first, first != end {
            let value: ArraySlice<UInt8>
            if first == 0x27 || first == 0x22 {
                let inner = rest.dropFirst()
                value = first == 0x27 ? beforeApostrophe(inner) : inner.prefix { $0 != first }
                rest = text[value.endIndex...].dropFirst()
            } else {
                value = rest.prefix { $0 != 0x2c && $0 != end }
                rest = text[value.endIndex...]
            }
            items.append(value)
            rest = rest.drop { $0 == 0x2c || $0 == 0x20 }
        }
        return items
    }

    // MARK: - Statements

    /// The column that each mark of a statement stands for, in the order of the values; empty where nobody can tell.
    static func columns(of statement: ArraySlice<UInt8>) -> [String] {
        marked(by: marks, in: statement).map { $0.column }
    }

    /// The column that each parameter with a name, `@p0`, stands for where it is met first.
    static func columnsByName(of statement: ArraySlice<UInt8>) -> [String: String] {
        let marked = marked(by: [0x40], in: statement).map { place, column in
            (SlotReader.string(statement[(place + 1)...].prefix(while: \.isASCIIWordByte)), column)
        }
        return Dictionary(marked) { first, _ in first }
    }

    /// Where values are put in, each with its column.
    static func marked(
        by marks: [UInt8],
        in statement: ArraySlice<UInt8>
    ) -> [(place: Int, column: String)] {
        let listed = listedColumns(of: statement)
        var columns: [(Int, String)] = []
        var (opened, commas) = (statement.startIndex, 0)
        for index in statement.indices {
            switch statement[index] {
            case 0x28: (opened, commas) = (index, 0)
            case 0x2c: commas += 1
            case let byte where marks.contains(byte) && isMark(at: index, in: statement):
                let isListed = !listed.isEmpty && opened > listed[0].startIndex
                let column =
                    isListed && commas < listed.count
                    ? listed[commas] : compared(before: statement[..<index])
                columns.append((index, SlotReader.string(column)))
            default: continue
            }
        }
        return columns
    }

    /// What a mark for a value begins with, but for those with names.
    static let marks: [UInt8] = [0x24, 0x25, 0x3f]

    /// Whether a mark for a value stands at a place: `?`, `$1`, `%s`, `@p0`.
    private static func isMark(at index: Int, in text: ArraySlice<UInt8>) -> Bool {
        let next = text[(index + 1)...].first ?? 0x20
        return switch text[index] {
        case 0x3f: !next.isASCIIWordByte
        case 0x24: next.isASCIIDigit
        case 0x40: next.isASCIIWordByte
        default: next == 0x73
        }
    }

    /// Of `INSERT INTO users (id, username) VALUES` the columns.
    private static func listedColumns(of statement: ArraySlice<UInt8>) -> [ArraySlice<UInt8>] {
        guard let open = statement.firstIndex(of: 0x28),
            SlotReader.string(statement.prefix(7)).lowercased().hasPrefix("insert"),
            let close = statement[open...].firstIndex(of: 0x29)
        else { return [] }
        return statement[(open + 1)..<close].split(separator: 0x2c).map { column in
            let name = column.drop { !$0.isASCIIWordByte }
            return name.prefix { $0.isASCIIWordByte }
        }
    }

    /// What a mark is compared with, or given to: `"users"."username" = `, `` `username` LIKE ``.
    private static func compared(before text: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        var rest = withoutBlanks(text.suffix(longestName * 2))
        if rest.last == 0x3d {
            rest = rest.dropLast()
        } else {
            let length = rest.suffix(6).reversed().prefix(while: \.isASCIILetter).count
            let word = rest.suffix(length)
            guard length == 4 || length == 5,
                ["like", "ilike"].contains(SlotReader.string(word).lowercased())
            else { return rest.prefix(0) }
            rest = rest.dropLast(length)
        }
        rest = withoutBlanks(rest)
        if let last = rest.last, [0x22, 0x5d, 0x60].contains(last) { rest = rest.dropLast() }
        let name = rest.suffix(longestName).reversed().prefix(while: \.isASCIIWordByte)
        return rest.suffix(name.count)
    }

    private static func withoutBlanks(_ text: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        text.lastIndex { $0 > 0x20 }.map { text[...$0] } ?? text.prefix(0)
    }
}
