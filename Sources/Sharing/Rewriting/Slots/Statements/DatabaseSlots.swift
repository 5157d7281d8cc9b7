import Captures

/// What databases say of a value that is there already, and what statements compare one with: `Duplicate entry 'ada' for key
/// 'users.username'`, `Key (lower(username::text))=(ada)`, ``where `username` = 'ada'``.
///
/// What a single column is compared with in other ways ``PrintedSlots`` reads.
enum DatabaseSlots {
    static func slots(in text: ArraySlice<UInt8>) -> [Slot] {
        guard text.count <= SentenceSlots.longest else { return [] }
        let bytes = Array(text)
        return duplicates(in: text, bytes) + keys(in: text, bytes) + constraints(in: text, bytes)
            + comparisons(in: text, bytes) + BindingSlots.slots(in: text, bytes)
    }

    /// In bytes, of a value.
    private static let longestValue = 256
    /// In bytes, of the names of columns.
    private static let longestNames = 128

    private static func slot(_ name: String, _ value: ArraySlice<UInt8>) -> Slot {
        Slot(name: name, range: value.startIndex..<value.endIndex)
    }

    // MARK: - Values that are there already

    /// MySQL and MariaDB.
    private static func duplicates(in text: ArraySlice<UInt8>, _ bytes: [UInt8]) -> [Slot] {
        Bytes.places(behind: Array("Duplicate entry '".utf8), in: bytes).compactMap { place in
            let rest = text[(text.startIndex + place)...].prefix(longestValue + longestNames)
            guard let gap = rest.firstRange(of: Array("' for key '".utf8)), gap.lowerBound > rest.startIndex
            else { return nil }
            let key = text[gap.upperBound...].prefix(longestNames).prefix { $0 != 0x27 }
            return column(ofKey: key).map { slot($0, rest[..<gap.lowerBound]) }
        }
    }

    /// PostgreSQL, of several columns or of what a function makes of one; with a single name ``PrintedSlots`` reads it.
    private static func keys(in text: ArraySlice<UInt8>, _ bytes: [UInt8]) -> [Slot] {
        Bytes.places(behind: Array("Key (".utf8), in: bytes).flatMap { place -> [Slot] in
            let rest = text[(text.startIndex + place)...]
            guard let gap = rest.prefix(longestNames).firstRange(of: Array(")=(".utf8)) else { return [] }
            let values = text[gap.upperBound...].prefix(longestValue)
            guard let end = values.firstRange(of: Array(") ".utf8))?.lowerBound ?? values.lastIndex(of: 0x29)
            else { return [] }
            let names = rest[..<gap.lowerBound].split(separator: 0x2c).map(plainName)
            guard names.count > 1 || rest[..<gap.lowerBound].contains(where: { $0 == 0x28 || $0 == 0x3a })
            else { return [] }
            let cells = names.count == 1 ? [values[..<end]] : values[..<end].split(separator: 0x2c)
            guard cells.count == names.count else { return [] }
            return zip(names, cells).compactMap { name, cell in
                let value = cell.drop { $0 == 0x20 }
                return isTelling(name) && !value.isEmpty ? slot(name, value) : nil
            }
        }
    }

    /// What SQL Server says: `The duplicate key value is (ada)`, behind the name of the key.
    private static func constraints(in text: ArraySlice<UInt8>, _ bytes: [UInt8]) -> [Slot] {
        Bytes.places(behind: Array("The duplicate key value is (".utf8), in: bytes).compactMap { place in
            let start = text.startIndex + place
            let value = text[start...].prefix(longestValue).prefix { $0 != 0x29 }
            let before = text[..<start].suffix(longestValue * 2)
            for mark in ["constraint '", "unique index '"] {
                guard let behind = Bytes.places(behind: Array(mark.utf8), in: Array(before)).last else {
                    continue
                }
                let key = before[(before.startIndex + behind)...].prefix(longestNames).prefix { $0 != 0x27 }
                if let name = column(ofKey: key), !value.isEmpty { return slot(name, value) }
            }
            return nil
        }
    }

    /// Of `lower(username::text)` what the column is called.
    private static func plainName(_ expression: ArraySlice<UInt8>) -> String {
        let inner = expression.lastIndex(of: 0x28).map { expression[($0 + 1)...] } ?? expression
        return SlotReader.string(inner.drop { !isOfName($0) }.prefix(while: isOfName))
    }

    /// Of the name of an index, `users_username_unique`, the words that say what its column is called; nil where none do.
    private static func column(ofKey key: ArraySlice<UInt8>) -> String? {
        let own = key.lastIndex(of: 0x2e).map { key[($0 + 1)...] } ?? key
        let words = own.split(separator: 0x5f).map(SlotReader.string)
        guard words.count <= mostWords else { return nil }
        for first in words.indices {
            for last in words.indices[first...].reversed() {
                let name = words[first...last].joined(separator: "_")
                if isTelling(name) { return name }
            }
        }
        return nil
    }

    private static let mostWords = 8

    // MARK: - Statements

    /// `` `username` = 'ada' ``, `"username" = 'ada'`, `[username] = 'ada'`, `username LIKE 'ada%'`; also without quotation marks
    /// behind a back quote, as some print a statement with its values.
    private static func comparisons(in text: ArraySlice<UInt8>, _ bytes: [UInt8]) -> [Slot] {
        var slots: [Slot] = []
        for mark in [equals, "LIKE ", "like "] {
            for place in Bytes.places(behind: Array(mark.utf8), in: bytes) {
                let start = text.startIndex + place
                let gap = text[..<(start - mark.utf8.count)]
                let before = gap.dropLast()
                guard gap.last == 0x20, let close = before.last,
                    let name = name(endingBy: close, before, isWord: mark != equals),
                    let value = value(text[start...], isBare: close == 0x60)
                else { continue }
                slots.append(slot(name, value))
            }
        }
        return slots
    }

    private static let equals = "= "

    /// The name of a column between marks, or by itself; nil where it says nothing.
    private static func name(endingBy close: UInt8, _ text: ArraySlice<UInt8>, isWord: Bool) -> String? {
        let isMarked = [0x22, 0x5d, 0x60].contains(close)
        guard isMarked || isWord else { return nil }
        let end = isMarked ? text.dropLast() : text
        let name = end.suffix(longestNames).reversed().prefix(while: isOfName)
        let own = SlotReader.string(name.reversed())
        guard let open = end.dropLast(name.count).last else { return nil }
        let isOpened = !isMarked || open == (close == 0x5d ? 0x5b : close)
        return isOpened && isTelling(own) ? own : nil
    }

    private static func value(_ text: ArraySlice<UInt8>, isBare: Bool) -> ArraySlice<UInt8>? {
        guard text.first == 0x27 else {
            let word = text.prefix(longestValue).prefix {
                $0.isASCIIWordByte || [0x2b, 0x2d, 0x2e, 0x40].contains($0)
            }
            let isValue =
                isBare && word.count > 2 && !SecretRoles.isWord(SlotReader.string(word))
                && !PairSlots.nothing.contains(SlotReader.string(word).lowercased())
            return isValue ? word : nil
        }
        let inner = text.dropFirst().prefix(longestValue)
        let whole = BindingSlots.beforeApostrophe(inner)
        guard whole.endIndex < inner.endIndex else { return nil }
        // Signs of per cent stand for what may be around it.
        let value = whole.drop { $0 == 0x25 }
        let last = value.lastIndex { $0 != 0x25 }
        return last.map { value[...$0] }.flatMap { $0.count > 1 && $0.first != 0x3a ? $0 : nil }
    }

    /// Whether what a column of this name holds is somebody's, or was chosen by somebody.
    static func isTelling(_ name: String) -> Bool {
        guard case .secret(let kind) = SecretRoles.role(of: name, in: .text) else { return false }
        return kind.isPersonal || kind.isChosen
    }

    private static func isOfName(_ byte: UInt8) -> Bool { byte.isASCIIWordByte || byte == 0x2d }
}
