import Captures

/// Lines in which programs log what they send and get: header fields behind `> ` and `< ` as curl has them, forms by themselves as
/// OkHttp has them, what an app for iOS prints of a dictionary (`"given_name" = Ada;`).
enum TraceLines {
    /// What stands in such a line; nil where it is none.
    static func slots(inLine line: ArraySlice<UInt8>) -> [Slot]? {
        if isForm(line) { return [Slot(name: "", range: line.startIndex..<line.endIndex, kind: .form)] }
        if let member = member(line) { return [member] }
        guard let mark = line.first, mark == 0x3c || mark == 0x3e, line.dropFirst().first == 0x20 else {
            return nil
        }
        let own = line.drop { $0 == mark || $0 == 0x20 }
        // `GET /me HTTP/1.1`
        let words = own.prefix(longest).split(separator: 0x20)
        if words.count == 3, words[2].starts(with: "HTTP/".utf8) {
            return [Slot(name: "url", range: words[1].startIndex..<words[1].endIndex, kind: .url)]
        }
        // A tag begins with the same mark.
        return own.isEmpty || own.contains(0x3c) ? nil : SlotReader.fields(own)
    }

    /// The same of a text that was read as a script for what is among its lines.
    static func slots(in text: ArraySlice<UInt8>) -> [Slot] {
        guard text.count <= longest, text.contains(0x0a), !TextKind.opensDocument(text) else { return [] }
        return text.split { $0 == 0x0a || $0 == 0x0d }.flatMap { slots(inLine: $0) ?? [] }
            + HeaderLineSlots.slots(in: text)
    }

    /// What apps print of dictionaries among the lines of a text.
    static func members(in text: ArraySlice<UInt8>) -> [Slot] {
        guard text.firstRange(of: quotedBefore) != nil else { return [] }
        return text.split { $0 == 0x0a || $0 == 0x0d }.compactMap(member)
    }

    /// In bytes: larger ones are programs.
    private static let longest = 1 << 16
    /// In bytes, of a name.
    private static let longestName = 64

    /// Whether a line is two parameters and more, and nothing else.
    private static func isForm(_ line: ArraySlice<UInt8>) -> Bool {
        let line = line.last == 0x0d ? line.dropLast() : line
        guard let equals = line.prefix(longestName).firstIndex(of: 0x3d), equals > line.startIndex,
            line[..<equals].allSatisfy(isOfName), line[equals...].contains(0x26),
            line.allSatisfy({ $0 > 0x20 && ![0x22, 0x27, 0x28, 0x3b, 0x7b].contains($0) })
        else { return false }
        return line.split(separator: 0x26, omittingEmptySubsequences: false).allSatisfy { part in
            part.firstIndex(of: 0x3d).map { $0 > part.startIndex && part[..<$0].allSatisfy(isOfName) }
                ?? false
        }
    }

    private static func isOfName(_ byte: UInt8) -> Bool {
        byte.isASCIIWordByte || [0x25, 0x2d, 0x2e, 0x5b, 0x5d].contains(byte)
    }

    /// A member whose value has no quotation marks: in a program nothing is given to a string.
    private static func member(_ line: ArraySlice<UInt8>) -> Slot? {
        let own = line.drop(while: \.isBlank)
        guard own.first == 0x22, let close = own.dropFirst().prefix(longestName).firstIndex(of: 0x22),
            own[close...].dropFirst().starts(with: equalsSign)
        else { return nil }
        let value = own[(close + 1 + equalsSign.count)...].prefix { $0 != 0x3b && $0 != 0x0d }
        guard let first = value.first, ![0x22, 0x28, 0x3c, 0x7b].contains(first) else { return nil }
        return Slot(
            name: SlotReader.string(own[(own.startIndex + 1)..<close]),
            range: value.startIndex..<value.endIndex
        )
    }

    private static let equalsSign = Array(" = ".utf8)
    private static let quotedBefore = Array("\" = ".utf8)
}
