import Captures
import OAuth

/// Whose key sets are by the metadata of the capture, by their addresses.
struct KeySetOwners {
    private struct Owners {
        var issuers: Set<String> = []
        var tokenEndpoints: Set<String> = []
    }

    private var byKeySet: [String: Owners] = [:]

    init(_ metadata: [MetadataDocument]) {
        for document in metadata {
            guard let address = document.endpoint("jwks_uri") else { continue }
            let keySet = RecordedURL(address).normalizedWithoutQuery
            if let issuer = document.issuer { byKeySet[keySet, default: Owners()].issuers.insert(issuer) }
            if let endpoint = document.endpoint("token_endpoint") {
                byKeySet[keySet, default: Owners()].tokenEndpoints.insert(
                    RecordedURL(endpoint).normalizedWithoutQuery
                )
            }
        }
    }

    func own(_ keySet: RecordedURL, of issuer: String, at tokenEndpoint: RecordedURL) -> Bool {
        guard let owners = byKeySet[keySet.normalizedWithoutQuery] else { return false }
        return owners.issuers.contains(issuer)
            || owners.tokenEndpoints.contains(tokenEndpoint.normalizedWithoutQuery)
    }
}
