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
        var isEmpty = true
        for word in split(separator: " ") {
            if !isEmpty, line.count + 1 + word.count > columns {
                lines.append(line)
                line = indent + hanging
                isEmpty = true
            }
            line += (isEmpty ? "" : " ") + word
            isEmpty = false
        }
        return isEmpty ? lines : lines + [line]
    }
}
