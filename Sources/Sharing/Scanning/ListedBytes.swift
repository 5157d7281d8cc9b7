import Captures

/// Ways to write bytes one by one, or by digits of their own, between which or around which something else stands.
enum ListedBytes: CaseIterable, Hashable {
    /// `71:37:5a:…`; see ``GroupedHexadecimal``.
    case groupedHexadecimal
    /// `113,55,90,…`; see ``DecimalBytes``.
    case decimal
    /// Between `<~` and `~>`; see ``ASCII85Text``.
    case ascii85
    /// In base 85 without marks, where a secret begins; see ``Base85Index``.
    case base85
    /// In lines behind `begin 644 …`; see ``UUEncodedText``.
    case uuencoded

    /// Reads what is written so in a text.
    ///
    /// `take`: is handed the bytes of each piece, and for each of them where in the text it comes from, or before.
    func read(_ text: [UInt8], _ base85: Base85Index, _ take: (_ bytes: [UInt8], _ origins: [Int]) -> Void) {
        switch self {
        case .groupedHexadecimal:
            for places in GroupedHexadecimal.runs(in: text) {
                let bytes = BinaryCoding.hexadecimal.decoded(places.map { text[$0] })
                take(bytes, bytes.indices.map { places[2 * $0] })
            }
        case .decimal:
            for list in DecimalBytes.all(in: text) { take(list.bytes, list.places.map(\.lowerBound)) }
        case .ascii85:
            for encoded in ASCII85Text.all(in: text) {
                take(encoded.bytes, encoded.bytes.map { _ in encoded.range.lowerBound })
            }
        case .base85:
            for run in base85.runs(in: text) {
                let groups = run.groups.map {
                    (start: $0.lowerBound, bytes: run.alphabet.decoded(text[$0]) ?? [])
                }
                take(
                    groups.flatMap(\.bytes),
                    groups.flatMap { group in group.bytes.map { _ in group.start } }
                )
            }
        case .uuencoded:
            for encoded in UUEncodedText.all(in: text) { take(encoded.bytes, encoded.origins) }
        }
    }

    /// As a leak names it.
    var encoding: Leak.Encoding {
        switch self {
        case .groupedHexadecimal: .hexadecimal
        case .decimal: .decimal
        case .ascii85, .base85: .base85
        case .uuencoded: .uuencoded
        }
    }
}
