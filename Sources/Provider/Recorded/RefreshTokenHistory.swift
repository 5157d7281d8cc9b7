import Flows
import JOSE
import OAuth

/// What became of the refresh tokens of a recorded provider: how often each did its work, whether one did after it had
/// been replaced, and which clients used those of others.
struct RefreshTokenHistory {
    /// Clients by whom refresh tokens of another one were taken, by the client they were issued to.
    private(set) var sharers: [String: Set<String>] = [:]
    /// How often the token of a request had done its work before.
    private var earlierUses: [Place: Int] = [:]
    /// Clients whose refresh tokens did their work again after others had come in their place.
    private var reusing: Set<String?> = []

    /// A request among those of several captures.
    private struct Place: Hashable {
        let capture: ObjectIdentifier
        let exchange: Int

        init(_ exchange: Int, of index: CaptureIndex) {
            capture = ObjectIdentifier(index)
            self.exchange = exchange
        }
    }

    init(of issuer: RecordedIssuer) {
        var own: Set<Place> = []
        for flow in issuer.flows {
            for request in flow.tokenRequests { own.insert(Place(request.exchange, of: flow.surroundings)) }
        }
        var uses: [String: Int] = [:]
        var replaced: Set<String> = []
        var holders: [String: String] = [:]
        for index in issuer.captures {
            for request in index.tokenRequests where request.answer.isSuccess {
                let place = Place(request.exchange, of: index)
                guard own.contains(place) else { continue }
                // What a recorder put in the place of secrets is one text for many.
                let used = request.refreshToken.flatMap { Placeholder.isOne($0) ? nil : $0 }
                let issued = request.issuedRefreshToken.flatMap { Placeholder.isOne($0) ? nil : $0 }
                if let used {
                    earlierUses[place] = uses[used] ?? 0
                    uses[used, default: 0] += 1
                    if replaced.contains(used) { reusing.insert(request.clientID) }
                    if let issued, issued != used { replaced.insert(used) }
                    note(used, usedBy: request.clientID, &holders)
                }
                if let issued, issued != used { holders[issued] = request.clientID }
            }
        }
    }

    /// A token that was there before the recording began belongs to who used it first.
    private mutating func note(_ token: String, usedBy client: String?, _ holders: inout [String: String]) {
        guard let client else { return }
        guard let holder = holders[token] else {
            holders[token] = client
            return
        }
        if holder != client { sharers[holder, default: []].insert(client) }
    }

    /// How often the refresh token of a request had brought tokens before.
    func earlierUses(by request: TokenRequest, in index: CaptureIndex) -> Int {
        earlierUses[Place(request.exchange, of: index)] ?? 0
    }

    /// Whether a client got tokens for a refresh token that had been replaced.
    func showsReuse(by clientID: String?) -> Bool { reusing.contains(clientID) }
}
