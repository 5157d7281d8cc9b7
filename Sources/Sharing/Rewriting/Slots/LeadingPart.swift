import Captures

/// Where the address or the document ends that a text begins with, and what stands behind it: lists of addresses, logs and files of
/// settings go on.
enum LeadingPart {
    /// The index behind the address that a text begins with.
    ///
    /// White space ends it, but for marks of a sanitizer (`state=[state redacted]&code=…`), and for values that are written with
    /// their spaces (`error_description=not found&state=…`): their line belongs to it.
    static func endOfAddress(in text: ArraySlice<UInt8>) -> Int {
        let end = firstBlank(in: text)
        guard text[..<end].contains(0x3f) else { return end }
        let line = text[end...].prefix { $0 != 0x0a && $0 != 0x0d }
        guard let mark = line.firstIndex(of: 0x26), !line[..<mark].contains(0x3d) else { return end }
        let name = line[(mark + 1)...].prefix(while: TextKind.isNameByte)
        let goesOn = !name.isEmpty && name.endIndex < line.endIndex && line[name.endIndex] == 0x3d
        return goesOn ? line.endIndex : end
    }

    private static func firstBlank(in text: ArraySlice<UInt8>) -> Int {
        var end = text.startIndex
        while true {
            end = text[end...].firstIndex { $0 <= 0x20 } ?? text.endIndex
            guard text[end...].starts(with: SecretFinder.endOfMark.utf8) else { return end }
            end += SecretFinder.endOfMark.utf8.count
        }
    }

    /// The index behind the document in JSON that a text begins with, where words follow; nil where it is all there is, is followed by
    /// others of its kind, be it with their lengths between them, or does not end.
    static func endOfDocument(in text: ArraySlice<UInt8>) -> Int? {
        guard TextKind.opensDocument(text), let end = end(ofBrackets: text) else { return nil }
        let gap = text[end...].prefix { $0 <= 0x20 || marks.contains($0) }
        guard gap.contains(where: { $0 <= 0x20 }), gap.endIndex < text.endIndex,
            text[gap.endIndex].isASCIILetter || text[gap.endIndex] >= 0x80
        else { return nil }
        return end
    }

    /// What may stand between a document and words, with white space: `{"a":1}, see …`, `{"a":1} - see …`, `{"a":1} (see …)`.
    private static let marks = Array(",;:-|(#/".utf8)

    private static func end(ofBrackets text: ArraySlice<UInt8>) -> Int? {
        var depth = 0
        var isInString = false
        var isEscaped = false
        for index in text.indices {
            if isInString {
                isInString = isEscaped || text[index] != 0x22
                isEscaped = !isEscaped && text[index] == 0x5c
                continue
            }
            switch text[index] {
            case 0x22: isInString = true
            case 0x7b, 0x5b: depth += 1
            case 0x7d, 0x5d:
                depth -= 1
                if depth <= 0 { return index + 1 }
            default: break
            }
        }
        return nil
    }

    /// Whether a text that holds JSON begins with words, as a sentence does and no program: `login failed (3): {"a":"b"}`.
    static func isOfWords(_ text: ArraySlice<UInt8>) -> Bool {
        let words = text.prefix(longestBeginning).split(maxSplits: mostWords) { $0 <= 0x20 }
            .prefix(mostWords)
        guard let first = words.first, let last = first.last else { return false }
        let own = [0x21, 0x2c, 0x3a, 0x3b].contains(last) ? first.dropLast() : first
        guard !own.isEmpty, own.allSatisfy({ $0.isASCIILetter || $0 >= 0x80 }),
            !beginnings.contains(SlotReader.string(own)),
            // `failed (3) since`: what a program calls has another mark behind it.
            let next = words.dropFirst().first(where: { $0.first != 0x28 || $0.last != 0x29 })
        else { return false }
        // `curl -u …`, but `a - b`.
        return (next.first == 0x2d ? next.drop { $0 == 0x2d } : next).first.map {
            $0.isASCIILetter || $0 >= 0x80
        } ?? false
    }

    /// Whether a document in JSON stands behind a word or what is in brackets, as it does in a log and in no program:
    /// `login {"a":"b"} (c=d)`.
    static func isBesideDocument(_ text: ArraySlice<UInt8>) -> Bool {
        let head = text.prefix(longestHead)
        var rest = head
        while let open = rest.firstIndex(of: 0x7b) {
            rest = head[(open + 1)...]
            guard rest.first == 0x22, isBehindWord(open, in: head) else { continue }
            let name = rest.dropFirst().prefix { $0.isASCIIWordByte || $0 == 0x2d || $0 == 0x2e }
            if !name.isEmpty, head[name.endIndex...].starts(with: [0x22, 0x3a]) { return true }
        }
        return false
    }

    /// In bytes, of a text, in which such a document begins.
    private static let longestHead = 1 << 12

    /// Whether a blank stands before a place, and before that a word, or the end of what is in brackets.
    private static func isBehindWord(_ place: Int, in text: ArraySlice<UInt8>) -> Bool {
        let before = text[..<place]
        guard before.last == 0x20, let last = before.dropLast().last else { return false }
        guard last != 0x29, last != 0x5d else { return true }
        let word = before.dropLast().suffix(longestWord).reversed().prefix {
            $0.isASCIIWordByte || $0 >= 0x80
        }
        return !word.isEmpty && !beginnings.contains(SlotReader.string(word.reversed()))
    }

    /// In bytes.
    private static let longestWord = 24

    /// In bytes, in which the first words of a text stand.
    private static let longestBeginning = 1 << 8
    private static let mostWords = 4

    /// The words behind which another one stands in programs, queries and schemas, at their beginning.
    private static let beginnings: Set<String> = [
        "abstract", "and", "async", "await", "case", "class", "const", "declare", "def", "default", "delete",
        "directive", "do", "else", "enum", "export", "extend", "final", "for", "fragment", "from", "func",
        "function", "if", "import", "in", "input", "interface", "let", "module", "mutation", "namespace",
        "new",
        "not", "of", "or", "package", "private", "protected", "public", "query", "require", "return",
        "scalar", "schema",
        "static", "struct", "subscription", "switch", "throw", "try", "type", "typeof", "union", "using",
        "var", "void", "while", "with", "yield",
    ]

    /// What stands behind one of them, a text by itself; none where nothing does.
    static func slots(behind end: Int, in text: ArraySlice<UInt8>) -> [Slot] {
        let rest = text[end...].drop { $0 <= 0x20 }
        guard let last = rest.lastIndex(where: { $0 > 0x20 }) else { return [] }
        let range = rest.startIndex..<(last + 1)
        return [Slot(name: "", range: range, kind: kind(of: text[range]))]
    }

    /// Addresses of a list are read beside each other, and not each within the one before.
    private static func kind(of text: ArraySlice<UInt8>) -> TextKind {
        let kind = TextKind.guessed(text)
        guard kind == .url else { return kind }
        return TextKind.isLines(text) ? .lines : .text
    }
}
