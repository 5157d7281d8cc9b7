import Captures
import JOSE
package import OAuth

/// The key sets that clients fetched for an ID token at a server that has nothing to do with its issuer, that lack its key, and
/// with which the sign-in ended.
///
/// So does a client that is set to the keys of another provider, realm or environment. By what it fetched, and when: the next that
/// it asked for once the token endpoint had answered, UserInfo and other key sets aside. That alone tells nothing, since the keys may
/// be for another purpose of the app or page: it has to be seen to turn the token away right after. What a key set's owner is by its
/// metadata, its host or its keys is for others to tell.
struct KeysFromElsewhere: Sendable {
    private struct Client: Hashable, Sendable {
        var endpoint: String
        var id: String?

        init(of request: TokenRequest) {
            endpoint = request.endpoint.text
            id = request.clientID
        }
    }

    private struct Fetch: Sendable {
        var keySet: KeySetDocument
        var asked: Timestamp
    }

    /// The token requests whose answers they were fetched for, by the exchanges of the key sets.
    let requests: [Int: TokenRequest]
    /// By the time of the token requests.
    private let fetches: [Client: [Fetch]]

    init(_ index: CaptureIndex) {
        var requests: [Int: TokenRequest] = [:]
        var fetches: [Client: [Fetch]] = [:]
        let owners = KeySetOwners(index.metadata)
        let refusals = TokenRefusals(index)
        for keySet in index.keySets {
            guard let keys = keySet.keys, let request = Self.request(before: keySet, in: index),
                let token = request.idToken?.token, let keyID = token.keyID,
                token.algorithm.flatMap(SignatureAlgorithm.init)?.isSymmetric == false,
                !keys.keys.contains(where: { $0.id == keyID }),
                !Self.isOfIssuer(keySet, of: token, by: request, owners),
                refusals.isRefused(request, behind: keySet)
            else { continue }
            requests[keySet.exchange] = request
            fetches[Client(of: request), default: []].append(
                Fetch(keySet: keySet, asked: request.startedAt)
            )
        }
        self.requests = requests
        self.fetches = fetches.mapValues { fetches in fetches.sorted { $0.asked < $1.asked } }
    }

    /// Those for this answer or an earlier one of its client's, the last of them.
    func keySets(for request: TokenRequest) -> [KeySetDocument] {
        guard let all = fetches[Client(of: request)] else { return [] }
        let end = all.partitionPoint { $0.asked > request.startedAt }
        return all[..<end].suffix(TokenRefusals.mostExchanges).map(\.keySet)
    }

    private static let reach = Duration.seconds(5)

    private static func request(before keySet: KeySetDocument, in index: CaptureIndex) -> TokenRequest? {
        let fetched = index.capture[keySet.exchange]
        let earlier = index.order[..<index.position[keySet.exchange]].suffix(TokenRefusals.mostExchanges)
        for exchange in earlier.reversed() {
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
        return TokenRefusals.isOfOneProgram(one, other)
    }

    private static func isOfIssuer(
        _ keySet: KeySetDocument,
        of token: JSONWebToken,
        by request: TokenRequest,
        _ owners: KeySetOwners
    ) -> Bool {
        guard let host = keySet.url.host, let asked = request.endpoint.host else { return true }
        guard let issuer = token.issuer, host != asked, RecordedURL(issuer).host != host else { return true }
        if let kind = ProviderRecognizer.kind(ofHost: asked), kind == ProviderRecognizer.kind(ofHost: host) {
            return true
        }
        return owners.own(keySet.url, of: issuer, at: request.endpoint)
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
        derived.value { KeysFromElsewhere(self) }.keySets(for: request)
    }
}
