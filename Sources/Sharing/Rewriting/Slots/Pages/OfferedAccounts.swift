import Captures

/// The name of somebody whose account a page offers, in an element that says whose it is:
/// `<div data-identifier="ada@mail.example"><div>Ada Quill</div>…`.
enum OfferedAccounts {
    static func slot(in element: HTMLAttributes, of text: ArraySlice<UInt8>) -> Slot? {
        guard let own = element.list.first(where: { $0.name == mark }), text[own.value].contains(0x40) else {
            return nil
        }
        var rest = text[element.end...].prefix(longest)
        while let open = rest.firstIndex(of: 0x3c) {
            let node = rest[..<open].drop { $0 <= 0x20 }
            if let last = node.lastIndex(where: { $0 > 0x20 }) {
                return GreetingSlots.name(in: node[...last], coding: .entities)
            }
            guard let close = rest[open...].firstIndex(of: 0x3e),
                rest[open..<close].firstRange(of: mark.utf8) == nil
            else { return nil }
            rest = rest[(close + 1)...]
        }
        return nil
    }

    private static let mark = "data-identifier"
    /// In bytes: a picture stands between at most.
    private static let longest = 1 << 10
}
