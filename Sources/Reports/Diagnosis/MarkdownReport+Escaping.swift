import Captures

/// Words and values of a capture as Markdown.
extension MarkdownReport {
    /// Sentences of a rule: what stands between backticks in them is code, and nothing else is markup.
    static func prose(_ text: String) -> String {
        let parts = text.split(separator: "`", omittingEmptySubsequences: false).map(String.init)
        let codes = parts.indices.filter { $0 % 2 == 1 }
        // A backtick without its other half, or around nothing, is no more than a backtick.
        guard parts.count % 2 == 1, codes.allSatisfy({ !parts[$0].isEmpty }) else { return escaped(text) }
        return parts.indices.map { index in
            guard index % 2 == 0 else { return code(parts[index]) }
            let text = escaped(parts[index])
            // Two codes beside each other would be one.
            let isBeside = text.hasPrefix("`") && index > 0 || text.hasSuffix("`") && index + 1 < parts.count
            return isBeside ? withoutMarkup(parts[index].printable.unicodeScalars[...]) : text
        }.joined()
    }

    /// Text in which nothing is markup: what a capture holds may be anything.
    ///
    /// What code hosts make a link of by itself, an address, somebody's name behind an at sign, the number of an issue, is code,
    /// in which they do not: no backslash keeps them from it, and marks that are not seen would be copied.
    static func escaped(_ text: String) -> String {
        var result = ""
        var rest = text.printable.unicodeScalars[...]
        while !rest.isEmpty {
            let word = rest.prefix { !isBetweenWords($0) }
            let between = rest[word.endIndex...].prefix(while: isBetweenWords)
            result += escaped(word: word) + withoutMarkup(between)
            rest = rest[between.endIndex...]
        }
        return result
    }

    /// White space, and what could not stand in code, or in a table's.
    private static func isBetweenWords(_ scalar: Unicode.Scalar) -> Bool {
        scalar.properties.isWhitespace || "`|\\".unicodeScalars.contains(scalar)
    }

    private static func escaped(word: Substring.UnicodeScalarView) -> String {
        let inner = word.drop { "\"'([{<*_~".unicodeScalars.contains($0) }
        guard let last = inner.lastIndex(where: { !"\"')]}>*_~.,;:!?".unicodeScalars.contains($0) }),
            isLinked(inner[...last])
        else { return withoutMarkup(word) }
        let end = inner.index(after: last)
        return withoutMarkup(word[..<inner.startIndex]) + code(String(inner[..<end]))
            + withoutMarkup(word[end...])
    }

    /// Whether a word is made a link of: `https://…`, `www.…`, `ada@shop.example`, `@ada`, `#12`, `acme/shop#12`.
    private static func isLinked(_ word: Substring.UnicodeScalarView) -> Bool {
        if String(word.prefix(4)).lowercased() == "www." { return true }
        return word.indices.dropLast().contains { index in
            let next = word[word.index(after: index)].properties
            switch word[index] {
            case "@": return next.isAlphabetic || next.numericType != nil
            case "#": return next.numericType != nil
            case "/": return word[..<index].reversed().starts(with: "/:".unicodeScalars)
            default: return false
            }
        }
    }

    /// Each mark behind a backslash.
    private static func withoutMarkup(_ text: Substring.UnicodeScalarView) -> String {
        var result = ""
        for scalar in text {
            if "\\`*_{}[]<>#|!~&".unicodeScalars.contains(scalar) { result.unicodeScalars.append("\\") }
            result.unicodeScalars.append(scalar)
        }
        return result
    }

    /// A value as code in a cell of a table: a bar would end the cell, in code as well.
    ///
    /// Of a bar with a backslash of its own before it some take the two backslashes for one, and the bar for the cell's end
    /// (micromark): it is named by its number.
    static func codeInTable(_ text: String) -> String {
        code(text).replacingBytes("\\|", with: "\\\\u{7c}").replacingBytes("|", with: "\\|")
    }

    /// A value as code outside of tables: fenced by more backticks than it holds in a row.
    static func code(_ text: String) -> String {
        let text = text.printable
        guard !text.isEmpty else { return "(empty)" }
        var longest = 0
        var run = 0
        for byte in text.utf8 {
            run = byte == 0x60 ? run + 1 : 0
            longest = max(longest, run)
        }
        let fence = String(repeating: "`", count: longest + 1)
        let space = longest > 0 ? " " : ""
        return fence + space + text + space + fence
    }
}
