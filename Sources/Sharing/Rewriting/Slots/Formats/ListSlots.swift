import Captures

/// Tables that stand somewhere in a text: rows of cells between bars, as Markdown and databases' shells write them, and the rows
/// of an `INSERT` of SQL.
enum ListSlots {
    static func slots(in text: ArraySlice<UInt8>) -> [Slot] {
        guard text.count <= SentenceSlots.longest else { return [] }
        return (text.contains(0x7c) ? barred(text) : []) + inserted(text)
    }

    /// What the cells of a row are called: only those that say something secret or personal; others are of no concern.
    private static func named(_ cells: [ArraySlice<UInt8>], by heads: [String]) -> [Slot] {
        zip(cells, heads).compactMap { cell, head in
            // `?` and `%s` stand for a value.
            guard cell.count > 2, !head.isEmpty, !cell.elementsEqual("NULL".utf8) else { return nil }
            return Slot(name: head, range: cell.startIndex..<cell.endIndex)
        }
    }

    private static func heads(_ cells: [ArraySlice<UInt8>]) -> [String] {
        TableCells.columns(cells.map { SlotReader.string($0) })
    }

    // MARK: - Bars

    /// `| user | password |`, a row each line, of which the one above a rule has the heads.
    private static func barred(_ text: ArraySlice<UInt8>) -> [Slot] {
        var slots: [Slot] = []
        var names: [String] = []
        var above: [ArraySlice<UInt8>] = []
        for line in text.split(separator: 0x0a, omittingEmptySubsequences: false) {
            if isRule(line) {
                if names.isEmpty { names = heads(above) }
                continue
            }
            guard line.contains(0x7c) else {
                (names, above) = ([], [])
                continue
            }
            above = line.split(separator: 0x7c, omittingEmptySubsequences: false).map(bare)
            slots += named(above, by: names)
        }
        return slots
    }

    /// Whether a line parts heads from rows: `|---|:-:|`, `+----+`.
    private static func isRule(_ line: ArraySlice<UInt8>) -> Bool {
        line.contains(0x2d) && line.allSatisfy { [0x7c, 0x2d, 0x3a, 0x2b, 0x3d, 0x20, 0x0d].contains($0) }
    }

    // MARK: - SQL

    /// The rows behind `INSERT INTO users (login, password) VALUES`.
    ///
    /// What is inserted may stand behind the marks for it: `VALUES (?, ?) [ada, Zk9!wq]`.
    private static func inserted(_ text: ArraySlice<UInt8>) -> [Slot] {
        var slots: [Slot] = []
        var rest = text
        while let close = rest.firstIndex(of: 0x29) {
            rest = text[(close + 1)...]
            let word = rest.prefix(64).drop { $0 <= 0x20 }
            guard word.prefix(6).elementsEqual("values".utf8, by: { $0 | 0x20 == $1 }),
                let open = text[..<close].suffix(longestHead).lastIndex(where: { $0 == 0x28 || $0 == 0x29 }),
                text[open] == 0x28
            else { continue }
            let names = heads(text[(open + 1)..<close].split(separator: 0x2c).map(bare))
            var next = text[word.startIndex...].dropFirst(6)
            while let row = row(in: next) {
                slots += named(row.cells, by: names)
                next = text[row.end...]
            }
            rest = next
        }
        return slots
    }

    /// In bytes, of the names of columns.
    private static let longestHead = 1 << 10
    /// In bytes: one that does not end is looked for an end once for each list of columns.
    private static let longestRow = 1 << 12

    /// The cells of the next list in brackets, and where it ends; nil where something else stands before it.
    private static func row(in text: ArraySlice<UInt8>) -> (cells: [ArraySlice<UInt8>], end: Int)? {
        let open = text.drop { $0 <= 0x20 || $0 == 0x2c }.prefix(longestRow)
        guard let bracket = open.first, bracket == 0x28 || bracket == 0x5b else { return nil }
        let close: UInt8 = bracket == 0x28 ? 0x29 : 0x5d
        var cells: [ArraySlice<UInt8>] = []
        var start = open.startIndex + 1
        var quote: UInt8?
        var isEscaped = false
        for index in open.indices.dropFirst() {
            let byte = text[index]
            if let mark = quote {
                if byte == mark, !isEscaped { quote = nil }
                isEscaped = byte == 0x5c && !isEscaped
            } else if byte == 0x27 || byte == 0x22 {
                quote = byte
            } else if byte == 0x2c || byte == close {
                cells.append(bare(text[start..<index]))
                start = index + 1
                if byte == close { return (cells, index + 1) }
            }
        }
        return nil
    }

    /// Without the space and the quotation marks around it.
    private static func bare(_ cell: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        let isAround: (UInt8) -> Bool = { $0 <= 0x20 || [0x22, 0x27, 0x2a, 0x60].contains($0) }
        let rest = cell.drop(while: isAround)
        return rest.lastIndex { !isAround($0) }.map { rest[...$0] } ?? rest
    }
}
