/// Values that are the beginning of a hexadecimal one of the same name, and too short to show that they are such: a nonce of which
/// the first character came back.
///
/// The cipher has to be told of them, or their stand-ins would be no beginnings of those of the whole values.
struct HexadecimalBeginnings {
    private var texts: Set<String> = []

    init(_ values: some Sequence<NamedValue>) {
        var short: [String: Set<String>] = [:]
        var whole: [NamedValue] = []
        for value in values {
            if ShapeCipher.isHexadecimal(Array(value.value.utf8)) {
                whole.append(value)
            } else if value.value.utf8.count <= Self.longest {
                short[value.name, default: []].insert(value.value)
            }
        }
        for value in whole {
            guard let candidates = short[value.name] else { continue }
            for count in 1...Self.longest {
                let beginning = String(decoding: value.value.utf8.prefix(count), as: UTF8.self)
                if candidates.contains(beginning) { texts.insert(beginning) }
            }
        }
    }

    func contains(_ text: String) -> Bool { texts.contains(text) }

    /// In bytes: a UUID of which most is digits.
    private static let longest = 36
}
