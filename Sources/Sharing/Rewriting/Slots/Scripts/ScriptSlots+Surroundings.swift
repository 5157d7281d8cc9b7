import Captures

/// What stands around a token: which string is a name, which one a value, and what a function is called with.
extension ScriptSlots {
    /// Whether the list that begins here is the first in another one, or behind one.
    var isInList: Bool {
        let before = text[..<index].suffix(16).filter { $0 > 0x20 }.suffix(2)
        return before.last == 0x5b || before.elementsEqual([0x5d, 0x2c])
    }

    /// What the string says that begins here.
    func string(to end: Int) -> String {
        SlotReader.string(TextCoding.escapes.decoded(text[(index + 1)..<end]).bytes)
    }

    /// Whether a string that ends there is the name of what follows.
    func isName(before end: Int) -> Bool {
        let next = text[(end + 1)...].prefix(64).first { $0 > 0x20 }
        return next == 0x3a || bracket == 0x28 && next == 0x2c && Self.storing.contains(callee)
            || isIndex(behind: end + 1)
    }

    /// Whether a string that ends there is an index that a value is given to: `user["password"] = …`.
    private func isIndex(behind end: Int) -> Bool {
        guard let bracket = text[end...].prefix(8).firstIndex(where: { $0 > 0x20 }), text[bracket] == 0x5d
        else { return false }
        return startOfValue(from: bracket + 1).map { text[bracket + 1..<$0].contains(0x3d) } ?? false
    }

    /// Whether a single quote begins a string, and is no apostrophe.
    var isLiteral: Bool {
        guard let before = text[..<index].suffix(16).last(where: { $0 > 0x20 }) else {
            return index == text.startIndex
        }
        return [0x7b, 0x2c, 0x28, 0x5b, 0x3a, 0x3d, 0x3f, 0x2b, 0x26, 0x7c, 0x3b].contains(before)
    }

    /// Whether what stands here is given to a name: behind a colon or an equals sign.
    var isValue: Bool { isValue(before: index) }

    func isValue(before place: Int) -> Bool {
        let before = text[..<place].suffix(16).last { $0 > 0x20 }
        return before == 0x3a || before == 0x3d
    }

    /// Whether a string is what a function is called with: `t.username = name, request("/auth/", t)`; what a type is made of
    /// (`new Date("…")`), or a coding undone of, is the value itself.
    var isGivenToFunction: Bool {
        guard bracket == 0x28, !isValue, let first = callee.utf8.first else { return false }
        return (0x61...0x7a).contains(first) && !Self.storing.contains(callee)
            && !Self.decoding.contains(callee)
    }

    var wordBefore: String {
        SlotReader.string(
            Array(text[..<index].suffix(24).reversed().prefix(while: Self.beginsWord).reversed())
        )
    }

    /// Where the value begins that a script gives a name: `password: 'x'`, `token = "x"`; nil where it gives none.
    func startOfValue(from end: Int) -> Int? {
        guard let mark = text[end...].prefix(8).firstIndex(where: { $0 > 0x20 }),
            text[mark] == 0x3a || text[mark] == 0x3d,
            let value = text[(mark + 1)...].prefix(8).firstIndex(where: { $0 > 0x20 }),
            text[value] != 0x3d, text[value] != 0x3e
        else { return nil }
        return value
    }

    /// Where the string ends whose first character is at `start`, behind its quotation mark; nil where it does not.
    func endOfString(from start: Int) -> Int? {
        let mark = text[start - 1]
        var index = start
        while index < text.endIndex {
            if text[index] == 0x5c {
                index += 2
            } else if text[index] == 0x0a, mark == 0x27 {
                return nil
            } else if text[index] == mark {
                return index
            } else {
                index += 1
            }
        }
        return nil
    }

    /// Functions whose first argument names the second one.
    static let storing: Set<String> = ["setItem", "set", "append", "setRequestHeader", "header"]

    /// Functions, and words of scripts, that give back what they are given, written otherwise.
    private static let decoding: Set<String> = [
        "atob", "await", "btoa", "bytes", "concat", "decode", "decodeURI", "decodeURIComponent", "decrypt",
        "encode", "encodeURI", "encodeURIComponent", "encrypt", "env", "escape", "from", "getenv", "hash",
        "of", "parse", "quote", "return", "str", "trim", "unescape", "unquote", "values",
    ]

    static func beginsWord(_ byte: UInt8) -> Bool {
        byte.isASCIILetter || byte == 0x5f || byte == 0x24
    }
}
