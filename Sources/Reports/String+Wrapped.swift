extension String {
    /// The text in lines, broken at spaces; a word that is longer than a line has one of its own.
    ///
    /// - Parameters:
    ///   - columns: how wide lines may be, indentation included.
    ///   - indent: stands before each line.
    ///   - hanging: stands behind that from the second line on.
    /// - Returns: the lines; none for a text without words.
    func wrapped(to columns: Int, indent: String = "", hanging: String = "") -> [String] {
        var lines: [String] = []
        var line = indent
        var width = indent.count
        var isEmpty = true
        for word in utf8.split(separator: 0x20).lazy.map({ Substring($0) }) {
            if !isEmpty, width + 1 + word.width > columns {
                lines.append(line)
                line = indent + hanging
                width = line.count
                isEmpty = true
            }
            if !isEmpty {
                line += " "
                width += 1
            }
            line += word
            width += word.width
            isEmpty = false
        }
        return isEmpty ? lines : lines + [line]
    }

    /// An entry of a list: the text behind `head`, broken at spaces below its own beginning where it is wider than there is room, and
    /// below the head where that would leave it less than a few words' width.
    ///
    /// - Parameters:
    ///   - head: what stands first, as it is printed, with the spaces behind it.
    ///   - width: of `head`, in columns of the screen.
    ///   - columns: how wide lines may be; nil for as wide as they are.
    /// - Returns: the entry, whose lines stand one below the other.
    package func behind(_ head: String, of width: Int, columns: Int?) -> String {
        guard let columns, width + count > columns else { return head + self }
        if columns - width >= 28 {
            let lines = wrapped(to: columns - width)
            return head + lines.joined(separator: "\n" + String(repeating: " ", count: width))
        }
        var words = head.split(separator: " ", omittingEmptySubsequences: false)
        if width > columns { words = words.filter { !$0.isEmpty } }
        while words.last?.isEmpty == true { words.removeLast() }
        let lines = wrapped(to: columns, indent: "      ")
        return ([words.joined(separator: width > columns ? "  " : " ")] + lines).joined(separator: "\n")
    }

    /// The text in parts that are no wider than there is room, each space kept but the one at which a line is broken; whole where
    /// one of its words is wider.
    ///
    /// Styles take no room, and go on in the next part.
    ///
    /// - Parameters:
    ///   - room: for each part.
    ///   - hanging: how much less there is from the second one on.
    /// - Returns: the parts, one at least.
    func brokenAtSpaces(to room: Int, hanging: Int = 0) -> [String] {
        let words = split(separator: " ", omittingEmptySubsequences: false)
        let widths = words.map(\.styledWidth)
        guard widths.reduce(words.count - 1, +) > room, widths.allSatisfy({ $0 <= room - hanging }) else {
            return [self]
        }
        var parts: [String] = []
        var width = 0
        for (word, its) in zip(words, widths) {
            if !parts.isEmpty, width + 1 + its <= room - (parts.count == 1 ? 0 : hanging) {
                parts[parts.count - 1] += " " + word
                width += 1 + its
            } else {
                parts.append(String(word))
                width = its
            }
        }
        return parts
    }
}

extension Substring {
    /// In characters, without the sequences that switch a terminal's styles.
    var styledWidth: Int {
        guard utf8.contains(0x1b) else { return count }
        return replacing(/\x1b\[[0-9;]*m/, with: "").count
    }

    /// In characters, which of ASCII are its bytes; CR LF alone is one of two.
    fileprivate var width: Int { utf8.allSatisfy { $0 < 0x80 && $0 != 0x0d } ? utf8.count : count }
}
