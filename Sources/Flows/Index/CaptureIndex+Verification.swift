import Captures
package import JOSE
package import OAuth

extension CaptureIndex {
    /// Checks a token of a flow with the keys that the capture holds of its issuer, and with the client's
    /// secret where that is known.
    ///
    /// `providerHosts`: where key sets are looked for when no metadata names them.
    package func verification(of token: JSONWebToken, providerHosts: Set<String>) -> SignatureVerification {
        let sets = keySets(for: token, providerHosts: providerHosts)
        let keys = sets.reversed().flatMap { $0.keys?.keys ?? [] }
        let client = token.audience.first { knownSecrets[$0] != nil }
        return token.verify(keys: keys, secret: client.flatMap { knownSecrets[$0] }.map { Array($0.utf8) })
    }

    /// The token inside an encrypted one where the capture has its key, else the token itself.
    package func readable(_ token: IDToken) -> IDToken {
        opened[token.token].map { token.opened($0.token) } ?? token
    }

    /// The key sets of a token's issuer: those that its metadata names, else those of the provider's hosts.
    ///
    /// Oldest first.
    package func keySets(for token: JSONWebToken, providerHosts: Set<String>) -> [KeySetDocument] {
        let uris = Set(
            metadata.filter { $0.issuer != nil && $0.issuer == token.issuer }.compactMap {
                $0.endpoint("jwks_uri")
            }
        )
        let named = keySets.filter { uris.contains($0.url.text) }
        if !named.isEmpty { return named }
        let near = keySets.filter { $0.url.host.map(providerHosts.contains) ?? false }
        return near.isEmpty && providerHosts.isEmpty ? keySets : near
    }
}
