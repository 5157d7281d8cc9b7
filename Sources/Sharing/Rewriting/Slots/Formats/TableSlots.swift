import Captures

/// A table whose first line names its columns, as exports of users are: `id,email,birth_date`.
enum TableSlots {
    /// None where the text is no such table.
    static func slots(in text: ArraySlice<UInt8>) -> [Slot] {
        let text = withoutSeparator(TextKind.withoutMark(text))
        guard let end = text.firstIndex(of: 0x0a), end - text.startIndex <= longestHead else { return [] }
        let head = withoutReturn(text[..<end])
        guard let separator = separators.first(where: head.contains) else { return [] }
        let names = cells(of: head, separator).map { SlotReader.string(text[$0]) }
        guard names.count > 1, names.allSatisfy(isName) else { return [] }
        let columns = ofPeople(names)
        var slots: [Slot] = []
        var rest = text[(end + 1)...]
        while !rest.isEmpty {
            let line = rest.prefix { $0 != 0x0a }
            rest = rest[line.endIndex...].dropFirst()
            let cells = cells(of: withoutReturn(line), separator)
            guard cells.count > 1 else { continue }
            // A row that is cut has fewer; what stands behind the last column has no name.
            for (index, cell) in cells.enumerated() where !cell.isEmpty {
                slots.append(Slot(name: index < columns.count ? columns[index] : "", range: cell))
            }
        }
        return slots
    }

    /// What a table has under names that mean somebody among people's data (`street`), where another column is somebody's.
    static func ofPeople(_ names: [String]) -> [String] {
        func isPersonal(_ name: String, in container: TextKind) -> Bool {
            guard case .secret(let kind) = SecretRoles.role(of: name, in: container) else { return false }
            return kind.isPersonal
        }
        guard names.contains(where: { isPersonal($0, in: .text) }) else { return names }
        return names.map { name in
            isPersonal(name, in: .claims) && !isPersonal(name, in: .text) ? "user_" + name : name
        }
    }

    private static let longestHead = 2048
    private static let separators: [UInt8] = [0x09, 0x3b, 0x2c]

    /// Without the quotation marks around them; a separator between them is none.
    private static func cells(of line: ArraySlice<UInt8>, _ separator: UInt8) -> [Range<Int>] {
        var cells: [Range<Int>] = []
        var start = line.startIndex
        var isQuoted = false
        func add(_ end: Int) {
            let isWhole = end - start > 1 && line[start] == 0x22 && line[end - 1] == 0x22
            cells.append(isWhole ? (start + 1)..<(end - 1) : start..<end)
        }
        for index in line.indices {
            if line[index] == 0x22 { isQuoted.toggle() }
            guard line[index] == separator, !isQuoted else { continue }
            add(index)
            start = index + 1
        }
        add(line.endIndex)
        return cells
    }

    /// What a column may be called, of three words at most; a sentence with a comma in it has other words.
    private static func isName(_ name: String) -> Bool {
        // Of the numbers of the rows.
        if name == "#" { return true }
        let words = name.utf8.split(separator: 0x20, omittingEmptySubsequences: false)
        return name.utf8.count <= 40 && words.count <= 3 && words[0].first.map(\.isASCIILetter) == true
            && words.allSatisfy { word in
                !word.isEmpty
                    && word.allSatisfy { $0.isASCIIAlphanumeric || [0x5f, 0x2d, 0x2e].contains($0) }
            }
    }

    /// Without the first line `sep=;`, which says to a program for tables what stands between two cells.
    private static func withoutSeparator(_ text: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        let line = text.prefix(8).prefix { $0 != 0x0a }
        guard withoutReturn(line).count == 5, line.starts(with: "sep=".utf8), line.endIndex < text.endIndex
        else {
            return text
        }
        return text[(line.endIndex + 1)...]
    }

    private static func withoutReturn(_ line: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        line.last == 0x0d ? line.dropLast() : line
    }
}
