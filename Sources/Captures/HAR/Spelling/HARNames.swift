/// HAR's names for the members of one of its objects, in whatever spelling a producer has them.
struct HARNames {
    private let names: Set<String>
    private let byFolded: [String: String]

    init(_ names: [String]) {
        self.names = Set(names)
        byFolded = Dictionary(
            names.lazy.filter { !$0.hasPrefix("_") }.map { (Self.folded($0), $0) },
            uniquingKeysWith: { first, _ in first }
        )
    }

    /// The name as HAR spells it; nil where it is none of these.
    func own(_ name: String) -> String? {
        // As HAR spells it, nearly always.
        names.contains(name) ? name : byFolded[Self.folded(name)]
    }

    /// Without case, underscores and hyphens.
    private static func folded(_ name: String) -> String {
        String(decoding: name.utf8.filter { $0 != 0x5f && $0 != 0x2d }, as: UTF8.self).asciiLowercased()
    }
}
