/// Bytes in base 85 between `<~` and `~>`, as PostScript and PDF have them (PostScript Language Reference, section 3.2.2).
///
/// White space in them, and groups that are no number of 32 bits, are not read.
struct ASCII85Text {
    /// Of what stands between the marks, in the text.
    let range: Range<Int>
    let bytes: [UInt8]
    /// The digits of each group: five, one for four zeros, fewer at the end.
    private let groups: [[UInt8]]

    /// All of them in a text, in order.
    static func all(in text: [UInt8]) -> [Self] {
        var found: [Self] = []
        var start = 0
        while let end = Bytes.index(of: [0x7e, 0x3e], in: text, from: start) {
            // `<` alone is a digit.
            if let open = (start..<end).dropLast().last(where: { text[$0] == 0x3c && text[$0 + 1] == 0x7e }),
                let own = Self(text, (open + 2)..<end)
            {
                found.append(own)
            }
            start = end + 2
        }
        return found
    }

    private init?(_ text: [UInt8], _ range: Range<Int>) {
        self.range = range
        var groups: [[UInt8]] = []
        var bytes: [UInt8] = []
        var group: [UInt8] = []
        for digit in text[range] {
            if digit == Self.zeros, group.isEmpty {
                groups.append([digit])
                bytes += [0, 0, 0, 0]
                continue
            }
            group.append(digit)
            guard group.count == 5 else { continue }
            guard let own = Base85Alphabet.ascii85.decoded(group) else { return nil }
            groups.append(group)
            bytes += own
            group = []
        }
        if !group.isEmpty {
            guard let own = Base85Alphabet.ascii85.decoded(group) else { return nil }
            groups.append(group)
            bytes += own
        }
        (self.groups, self.bytes) = (groups, bytes)
    }

    /// Four of them in one digit.
    private static let zeros: UInt8 = 0x7a

    /// Other bytes in the place of these, with as many digits; nil where there are others of them.
    func encoding(_ other: [UInt8]) -> [UInt8]? {
        guard other.count == bytes.count else { return nil }
        var output: [UInt8] = []
        var start = 0
        for group in groups {
            let count = group.count == 1 ? 4 : group.count - 1
            let own = Array(other[start..<(start + count)])
            if own.elementsEqual(bytes[start..<(start + count)]) {
                output += group
            } else {
                guard group.count > 1 else { return nil }
                output += Base85Alphabet.ascii85.encoded(own)
            }
            start += count
        }
        return output
    }
}
