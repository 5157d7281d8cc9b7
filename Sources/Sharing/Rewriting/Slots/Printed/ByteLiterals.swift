/// Forms in strings of bytes, as Python prints what it sends: `b'client_secret=…'`,
/// `b'POST / HTTP/1.1\r\n\r\nclient_secret=…'`.
enum ByteLiterals {
    /// What stands in a word behind the mark of such a string, or behind the last escaped line end in it; a word without is
    /// what it is.
    static func inner(of word: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        guard word.contains(0x26) else { return word }
        let mark = word.indices.dropFirst().last { place in
            switch (word[place - 1], word[place]) {
            case (0x62, 0x27), (0x62, 0x22), (0x5c, 0x6e): true
            default: false
            }
        }
        return mark.map { word[($0 + 1)...] } ?? word
    }
}
