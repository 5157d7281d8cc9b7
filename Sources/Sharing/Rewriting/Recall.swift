/// What became of texts that were met before: a capture holds the same names, header fields and addresses in most of its
/// entries.
///
/// Short ones only, and no more than there is room for.
struct Recall<Outcome> {
    private var known: [PlacedText: Outcome] = [:]
    /// In bytes.
    private var room = 1 << 24

    private static var longest: Int { 1 << 12 }
    /// Of an entry without its text.
    private static var overhead: Int { 128 }

    subscript(key: PlacedText) -> Outcome? { known[key] }

    mutating func remember(_ outcome: Outcome, of key: PlacedText) {
        let size = key.bytes.count + key.name.utf8.count + Self.overhead
        guard key.bytes.count <= Self.longest, size <= room else { return }
        room -= size
        known[key] = outcome
    }
}

/// A text, and as what it is looked at.
struct PlacedText: Hashable {
    /// The place of a text that is swept, wherever it stands.
    static let anywhere = "(text)"

    /// The list that it stands in, or what it is without one.
    var place: String
    var name: String
    var bytes: [UInt8]
}
