import Captures

/// Stand-ins of values that have more of their address behind them, as a client sends them that cut a callback by hand.
extension StandIns {
    /// Of `…&state=…`, `…#_=_` the stand-in of what is before the mark, with its rest: parameters are called as they are,
    /// their values get their own stand-ins; nil for others.
    func withRest(_ text: String) -> String? {
        let bytes = Array(text.utf8)
        guard let mark = bytes.firstIndex(where: Self.restMarks.contains), mark >= FragmentIndex.shortestWord
        else { return nil }
        let head = String(decoding: bytes[..<mark], as: UTF8.self)
        guard found.kind(of: head) != nil else { return nil }
        var output = Array(standIn(for: head).utf8)
        var start = mark
        for index in (mark + 1)...bytes.count {
            guard index == bytes.count || Self.restMarks.contains(bytes[index]) else { continue }
            output.append(bytes[start])
            output += restItem(bytes[(start + 1)..<index])
            start = index
        }
        return String(decoding: output, as: UTF8.self)
    }

    /// What parts of an address begin with: `#`, `&`, `?`.
    private static let restMarks: Set<UInt8> = [0x23, 0x26, 0x3f]

    private func restItem(_ item: ArraySlice<UInt8>) -> [UInt8] {
        guard let equals = item.firstIndex(of: 0x3d) else { return cipher(Array(item)) }
        let (name, value) = (Array(item[..<equals]), item[(equals + 1)...])
        let own = SecretRoles.isWord(SlotReader.string(name)) ? name : cipher(name)
        let told = SlotReader.string(TextCoding.percent.decoded(value).bytes)
        let isPublic = found.wellKnown.contains(told) || found.open.contains(told) && !Drawn.looks(told.utf8)
        if isPublic { return own + [0x3d] + value }
        let known = found.kind(of: SlotReader.string(value)).map { _ in
            Array(standIn(for: SlotReader.string(value)).utf8)
        }
        return own + [0x3d] + (known ?? cipher(Array(value)))
    }
}
