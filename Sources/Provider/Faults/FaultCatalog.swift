/// Every fault, in the order of the catalogue of rules.
package enum FaultCatalog {
    package static let all: [Fault] =
        DiscoveryFaults.list + AuthorizationResponseFaults.list + TokenRequestFaults.list
        + TokenResponseFaults.list + IDTokenFaults.list + ResourceFaults.list + RefreshFaults.list
        + LogoutAndDeviceFaults.list + TransportFaults.list

    /// The one of this name; names of faults are ids of rules.
    package static func fault(_ id: String) -> Fault? { all.first { $0.id == id } }

    /// The names that are most like one that is none: three at most, the nearest first.
    ///
    /// Those that hold all its words in a row, else those that share the most of its letters in pairs, of which a word is like one of
    /// its own: by pairs alone `nonsense` would be near to what ends with `response`.
    package static func nearest(to name: String) -> [String] {
        // A name has some dozens of letters.
        let name = name.prefix(80)
        let wanted = words(name)
        let scored = all.compactMap { fault -> (id: String, score: Double)? in
            let own = words(fault.id[...])
            let score = likeness(name, fault.id[...])
            if name.count > 2, !wanted.isEmpty, own.contains(wanted) { return (fault.id, 1 + score) }
            let isAlike = own.contains { word in wanted.contains { likeness($0, word) > 0.5 } }
            return isAlike && score > 0.25 ? (fault.id, score) : nil
        }
        return scored.sorted { $0.score > $1.score }.prefix(3).map(\.id)
    }

    private static func words(_ text: Substring) -> [Substring] {
        text.split { ["-", ":", "_"].contains($0) }
    }

    /// Up to 1, of which all letters are the same in pairs.
    private static func likeness(_ one: Substring, _ other: Substring) -> Double {
        let (one, other) = (pairs(one), pairs(other))
        return 2 * Double(one.intersection(other).count) / Double(max(1, one.count + other.count))
    }

    private static func pairs(_ text: Substring) -> Set<String> {
        let letters = Array(text)
        return Set(zip(letters, letters.dropFirst()).map { String([$0, $1]) })
    }
}
