import Captures
import JOSE
package import OAuth

/// The key sets that clients fetched for an ID token at a server that has nothing to do with its issuer, and that lack its key.
///
/// So does a client that is set to the keys of another provider, realm or environment. By what it fetched, and when: the next that
/// it asked for once the token endpoint had answered, UserInfo and other key sets aside. What a key set's owner is by its metadata,
/// its host or its keys is for others to tell.
struct KeysFromElsewhere: Sendable {
    /// The token requests whose answers they were fetched for, by the exchanges of the key sets.
    let requests: [Int: TokenRequest]

    init(_ index: CaptureIndex) {
        requests = index.keySets.reduce(into: [:]) { requests, keySet in
            guard let keys = keySet.keys, let request = Self.request(before: keySet, in: index),
                let token = request.idToken?.token, let keyID = token.keyID,
                token.algorithm.flatMap(SignatureAlgorithm.init)?.isSymmetric == false,
                !keys.keys.contains(where: { $0.id == keyID }),
                !Self.isOfIssuer(keySet, of: token, by: request, index)
            else { return }
            requests[keySet.exchange] = request
        }
    }

    private static let reach = Duration.seconds(5)
    /// A capture of many clients at once tells nobody which of their requests are whose.
    private static let mostExchanges = 50

    private static func request(before keySet: KeySetDocument, in index: CaptureIndex) -> TokenRequest? {
        let fetched = index.capture[keySet.exchange]
        for exchange in index.order[..<index.position[keySet.exchange]].suffix(mostExchanges).reversed() {
            let earlier = index.capture[exchange]
            guard fetched.startedAt - earlier.startedAt <= reach else { return nil }
            guard isOfOneClient(earlier, fetched) else { continue }
            switch index.messages[exchange] {
            case .token(let request):
                return request.answer.isSuccess && earlier.endedAt <= fetched.startedAt ? request : nil
            case .keySet, .userInfo: continue
            default: return nil
            }
        }
        return nil
    }

    /// By their process where both are known; a library may have a name of its own for each kind of request.
    private static func isOfOneClient(_ one: Exchange, _ other: Exchange) -> Bool {
        guard one.request.headers.first("origin") == other.request.headers.first("origin") else {
            return false
        }
        if let process = one.client.processID, let its = other.client.processID { return process == its }
        guard let agent = one.request.headers.first("user-agent") else { return false }
        return agent == other.request.headers.first("user-agent")
    }

    private static func isOfIssuer(
        _ keySet: KeySetDocument,
        of token: JSONWebToken,
        by request: TokenRequest,
        _ index: CaptureIndex
    ) -> Bool {
        guard let host = keySet.url.host, let asked = request.endpoint.host else { return true }
        if host == asked || token.issuer.map({ RecordedURL($0).host == host }) ?? true { return true }
        if let kind = ProviderRecognizer.kind(ofHost: asked), kind == ProviderRecognizer.kind(ofHost: host) {
            return true
        }
        return index.metadata.contains { document in
            document.names(keySet.url, as: "jwks_uri")
                && (document.issuer == token.issuer || document.names(request.endpoint, as: "token_endpoint"))
        }
    }
}

extension CaptureIndex {
    /// The token request for whose ID token each key set was fetched that is none of its issuer's, by the exchange of the key set.
    package var keysFromElsewhere: [Int: TokenRequest] {
        derived.value { KeysFromElsewhere(self) }.requests
    }

    /// The key sets of other servers that the client of a token request fetched to check what it got, for this answer or an earlier
    /// one: it may have kept them.
    package func keySets(fetchedElsewhereFor request: TokenRequest) -> [KeySetDocument] {
        keySets.filter { keySet in
            guard let first = keysFromElsewhere[keySet.exchange], first.startedAt <= request.startedAt else {
                return false
            }
            return first.endpoint.text == request.endpoint.text && first.clientID == request.clientID
        }
    }
}
