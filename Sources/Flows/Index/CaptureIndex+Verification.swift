import Captures
package import JOSE
package import OAuth

extension CaptureIndex {
    /// Checks a token of a flow with the keys that the capture holds of its issuer, and with the client's
    /// secret where that is known.
    ///
    /// `providerHosts`: where key sets are looked for when no metadata names them.
    package func verification(of token: JSONWebToken, providerHosts: Set<String>) -> SignatureVerification {
        let keys = keySetLookup.found(for: token.issuer, at: providerHosts).keys
        let client = token.audience.first { knownSecrets[$0] != nil }
        let secrets = client.flatMap { clients.allSecrets[$0] } ?? []
        let verification = token.verify(keys: keys, secret: secrets.last.map { Array($0.utf8) })
        guard verification.outcome == .invalid else { return verification }
        // Made before the client got its last secret.
        return secrets.dropLast().suffix(Self.mostSecrets).reversed().lazy
            .map { token.verify(keys: keys, secret: Array($0.utf8)) }
            .first { $0.outcome == .valid } ?? verification
    }

    private static let mostSecrets = 8

    /// The token inside an encrypted one where the capture has its key, else the token itself.
    package func readable(_ token: IDToken) -> IDToken {
        opened[token.token].map { token.opened($0.token) } ?? token
    }

    /// The key sets of a token's issuer: those that its metadata names, else those of the provider's hosts.
    ///
    /// Oldest first.
    package func keySets(for token: JSONWebToken, providerHosts: Set<String>) -> [KeySetDocument] {
        keySetLookup.found(for: token.issuer, at: providerHosts).sets
    }

    /// Those of them that are key sets indeed.
    package func readableKeySets(for token: JSONWebToken, providerHosts: Set<String>) -> [KeySetDocument] {
        keySetLookup.found(for: token.issuer, at: providerHosts).readable
    }

    /// Which of the ``readableKeySets(for:providerHosts:)`` have a key of this id: places among them, in their order.
    package func readableKeySets(
        holding keyID: String,
        for token: JSONWebToken,
        providerHosts: Set<String>
    ) -> [Int] {
        keySetLookup.found(for: token.issuer, at: providerHosts).holders[keyID] ?? []
    }

    /// The keys of an issuer, those of its latest set first: of the sets that its metadata names, else of every set that may be its own.
    package func keys(of issuer: String?) -> [JSONWebKey] { keySetLookup.found(for: issuer, at: []).keys }

    private var keySetLookup: KeySetLookup { derived.value { KeySetLookup(self) } }
}
