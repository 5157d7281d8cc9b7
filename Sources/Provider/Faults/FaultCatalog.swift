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
    /// Those that hold every word of it, else those that share the most of its letters in pairs.
    package static func nearest(to name: String) -> [String] {
        let wanted = pairs(name)
        let scored = all.map { fault -> (id: String, score: Double) in
            let own = pairs(fault.id)
            let shared = wanted.intersection(own).count
            let whole = name.count > 2 && fault.id.contains(name) ? 1.0 : 0
            return (fault.id, whole + 2 * Double(shared) / Double(max(1, wanted.count + own.count)))
        }
        return scored.filter { $0.score > 0.3 }.sorted { $0.score > $1.score }.prefix(3).map(\.id)
    }

    private static func pairs(_ text: String) -> Set<String> {
        // A name has some dozens of letters.
        let letters = Array(text.prefix(80))
        return Set(zip(letters, letters.dropFirst()).map { String([$0, $1]) })
    }
}
