/// What Swift and Foundation print of their values.
enum AppleDescription {
    // MARK: - A dictionary of Swift's

    /// Header fields: `["Accept": "application/json", "Authorization": "Bearer t1"]`.
    static func fields(ofDictionary text: Substring) -> [HeaderFields.Field] {
        var rest = text.utf8.dropFirst(text.hasPrefix("Optional([") ? 10 : 1)
        var fields: [HeaderFields.Field] = []
        while let name = literal(&rest) {
            guard rest.starts(with: ": ".utf8) else { break }
            rest = rest.dropFirst(2)
            guard let value = literal(&rest) else { break }
            fields.append(HeaderFields.Field(name: name, value: value))
            rest = rest.drop { $0 == 0x2c || $0 == 0x20 }
        }
        return fields
    }

    /// A text between quotes at the beginning, which is taken away; nil where there is none.
    private static func literal(_ rest: inout Substring.UTF8View) -> String? {
        guard rest.first == UInt8(ascii: "\"") else { return nil }
        var bytes: [UInt8] = []
        var isEscaped = false
        for index in rest.indices.dropFirst() {
            let byte = rest[index]
            if isEscaped {
                bytes.append(byte == UInt8(ascii: "n") ? 0x0a : byte == UInt8(ascii: "t") ? 0x09 : byte)
                isEscaped = false
            } else if byte == UInt8(ascii: "\\") {
                isEscaped = true
            } else if byte == UInt8(ascii: "\"") {
                rest = rest[rest.index(after: index)...]
                return String(decoding: bytes, as: UTF8.self)
            } else {
                bytes.append(byte)
            }
        }
        return nil
    }

    // MARK: - An NSHTTPURLResponse

    /// An answer: `<NSHTTPURLResponse: 0x1> { URL: https://op.example/token } { Status Code: 400, Headers {`, a field in each
    /// line or its values in lines below, and `} }`.
    ///
    /// `lines`: how many of the lines it takes. Nil where they do not begin with one.
    static func response(_ lines: [Substring]) -> (
        url: String, status: Int, fields: [HeaderFields.Field], lines: Int
    )? {
        guard let first = lines.first, first.hasPrefix("<NSHTTPURLResponse: "),
            let url = first.firstRange(of: "{ URL: "), let code = first.firstRange(of: " } { Status Code: "),
            url.upperBound < code.lowerBound,
            let status = Int(first[code.upperBound...].prefix { $0 != "," })
        else { return nil }
        let rest = lines.dropFirst()
        let end = rest.firstIndex { $0.hasPrefix("} }") } ?? rest.endIndex
        return (
            String(first[url.upperBound..<code.lowerBound]), status, fields(ofLines: rest[..<end]),
            min(end + 1, lines.count)
        )
    }

    /// `"Cache-Control" = "no-store";`, `Date = (`, the value in a line of its own, `);`.
    private static func fields(ofLines lines: ArraySlice<Substring>) -> [HeaderFields.Field] {
        var fields: [HeaderFields.Field] = []
        var name: String?
        for line in lines {
            let words = line.drop { $0 == " " }
            if let open = name {
                if words.hasPrefix(")") {
                    name = nil
                } else {
                    fields.append(HeaderFields.Field(name: open, value: value(words)))
                }
            } else if let sign = words.firstRange(of: " = ") {
                let field = value(words[..<sign.lowerBound])
                let told = words[sign.upperBound...].drop { $0 == " " }
                if told == "(" {
                    name = field
                } else {
                    fields.append(HeaderFields.Field(name: field, value: value(told)))
                }
            }
        }
        return fields
    }

    /// One with what ends it; between quotes where others than letters, digits and some signs are in it.
    private static func value(_ words: Substring) -> String {
        var rest = words.utf8
        if let text = literal(&rest) { return text }
        let end = words.utf8.last.map { $0 == UInt8(ascii: ";") || $0 == UInt8(ascii: ",") } ?? false
        return String(end ? words.dropLast() : words)
    }

    // MARK: - JSON among other lines

    /// The lines up to where the object or list ends that they begin with; nil where they begin with none, or it has no end.
    static func jsonText(_ lines: ArraySlice<Substring>) -> String? {
        guard let first = lines.first?.utf8.first, first == UInt8(ascii: "{") || first == UInt8(ascii: "[")
        else { return nil }
        var depth = 0
        var isText = false
        var isEscaped = false
        for index in lines.indices {
            for byte in lines[index].utf8 {
                switch byte {
                case _ where isEscaped: isEscaped = false
                case UInt8(ascii: "\\") where isText: isEscaped = true
                case UInt8(ascii: "\""): isText.toggle()
                case UInt8(ascii: "{") where !isText, UInt8(ascii: "[") where !isText: depth += 1
                case UInt8(ascii: "}") where !isText, UInt8(ascii: "]") where !isText: depth -= 1
                default: break
                }
            }
            if depth <= 0 { return lines[...index].joined(separator: "\n") }
        }
        return nil
    }
}
