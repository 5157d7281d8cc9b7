/// What stands outside of strings in JSON of others, as JSON.
enum LenientWords {
    /// Whether the byte may be part of a bare word or a number.
    static func belongs(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x30...0x39, 0x41...0x5a, 0x61...0x7a, 0x5f, 0x24, 0x2b, 0x2d, 0x2e: true
        default: false
        }
    }

    /// Nil for words that mean nothing.
    static func json(of word: [UInt8]) -> [UInt8]? {
        guard let first = word.first else { return nil }
        let text = String(decoding: word, as: UTF8.self)
        switch text {
        case "true", "false", "null": return word
        case "True": return Array("true".utf8)
        case "False": return Array("false".utf8)
        case "None", "undefined", "NaN", "nan", "-NaN", "Infinity", "-Infinity", "+Infinity", "inf", "-inf":
            // JSON has no word for a number that is none; what is missing is treated as not measured.
            return Array("null".utf8)
        default: break
        }
        guard first == 0x2b || first == 0x2d || first == 0x2e || first.isASCIIDigit else {
            return nil
        }
        return number(word)
    }

    /// JSON's spelling of a number; nil for what is none.
    private static func number(_ word: [UInt8]) -> [UInt8]? {
        var rest = word[...]
        var out: [UInt8] = []
        if rest.first == 0x2b || rest.first == 0x2d {
            if rest.removeFirst() == 0x2d { out.append(0x2d) }
        }
        var whole = rest.prefix { $0.isASCIIDigit }
        rest = rest[whole.endIndex...]
        var fraction: ArraySlice<UInt8> = []
        if rest.first == 0x2e {
            rest.removeFirst()
            fraction = rest.prefix { $0.isASCIIDigit }
            rest = rest[fraction.endIndex...]
        }
        guard !whole.isEmpty || !fraction.isEmpty else { return nil }
        while whole.count > 1, whole.first == 0x30 { whole.removeFirst() }
        out += whole.isEmpty ? [0x30] : whole
        if !fraction.isEmpty { out += [0x2e] + fraction }
        if let mark = rest.first, mark | 0x20 == UInt8(ascii: "e") {
            rest.removeFirst()
            out.append(mark)
            if let sign = rest.first, sign == 0x2b || sign == 0x2d { out.append(rest.removeFirst()) }
            let digits = rest.prefix { $0.isASCIIDigit }
            guard !digits.isEmpty else { return nil }
            out += digits
            rest = rest[digits.endIndex...]
        }
        return rest.isEmpty ? out : nil
    }

    /// Appends a control character or a quote as JSON has it in a string.
    static func append(escaped byte: UInt8, to out: inout [UInt8]) {
        guard byte < 0x20 else {
            out += [0x5c, byte]
            return
        }
        out += Array("\\u00".utf8) + Hexadecimal.digits(of: byte)
    }
}
