import Captures

/// What a dump of Symfony in a page says that a value is called, in elements of its own: the key of a map
/// (`"<span class=sf-dump-key>password</span>" => "<span class=sf-dump-str>Zk9!wq</span>"`) or the property of an object
/// (`#<span class=sf-dump-protected>email</span>: "<span class=sf-dump-str>…`).
struct DumpedNames {
    /// What the value behind is called, where that says something of it.
    private var name: String?

    /// The value that an element holds whose name was met before; nil for other elements.
    mutating func slot(in element: HTMLAttributes, of text: ArraySlice<UInt8>) -> Slot? {
        guard element.tag == "span",
            let part = element.list.first(where: { $0.name == "class" }).flatMap({ dumped(text[$0.value]) })
        else { return nil }
        let content = text[element.end...].prefix(Self.longest).prefix { $0 != 0x3c }
        let range = content.startIndex..<content.endIndex
        switch part {
        case "key", "meta", "private", "protected", "public":
            let own = SlotReader.string(content.prefix(Self.longestName))
            name = Self.isTelling(own) ? own : nil
        case "num", "str":
            defer { name = nil }
            return name.map { Slot(name: $0, range: range, coding: .entities) }
        default: name = nil
        }
        return nil
    }

    /// Of `sf-dump-key` what is behind the name of the dump; nil for other classes.
    private func dumped(_ value: ArraySlice<UInt8>) -> String? {
        let mark = Array("sf-dump-".utf8)
        guard value.starts(with: mark) else { return nil }
        return SlotReader.string(value.dropFirst(mark.count).prefix { $0 > 0x20 })
    }

    /// Whether a name says something of its value, wherever it is met.
    static func isTelling(_ name: String) -> Bool {
        switch SecretRoles.role(of: name, in: .text) {
        case .secret(let kind): kind != .address
        case .drawn: true
        case .open, .parts, .unknown: false
        }
    }

    /// In bytes, of a value and of a name.
    private static let longest = 1 << 12
    private static let longestName = 64
}
