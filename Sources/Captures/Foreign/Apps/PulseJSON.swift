import JSON

/// JSON as Pulse shows it: members in lines of their own, and strings without the escapes that they had.
enum PulseJSON {
    /// What is shown in some lines; nil where they are no object that was set in lines.
    ///
    /// What is no JSON for want of escapes gets them back; what is none then is said to be cut, since the server sent JSON.
    static func shown(_ lines: ArraySlice<Substring>) -> AppCall.Shown? {
        guard lines.count > 1, lines.first == "{" || lines.first == "[" else { return nil }
        let text = lines.joined(separator: "\n")
        if AppCall.isJSON(text) { return .text(text, isCut: false) }
        let escaped = lines.map(escaped).joined(separator: "\n")
        return AppCall.isJSON(escaped) ? .text(escaped, isCut: false) : .text(text, isCut: true)
    }

    /// A line `"name": "text",` with the escapes of its text.
    private static func escaped(_ line: Substring) -> String {
        let depth = line.utf8.prefix { $0 == 0x20 }.count
        let words = line.dropFirst(depth)
        guard words.hasPrefix("\""), let colon = words.dropFirst().firstRange(of: "\": \"") else {
            return String(line)
        }
        let rest = words[colon.upperBound...]
        let isLast = !rest.hasSuffix(",")
        let value = isLast ? rest : rest.dropLast()
        guard value.hasSuffix("\"") else { return String(line) }
        let text = JSONWriter.text(of: .string(String(value.dropLast())))
        return line[..<colon.lowerBound] + "\": " + text + (isLast ? "" : ",")
    }
}
