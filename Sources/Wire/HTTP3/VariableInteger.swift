/// An integer of one, two, four or eight bytes, whose first two bits say how many (RFC 9000, section 16).
package enum VariableInteger {
    /// The largest that there is.
    package static let largest = 1 << 62 - 1

    /// Takes one off the front of the bytes; nil, and nothing taken, where they do not suffice.
    package static func take(_ bytes: inout ArraySlice<UInt8>) -> Int? {
        guard let first = bytes.first else { return nil }
        let size = 1 << Int(first >> 6)
        guard bytes.count >= size else { return nil }
        let value = bytes.prefix(size).dropFirst().reduce(Int(first & 0x3f)) { $0 << 8 | Int($1) }
        bytes = bytes.dropFirst(size)
        return value
    }
}
