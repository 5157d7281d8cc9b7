/// What the cells of a table and the terms of a list are called: by the cell before them, or by the heads of their columns.
struct TableCells {
    /// What the cell before says.
    private var label: String?
    /// Of the row that is read; empty for those without a text, as above boxes to tick and buttons.
    private var heads: [String] = []
    /// Of the table, where one of its rows is nothing but heads; empty for those that tell nothing.
    private var columns: [String] = []
    /// Cells of the row so far.
    private var count = 0

    /// Another tag than that of a cell with a text.
    mutating func meet(_ tag: String) {
        switch tag {
        case "tr":
            if heads.count(where: { !$0.isEmpty }) > 1, heads.count == count { columns = Self.columns(heads) }
            (label, heads, count) = (nil, [], 0)
        case "table", "dl": self = TableCells()
        // One without a text.
        case "td", "th":
            if tag == "th" || columns.isEmpty { heads.append("") }
            count += 1
        default: break
        }
    }

    /// What a column may be called: a `Name` is somebody's where another column is, too, and a thing's elsewhere.
    static func columns(_ heads: [String]) -> [String] {
        let tellPasswords = heads.contains { head in
            if case .secret(.password) = SecretRoles.role(of: head, in: .text) { true } else { false }
        }
        return TableSlots.ofPeople(heads).map { head in
            if case .secret = SecretRoles.role(of: head, in: .text) { return head }
            // `User` beside `Password` is who signs in.
            return tellPasswords && SecretRoles.namesAccount(head) ? "username" : ""
        }
    }

    /// Takes a cell that is a link: the head of a column by which a table is put in order, or somebody in a column of people; nil
    /// for others, which lead somewhere, as `Change` does beside `Password`.
    mutating func name(ofLink tag: String, saying words: String) -> String? {
        defer { count += 1 }
        let column = count < columns.count ? columns[count] : ""
        // The heads may stand below the table once more.
        let isOfPage =
            MarkupSlots.isTelling(words) || SecretRoles.isWord(words) || ShownNames.areOfPage(words)
        if !isOfPage, case .secret(let kind) = SecretRoles.role(of: column, in: .text), kind.isPersonal {
            return column
        }
        if tag == "th" { heads.append(words) }
        return nil
    }

    /// Takes a cell; what it is called, nil for one that is a name itself.
    ///
    /// `words`: what it says.
    mutating func name(ofCell tag: String, saying words: String) -> String? {
        defer { if tag == "td" || tag == "th" { count += 1 } }
        let isValue = tag == "dd" || tag == "td"
        let isBelowHead = isValue && count < columns.count
        // Below heads like `Parameter` and `Value` the cell before tells.
        if isBelowHead, !columns[count].isEmpty {
            label = nil
            return columns[count]
        }
        if isValue, let name = label {
            label = nil
            return name
        }
        label = words.hasSuffix(":") ? String(words.dropLast()) : words
        if tag == "th" { heads.append(label ?? "") }
        return isBelowHead ? "" : nil
    }
}
