import Captures
import OAuth

/// Whose key sets are by the metadata of the capture, by their endpoints.
struct KeySetOwners {
    private struct Owners {
        var issuers: Set<String> = []
        /// By origin and path.
        var tokenEndpoints: [String: Set<EndpointAddress>] = [:]
    }

    private var byKeySet = EndpointTable<Owners>()

    init(_ metadata: [MetadataDocument]) {
        for document in metadata {
            guard let address = document.endpoint("jwks_uri") else { continue }
            byKeySet.update(RecordedURL(address), default: Owners()) { owners in
                if let issuer = document.issuer { owners.issuers.insert(issuer) }
                if let endpoint = document.endpoint("token_endpoint") {
                    let address = EndpointAddress(RecordedURL(endpoint))
                    owners.tokenEndpoints[address.place, default: []].insert(address)
                }
            }
        }
    }

    func own(_ keySet: RecordedURL, of issuer: String, at tokenEndpoint: RecordedURL) -> Bool {
        guard let owners = byKeySet[keySet] else { return false }
        if owners.issuers.contains(issuer) { return true }
        let asked = EndpointAddress(tokenEndpoint)
        return owners.tokenEndpoints[asked.place]?.contains { $0.isSame(as: asked) } ?? false
    }
}
