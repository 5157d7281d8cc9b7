import Captures
import JOSE
import OAuth

/// A resource that wants a stronger or fresher login (RFC 9470), or more of its user's consent (RFC 6750, section 3.1).
extension CaptureIndex {
    /// Whether an answer asks for another login, and the client set out for one as it was told: no token was
    /// refused there.
    package func isSteppedUp(after exchange: Int, by client: String?) -> Bool {
        guard let response = capture[exchange].response, [401, 403].contains(response.status),
            let challenge = AuthenticationChallenge.all(in: response.headers).first(where: {
                ["insufficient_user_authentication", "insufficient_scope"].contains($0["error"])
            })
        else { return false }
        if challenge["error"] == "insufficient_scope" {
            let wanted = Set((challenge["scope"] ?? "").spaceDelimited)
            return !wanted.isEmpty
                && authorizationRequests(after: capture[exchange].startedAt, within: .seconds(3600)).contains
                {
                    request in
                    (client == nil || request.clientID == client)
                        && wanted.isSubset(of: (request.parameters["scope"] ?? "").spaceDelimited)
                }
        }
        if isLetInAfterAnotherLogin(exchange, client) { return true }
        let wanted = Set((challenge["acr_values"] ?? "").spaceDelimited)
        let isAgeLimited = challenge["max_age"] != nil
        return authorizationRequests(after: capture[exchange].startedAt, within: .seconds(3600)).contains {
            request in
            guard client == nil || request.clientID == client else { return false }
            let asked = Set((request.parameters["acr_values"] ?? "").spaceDelimited)
            let hasAge = request.parameters["max_age"] != nil
            guard !wanted.isEmpty || isAgeLimited else { return !asked.isEmpty || hasAge }
            return (wanted.isEmpty || !wanted.isDisjoint(with: asked)) && (!isAgeLimited || hasAge)
        }
    }

    /// What the back end sees of it alone: another code for the same user, and the same resource open.
    private func isLetInAfterAnotherLogin(_ exchange: Int, _ client: String?) -> Bool {
        let request = capture[exchange].request
        guard let token = BearerToken.of(request, exchange: exchange)?.value else { return false }
        let later = derived.value { LaterLogins(self) }
        guard let user = later.user(of: token),
            let login = later.login(of: user, to: client, after: position[exchange]),
            let good = later.lastGood(at: request.url.withoutQuery)
        else { return false }
        return good >= login
    }
}

/// Codes that were exchanged for users, and addresses that were open, each by its place in the order of time: read once for all calls
/// that want another login.
private struct LaterLogins: Sendable {
    private struct Login: Sendable {
        var position: Int
        var client: String?
    }

    /// By access tokens.
    private var users: [String: String] = [:]
    /// By users, in the order of time.
    private var logins: [String: [Login]] = [:]
    private var good: [String: Int] = [:]

    init(_ index: CaptureIndex) {
        for request in index.tokenRequests {
            let user = request.idToken?.token.subject
            if let token = request.accessToken { users[token] = user }
            guard request.isCodeExchange, let user else { continue }
            let login = Login(position: index.position[request.exchange], client: request.clientID)
            logins[user, default: []].append(login)
        }
        for (position, exchange) in index.order.enumerated() {
            let recorded = index.capture[exchange]
            guard recorded.response?.isServed ?? false else { continue }
            good[recorded.request.url.withoutQuery] = position
        }
    }

    func user(of token: String) -> String? { users[token] }

    /// The first login of a user behind a place.
    func login(of user: String, to client: String?, after position: Int) -> Int? {
        guard let logins = logins[user] else { return nil }
        let later = logins[logins.partitionPoint { $0.position > position }...]
        return later.first { client == nil || $0.client == client }?.position
    }

    /// The last place at which an address was open.
    func lastGood(at address: String) -> Int? { good[address] }
}
