import Captures
import JOSE
import OAuth
import Synchronization

/// The key sets of a capture by the issuer of a token, looked for once for each: a client that fetches them anew before every
/// refresh has as many of them as tokens.
final class KeySetLookup: Sendable {
    struct Found: Sendable {
        /// Oldest first.
        var sets: [KeySetDocument]
        /// Those of them that could be read.
        var readable: [KeySetDocument]
        /// Where in ``readable`` those with a key of an id are, oldest first.
        var holders: [String: [Int]]
        /// Of the latest set first; those of sets that were served again unchanged are there once.
        var keys: [JSONWebKey]
    }

    private struct Question: Hashable {
        var issuer: String?
        var hosts: Set<String>
    }

    private let metadata: [MetadataDocument]
    private let keySets: [KeySetDocument]
    private let known = Mutex<[Question: Found]>([:])

    init(_ index: CaptureIndex) {
        metadata = index.metadata
        keySets = index.keySets
    }

    /// Those that the issuer's metadata names, else those of these hosts.
    func found(for issuer: String?, at hosts: Set<String>) -> Found {
        let question = Question(issuer: issuer, hosts: hosts)
        if let found = known.withLock({ $0[question] }) { return found }
        let sets = sets(question)
        let keys = sets.reversed().compactMap(\.keys).eachOnce().flatMap(\.keys)
        let readable = sets.filter { $0.keys != nil }
        let found = Found(sets: sets, readable: readable, holders: Self.holders(in: readable), keys: keys)
        known.withLock { $0[question] = found }
        return found
    }

    private static func holders(in sets: [KeySetDocument]) -> [String: [Int]] {
        var holders: [String: [Int]] = [:]
        for (place, set) in sets.enumerated() {
            for id in Set(set.keys?.keys.compactMap(\.id) ?? []) { holders[id, default: []].append(place) }
        }
        return holders
    }

    private func sets(_ question: Question) -> [KeySetDocument] {
        let uris = Set(
            metadata.filter { $0.issuer != nil && $0.issuer == question.issuer }.compactMap {
                $0.endpoint("jwks_uri")
            }
        )
        let named = keySets.filter { uris.contains($0.url.text) }
        if !named.isEmpty { return named }
        let near = keySets.filter { $0.url.host.map(question.hosts.contains) ?? false }
        guard near.isEmpty, question.hosts.isEmpty else { return near }
        // Those of an issuer whose own are not there are none that another one has.
        let others =
            uris.isEmpty ? [] : Set(metadata.compactMap { $0.endpoint("jwks_uri") }).subtracting(uris)
        return keySets.filter { !others.contains($0.url.text) }
    }
}
