import Captures

/// What a page prints of a document or of a program's map with elements around its parts, in colours:
/// `<pre><span class="key">"password"</span>: <span>"Zk9!wq"</span>`.
struct HighlightedText {
    /// Up to where a page was looked through.
    private var end = 0

    /// The values of a text that an element begins; those that have elements inside of them are left out.
    mutating func slots(in element: HTMLAttributes, of text: ArraySlice<UInt8>) -> [Slot] {
        guard element.tag == "pre", element.end >= end else { return [] }
        let rest = text[element.end...].prefix(Self.longest)
        let close = rest.firstRange(of: Array("</pre".utf8))?.lowerBound
        end = close ?? rest.endIndex
        guard let close, rest[..<close].contains(0x3c) else { return [] }
        let plain = Plain(rest[..<close])
        let bytes = plain.bytes[...]
        let slots =
            TextKind.opensDocument(bytes)
            ? ScriptSlots.slots(in: bytes)
            : withLines(of: bytes, PairSlots.slots(in: bytes) + PrintedSlots.slots(in: bytes))
        return slots.compactMap { slot in
            guard let last = slot.range.last, DumpedNames.isTelling(slot.name) else { return nil }
            let range = plain.starts[slot.range.lowerBound]..<plain.ends[last]
            guard !text[range].contains(where: { $0 == 0x3c || $0 == 0x5c }) else { return nil }
            return Slot(name: slot.name, range: range, coding: .entities)
        }
    }

    /// With what stands in a line of its own, as YAML has it: `username: ada`; what has other marks is a program's.
    private func withLines(of text: ArraySlice<UInt8>, _ slots: [Slot]) -> [Slot] {
        let known = Set(slots.map(\.range.lowerBound))
        let lines = text.split(separator: 0x0a).compactMap { line -> Slot? in
            let own = line.drop { $0 == 0x20 || $0 == 0x2d }
            let name = own.prefix { $0.isBase64URLCharacter || $0 == 0x2e }
            guard !name.isEmpty, own[name.endIndex...].starts(with: ": ".utf8) else { return nil }
            let rest = own[name.endIndex...].dropFirst(2)
            let value = rest.lastIndex { $0 > 0x20 }.map { rest[...$0] } ?? rest.prefix(0)
            let called = SlotReader.string(name)
            guard value.allSatisfy({ $0.isASCIIAlphanumeric || Self.marks.contains($0) }),
                PrintedSlots.isMeant(value, of: called), !known.contains(value.startIndex)
            else { return nil }
            return Slot(name: called, range: value.startIndex..<value.endIndex)
        }
        return slots + lines
    }

    private static let marks = Set("+-.@_".utf8)

    /// In bytes.
    private static let longest = 1 << 16

    /// A text without its elements and its character references.
    private struct Plain {
        private(set) var bytes: [UInt8] = []
        /// Where each byte begins and ends in the page.
        private(set) var starts: [Int] = []
        private(set) var ends: [Int] = []

        init(_ text: ArraySlice<UInt8>) {
            var index = text.startIndex
            // Xdebug says in one of which type a value is.
            var isSmall = false
            while index < text.endIndex {
                if text[index] == 0x3c {
                    let tag = HTMLAttributes(text, from: index + 1)
                    if tag.tag == "small" { isSmall = true }
                    if text[(index + 1)...].starts(with: "/small".utf8) { isSmall = false }
                    index = tag.end
                    continue
                }
                let node = text[index...].prefix { $0 != 0x3c }
                index = node.endIndex
                if !isSmall { append(TextCoding.entities.decoded(node)) }
            }
        }

        private mutating func append(_ node: DecodedText) {
            bytes += node.bytes
            starts += node.bytes.indices.map { node.place(of: $0) }
            ends += node.bytes.indices.map { node.place(of: $0 + 1) }
        }
    }
}
