import Captures

/// Dictionaries as apps for Apple's systems print them, a member in each line: `{\n    password = Kestrel;\n    age = 7;\n}`; what has
/// other marks than letters, digits and underscores in it stands between quotation marks.
///
/// What has a line of another kind in it is the body of a program's function.
enum DescribedObjects {
    static func slots(in text: ArraySlice<UInt8>) -> [Slot] {
        guard text.count <= longest, text.contains(0x3b) else { return [] }
        var slots: [Slot] = []
        var rest = text
        while let open = rest.firstRange(of: Array("{\n".utf8)) {
            rest = text[open.upperBound...]
            guard mayBegin(behind: text[..<open.lowerBound]), let members = members(in: rest) else {
                continue
            }
            slots += members.slots
            rest = text[members.end...]
        }
        return slots
    }

    /// In bytes: larger ones are programs.
    private static let longest = 1 << 16
    private static let deepest = 32

    /// Whether what stands before a brace is no head of a function or a branch: nothing, what it is given to, a list.
    private static func mayBegin(behind text: ArraySlice<UInt8>) -> Bool {
        guard let last = text.last(where: { $0 > 0x20 }) else { return true }
        return [0x28, 0x2c, 0x3a, 0x3d].contains(last)
    }

    /// The members up to the brace that closes, and where that is; nil where a line is none of theirs.
    private static func members(in text: ArraySlice<UInt8>) -> (slots: [Slot], end: Int)? {
        var slots: [Slot] = []
        var depth = 1
        var start = text.startIndex
        while start < text.endIndex {
            let line = text[start...].prefix { $0 != 0x0a }
            start = min(line.endIndex + 1, text.endIndex)
            let own = line.drop { $0 <= 0x20 }
            if own.first == 0x7d || own.first == 0x29 {
                depth -= 1
                if depth == 0 { return slots.isEmpty ? nil : (slots, line.endIndex) }
                continue
            }
            if own.last == 0x7b || own.last == 0x28 {
                depth += 1
                guard depth <= deepest, own.count == 1 || isOpened(own.dropLast()) else { return nil }
                continue
            }
            if let slot = member(own) {
                if !slot.range.isEmpty { slots.append(slot) }
            } else if !isElement(own) {
                return nil
            }
        }
        return nil
    }

    /// `name = value;`, of which either may be between quotation marks.
    private static func member(_ line: ArraySlice<UInt8>) -> Slot? {
        guard line.last == 0x3b, let equals = line.firstRange(of: Array(" = ".utf8)) else { return nil }
        guard let name = bare(line[..<equals.lowerBound]), !name.isEmpty,
            let value = bare(line[equals.upperBound...].dropLast())
        else { return nil }
        return Slot(name: SlotReader.string(name), range: value.startIndex..<value.endIndex)
    }

    /// `name =     `, before the brace of what it holds.
    private static func isOpened(_ line: ArraySlice<UInt8>) -> Bool {
        let own = line.prefix(
            (line.lastIndex { $0 > 0x20 }.map { $0 + 1 } ?? line.startIndex) - line.startIndex
        )
        guard own.last == 0x3d, own.dropLast().last == 0x20, let name = bare(own.dropLast(2)) else {
            return false
        }
        return !name.isEmpty
    }

    /// An element of a list in it.
    private static func isElement(_ line: ArraySlice<UInt8>) -> Bool {
        bare(line.last == 0x2c ? line.dropLast() : line) != nil
    }

    /// A word, or what stands between quotation marks; nil for others.
    private static func bare(_ text: ArraySlice<UInt8>) -> ArraySlice<UInt8>? {
        if text.count >= 2, text.first == 0x22, text.last == 0x22 { return text.dropFirst().dropLast() }
        return text.allSatisfy(\.isASCIIWordByte) ? text : nil
    }
}
