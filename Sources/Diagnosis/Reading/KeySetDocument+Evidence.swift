import Captures
import Flows
import JOSE
import OAuth

extension Flow {
    /// The key sets that the app serves on the host it is sent back to, for the provider to fetch, in the order of time.
    ///
    /// None of a server that is app and provider at once: it has keys of both kinds.
    var appKeySets: [KeySetDocument] { derived.value { AppKeySets(list: readAppKeySets()) }.list }

    private struct AppKeySets: Sendable {
        var list: [KeySetDocument]
    }

    private func readAppKeySets() -> [KeySetDocument] {
        guard !surroundings.keySets.isEmpty else { return [] }
        var asked = authorizationRequests.compactMap(\.redirectURI)
        let named = Set(surroundings.metadata.compactMap { $0.endpoint("jwks_uri") })
        var providers = named.compactMap { RecordedURL($0).host }
        for call in ClientCall.all(in: self) {
            if let uri = call.parameters["redirect_uri"] { asked.append(uri) }
            if let host = call.endpoint.host { providers.append(host) }
        }
        let hosts = Set(asked.compactMap { RecordedURL($0).host }).subtracting(providers)
        return surroundings.keySets.filter { set in
            set.keys != nil && set.url.host.map(hosts.contains) ?? false
        }
    }
}

extension KeySetDocument {
    /// The kids of a key set of the app's.
    var appEvidence: Evidence { evidence(note: "the app's key set") }

    /// The kids of a key set.
    func evidence(note: String) -> Evidence {
        let kids = keys?.keys.compactMap(\.id) ?? []
        return Evidence(
            place: Place(exchange: exchange, part: .responseBody, name: "keys"),
            value: Masking.shown(
                kids.isEmpty ? "no kid" : kids.prefix(12).joined(separator: ", "),
                of: "kid"
            ),
            note: note
        )
    }
}
